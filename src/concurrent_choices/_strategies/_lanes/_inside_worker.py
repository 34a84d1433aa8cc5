"""What performs a job inside a worker process that has several lanes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from functools import partial

from ..._facts._batch import Batch
from ..._work._job import Job
from ._thread_pool import JobThreads
from ._threads import threads_for

__all__ = ["perform_inside"]


def perform_inside(lanes: int, job: Job) -> Iterator[Batch]:
    """Coroutines as so many tasks on one loop; a `def` in so many threads, an item at a time."""
    if not job.is_async:
        return threads_for(job, closing(JobThreads("concurrent_choices-thread")), lanes, batch=1)
    from ..._runtime._own_loops import new_loop  # noqa: PLC0415 - asyncio costs 30 ms; a `def` does not need it
    from ._asyncio import run_tasks, serve  # noqa: PLC0415 - as above

    lent = closing(JobThreads("concurrent_choices-asyncio"))
    return serve(job, partial(run_tasks, factory=new_loop), lanes, lent)
