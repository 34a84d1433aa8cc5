"""Applications: an executor that learns, one call off the event loop, and advice for endpoints.

    offload ── AdaptiveExecutor ──┬── Threads (Dispatch, watched by the StallMonitor)
                                  └── ProcessPool ══ worker processes

_executor, _offload, _pick    what applications call; _settings: what they asked for
_core         the executor without its face, from _cores; _explain: what it has learnt
_threads, _processes    where calls run
_calls        one call, `map`, and what waits
_accounting   what is known of a callable, and where that says it belongs
_advisor      watches the endpoints of an application; _advise drives one, for the command line
"""
