"""Loops for what is written for anyio: asyncio's, or trio's."""

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
    """Runs an `async def` as tasks of one loop, asyncio's or trio's; a `def` in that many threads.

    Args:
        concurrency: Items in flight at once.
        backend: "asyncio" or "trio". Inside a running loop (`arun`), that loop is used. If trio is not
            installed, a run raises `MissingExtraError`.

    Raises:
        InvalidArgumentError: `concurrency` is no whole number from 1, or there is no such backend.
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
        if self.backend == "trio":
            from ._lanes import _trio_host  # noqa: PLC0415 - anyio costs 60 ms; imported when it is used

            _trio_host.run_tasks(tasks, register)
        else:
            super()._run_tasks(tasks, register)
