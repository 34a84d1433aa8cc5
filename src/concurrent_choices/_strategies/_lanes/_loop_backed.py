"""What strategies of one event loop have in common, whichever loop that is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from attrs import field, frozen

from ..._facts._batch import Batch
from ..._facts._numbers import plain_int
from ..._facts._validators import positive
from ..._work._job import Job
from ._kept import ThreadBacked
from ._task_pool import Register, TaskPool
from ._threads import MOST_THREADS, threads_for

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

__all__ = ["LoopBacked"]


@frozen
class LoopBacked(ThreadBacked):
    """A strategy that runs an `async def` as tasks of one loop, and a `def` in as many threads."""

    concurrency: int = field(default=100, converter=plain_int, validator=positive)

    def aexecute(self, job: Job) -> AsyncIterator[Batch]:
        """Perform an `async def` job on the loop that is running."""
        return self._tasks_here(job, self.concurrency)

    def _execute(self, job: Job) -> Iterator[Batch]:
        if not job.is_async:
            return threads_for(job, self._keeper.lend(), min(self.concurrency, MOST_THREADS))
        from ._asyncio import serve  # noqa: PLC0415 - asyncio costs 30 ms; imported when it is used

        self._check()
        return serve(job, self._run_tasks, self.concurrency, self._keeper.lend())

    def _check(self) -> None:
        """Raise what keeps its loop from being made; said at the call."""

    def _run_tasks(self, tasks: TaskPool, register: Register) -> None:
        """Run a task pool to its end on a new loop; hands the task pool's nudge to `register`."""
        from ._asyncio import run_tasks  # noqa: PLC0415 - as above

        run_tasks(tasks, register, self._new_loop)

    def _new_loop(self) -> AbstractEventLoop:
        from ..._runtime._own_loops import new_loop  # noqa: PLC0415 - as above

        return new_loop()
