"""Lanes as tasks of an anyio task group, on asyncio or trio."""

from __future__ import annotations

from collections.abc import Coroutine
from contextvars import Context
from types import TracebackType
from typing import Any, Self

import anyio
import anyio.abc
import anyio.lowlevel

from ..._work._limited import OverdueError
from ..._work._running_loop import on_trio
from ._any_loop import Bell
from ._task_pool import Body

__all__ = ["AnyioHost"]


class AnyioHost:
    """See `Host`."""

    def __init__(self) -> None:
        self._group: anyio.abc.TaskGroup = anyio.create_task_group()
        self._bell = Bell()
        self._cancelled: type[BaseException] = anyio.get_cancelled_exc_class()
        self._ending = on_trio()  # there an item cannot cancel its own task

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        self._ending = True
        self._group.cancel_scope.cancel()
        return await self._group.__aexit__(kind, error, trace)

    def spawn(self, body: Body, context: Context) -> None:
        context.run(self._group.start_soon, body, None)  # which copies it

    def wake(self) -> None:
        self._bell.ring()

    def wake_soon(self) -> None:
        self._bell.ring_soon()

    async def wait(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            await self._bell.wait()

    async def breathe(self) -> None:
        await anyio.lowlevel.checkpoint()

    async def limited(self, coroutine: Coroutine[Any, Any, Any], seconds: float) -> Any:
        with anyio.move_on_after(seconds) as scope:
            value = await coroutine
            if not scope.cancel_called:
                return value
        raise OverdueError

    def is_cancellation(self, error: BaseException) -> bool:
        return self._ending and isinstance(error, self._cancelled)
