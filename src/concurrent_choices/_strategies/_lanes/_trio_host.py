"""Lanes as trio's tasks, by way of anyio, which loads trio where it is installed."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from contextvars import Context
from types import TracebackType
from typing import Any, Self

import anyio
import anyio.abc
import anyio.lowlevel

from ..._runtime._limited import OverdueError, if_in_time
from ._any_loop import Bell
from ._task_pool import Body, Register, TaskPool

__all__ = ["TrioHost", "run_tasks"]


class TrioHost:
    """A `LoopHost` for trio, which at its end waits even for tasks that resist cancellation."""

    def __init__(self) -> None:
        self._group: anyio.abc.TaskGroup = anyio.create_task_group()
        self._bell = Bell()
        self._cancelled: type[BaseException] = anyio.get_cancelled_exc_class()

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        self._group.cancel_scope.cancel()
        return await self._group.__aexit__(kind, error, trace)

    def spawn(self, body: Body, context: Context) -> None:
        context.run(self._group.start_soon, body, None)  # which copies it

    def wake(self) -> None:
        self._bell.ring()

    def wake_soon(self) -> None:
        self._bell.ring_soon()

    def call_soon(self, call: Callable[[], object]) -> None:
        self._bell.call_soon(call)

    async def wait(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            await self._bell.wait()

    async def breathe(self) -> None:
        await anyio.lowlevel.checkpoint()

    async def limited(self, coroutine: Coroutine[Any, Any, Any], seconds: float) -> Any:
        until = time.monotonic() + seconds
        with anyio.move_on_after(seconds) as scope:
            value, error = None, None
            try:
                value = await coroutine
            except Exception as raised:  # noqa: BLE001 - raised again, unless it comes too late
                error = raised
            if not scope.cancel_called:
                return if_in_time(value, error, time.monotonic(), until)
        raise OverdueError

    def is_cancellation(self, error: BaseException) -> bool:
        return isinstance(error, self._cancelled)  # an item cannot cancel its own task here


def run_tasks(tasks: TaskPool, register: Register) -> None:
    """Run a task pool to its end on a new loop of trio's."""

    async def main() -> None:
        host = TrioHost()
        register(host.wake_soon)
        await tasks.serve(host)

    anyio.run(main, backend="trio")
