"""One after another in the calling thread: the baseline, and the truth to compare with."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator

from attrs import frozen

from .._facts._batch import Batch
from .._work._job import Job
from .._work._pace import Pace
from ._lanes._kept import ThreadBacked
from ._lanes._threads import threads_for

__all__ = ["SequentialStrategy"]


@frozen
class SequentialStrategy(ThreadBacked):
    """Calls the callable on one item after another.

    With a `timeout`, a `def` runs in one thread beside the caller's, which could not give up waiting
    otherwise. An `async def` runs on one event loop, one item at a time.
    """

    name = "sequential"

    def _execute(self, job: Job) -> Iterator[Batch]:
        if job.is_async:
            return self._await_each(job)
        if job.timeout is not None:
            return threads_for(job, self._keeper.lend(), 1)
        return self._here(job)

    def aexecute(self, job: Job) -> AsyncIterator[Batch]:
        """Perform an `async def` job on the loop that is running."""
        return self._tasks_here(job, 1)

    def _here(self, job: Job) -> Iterator[Batch]:
        pace = Pace()
        while (claim := job.claim(pace.size)) is not None:
            began = time.perf_counter()
            batch = job.performer(claim)
            pace.took(time.perf_counter() - began, len(batch.values))
            yield batch

    def _await_each(self, job: Job) -> Iterator[Batch]:
        from ._lanes._asyncio import run_tasks, serve  # noqa: PLC0415 - asyncio: 30 ms; a `def` does not need it

        return serve(job, run_tasks, 1, self._keeper.lend())
