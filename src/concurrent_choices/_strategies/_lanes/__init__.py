"""Lanes: what calls the callable. Threads, tasks on a loop, and what they share.

_keeper, _kept, _loop_backed    what strategies are made of that stay warm inside `with`
_threads      lanes in threads, from a _thread_pool, by way of an _outbox
_task_pool    lanes as tasks of a loop, be it _asyncio_host's or _trio_host's
_asyncio      task pools on loops of ours; _native: on the caller's own (_any_loop), and its _feeding
_inside_worker    what a worker process with several lanes has inside
"""
