"""Lanes as tasks of an anyio task group, on asyncio or trio."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import Context
from math import inf
from types import TracebackType
from typing import Any, Self

import anyio
import anyio.abc
import anyio.lowlevel

from ..._work._limited import OVERDUE
from ..._work._running_loop import on_trio
from ._task_pool import Body

__all__ = ["AnyioHost", "post_here"]


class AnyioHost:
    """See `Host`."""

    def __init__(self) -> None:
        self._group: anyio.abc.TaskGroup = anyio.create_task_group()
        self._bell = anyio.Event()
        self._post: Callable[[Callable[[], object]], object] | None = None
        self._cancelled: type[BaseException] = anyio.get_cancelled_exc_class()
        self._ending = on_trio()  # there an item cannot cancel its own task

    async def __aenter__(self) -> Self:
        self._post = post_here()
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
        self._bell.set()

    def wake_soon(self) -> None:
        if self._post is not None:
            with suppress(RuntimeError):  # the loop has closed: nobody waits any more
                self._post(self.wake)

    async def wait(self, seconds: float) -> None:
        if seconds == inf:
            await self._bell.wait()
        else:
            with anyio.move_on_after(seconds):
                await self._bell.wait()
        self._bell = anyio.Event()

    async def breathe(self) -> None:
        await anyio.lowlevel.checkpoint()

    async def limited(self, coroutine: Coroutine[Any, Any, Any], seconds: float) -> Any:
        value = OVERDUE
        with anyio.move_on_after(seconds) as scope:
            value = await coroutine
        return OVERDUE if scope.cancel_called else value

    def is_cancellation(self, error: BaseException) -> bool:
        return self._ending and isinstance(error, self._cancelled)


def post_here() -> Callable[[Callable[[], object]], object]:
    """A function that has a callable called in the running loop, usable from any thread."""
    if on_trio():
        post: Callable[[Callable[[], object]], object] = (
            sys.modules["trio"].lowlevel.current_trio_token().run_sync_soon
        )
        return post
    import asyncio  # noqa: PLC0415 - not needed on trio

    return asyncio.get_running_loop().call_soon_threadsafe
