"""Applications: an executor that learns, one call off the event loop, and advice for endpoints.

    offload ── AdaptiveExecutor ──┬── Threads (_dispatch, watched by _stall_monitor)
                                  └── ProcessPool (_process_pool) ══ worker processes, which run
                                      _remote (and _gil_monitor)
    what was measured of a callable: _figures; where it belongs: _placing, kept in its _account; what it
    holds: _held; for how long there are no processes, where none could be had: _respite; what the process
    pool was asked for and has not answered: _desk
    _advisor watches the endpoints of an application; _advise drives one, for the command line

Worker processes import `_remote` and `_held`, so those two load nothing slow.
"""
