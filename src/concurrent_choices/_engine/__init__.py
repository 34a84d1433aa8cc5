"""`auto`: decides while it works. Here doing, looking and deciding meet.

_automatic       the strategy: begins a run with what _memory knows of the callable, and ends it with more
_auto            the same for users who set limits; _giving_way: threads, until it takes their place
_conductor       a run of a `def`: every few milliseconds (_ticker) it looks, asks the Controller, has it done
                 by _caller (the calling thread), _elastic_pool (thread lanes that come and go) and
                 its _workforce, by way of _worker_startup and _fallback_pump (worker processes; what cannot
                 travel is performed here)
_coroutines      a run of an `async def`: on one loop (_loops, _elastic_task_pool), until _succession has a
                 conductor do the rest elsewhere, maybe beside the loop's last items (_handover)
_observer, _loop_observer    sights for the controller, from each thread's _tally and the _lateness of looks,
                 without what the program's other threads compute (_bystanders)
_lookout         has a conductor's taken, and the controller asked, as soon as that pays (_first_glances)
_thread_limit, _bond, _loss, _worker_transfer, _worker_imports, _worker_data    what speaks against
                 threads, and against processes
_urgency         lets a thread that looks or starts something have the GIL
_report          what was done, and why
"""
