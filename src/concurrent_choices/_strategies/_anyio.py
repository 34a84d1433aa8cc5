"""anyio task groups, on asyncio or trio."""

from __future__ import annotations

from importlib import import_module
from typing import Literal

from attrs import field, frozen

from .._errors import MissingExtraError
from .._facts._validators import one_of
from ._lanes._loop_backed import LoopBacked
from ._lanes._task_pool import Register, TaskPool

__all__ = ["AnyioStrategy"]


@frozen
class AnyioStrategy(LoopBacked):
    """Runs an `async def` as tasks of an anyio task group; a `def` in that many threads.

    Args:
        concurrency: Items in flight at once.
        backend: "asyncio" or "trio". In a loop that runs already (`arun`), that loop serves. Where trio is
            not installed, a run raises `MissingExtraError`.

    Raises:
        InvalidArgumentError: The concurrency is no whole number from 1, or there is no such backend.
    """

    name = "anyio"
    backend: Literal["asyncio", "trio"] = field(default="asyncio", validator=one_of("asyncio", "trio"))

    def _check(self) -> None:
        if self.backend == "trio":
            try:
                import_module("trio")
            except ImportError as error:
                feature = 'AnyioStrategy(backend="trio")'
                raise MissingExtraError(feature, "trio") from error

    def _run_tasks(self, tasks: TaskPool, register: Register) -> None:
        import asyncio  # noqa: PLC0415 - 30 ms; imported when it is used

        import anyio  # noqa: PLC0415 - 60 ms; as above

        from .._work._own_loops import with_threads  # noqa: PLC0415 - as above
        from ._lanes._anyio_host import AnyioHost  # noqa: PLC0415 - as above

        async def main() -> None:
            if self.backend == "asyncio":
                with_threads(asyncio.get_running_loop())
            host = AnyioHost()
            register(host.wake_soon)
            await tasks.serve(host)

        anyio.run(main, backend=self.backend)
