"""anyio task groups, on asyncio or trio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Literal

from attrs import field, frozen

from .._errors import MissingExtraError
from .._facts._batch import Batch
from .._facts._numbers import plain_int
from .._facts._validators import one_of, positive
from .._work._job import Job
from ._lanes._keeper import ThreadBacked
from ._lanes._task_pool import TaskPool
from ._lanes._threads import MOST_THREADS, threads_for

__all__ = ["AnyioStrategy"]


@frozen
class AnyioStrategy(ThreadBacked):
    """Runs an `async def` as tasks of an anyio task group; a `def` in that many threads.

    Args:
        concurrency: Items in flight at once.
        backend: "asyncio" or "trio". In a loop that runs already (`arun`), that loop serves. Where trio is
            not installed, a run raises `MissingExtraError`.

    Raises:
        InvalidArgumentError: The concurrency is no whole number from 1, or there is no such backend.
    """

    name = "anyio"
    concurrency: int = field(default=100, converter=plain_int, validator=positive)
    backend: Literal["asyncio", "trio"] = field(default="asyncio", validator=one_of("asyncio", "trio"))

    def execute(self, job: Job) -> Iterator[Batch]:
        """Perform the job on a loop of its own."""
        self._keeper.check()
        if not job.is_async:
            return threads_for(job, self._keeper.lend(), min(self.concurrency, MOST_THREADS))
        from ._lanes._asyncio import serve  # noqa: PLC0415 - imported when it is used

        self._check()
        run = partial(_run_tasks, self.backend)
        return serve(job, run, self.concurrency, self._keeper.lend())

    def aexecute(self, job: Job) -> AsyncIterator[Batch]:
        """Perform an `async def` job on the loop that is running."""
        return self._tasks_here(job, self.concurrency)

    def _check(self) -> None:
        if self.backend == "trio":
            try:
                import_module("trio")
            except ImportError as error:
                feature = 'AnyioStrategy(backend="trio")'
                raise MissingExtraError(feature, "trio") from error


def _run_tasks(backend: str, tasks: TaskPool, register: Callable[[Callable[[], None]], None]) -> None:
    import asyncio  # noqa: PLC0415 - 30 ms; imported when it is used

    import anyio  # noqa: PLC0415 - 60 ms; as above

    from .._work._own_loops import with_threads  # noqa: PLC0415 - as above
    from ._lanes._anyio_host import AnyioHost  # noqa: PLC0415 - as above

    async def main() -> None:
        if backend == "asyncio":
            with_threads(asyncio.get_running_loop())
        host = AnyioHost()
        register(host.wake_soon)
        await tasks.serve(host)

    anyio.run(main, backend=backend)
