"""Applications: an executor that learns, one call off the event loop, and advice for endpoints.

    offload ── AdaptiveExecutor ──┬── Threads (_dispatch, watched by _stall_monitor)
                                  └── ProcessPool (_process_pool) ══ worker processes, which run
                                      _remote (and _gil_monitor)

_executor, _offload, _pick    what applications call; _settings: what they asked for; _mapping: `map`
_core         the executor without its face, from _cores; _explain: what it has learnt
_tasks        one call; _monitor: what is waited on for its result
_accounts     finds what is known of a callable, by its _identity
_account      that: its _figures; _placing: where they say it belongs; _ramp: how many may run at once
_dispatch     which call runs in which _lane, and which waits (_backlog); _early: what lanes come to import
_examine      whether a call changes what its callable holds (_held), or would (_losses); _looks: how often
              that is looked at; _underlying_function: what a method, a partial or a chunk calls
_process_pool    the thread that serves workers; _in_tray: by what it is asked; _desk: what for, and who gets
              what comes of it (_reading)
_call_queue   what one worker has in hand; _packing: callables on their way there; _recall: calls that come
              back as one before them takes too long
_respite      for how long there are no processes, where none could be had
_remote       what a worker does; _dear_look: at what calls are given, which takes ten times as long
_advisor      watches the endpoints of an application; _advise drives one, for the command line

Worker processes import `_remote` and `_held`, so those two load nothing slow.
"""
