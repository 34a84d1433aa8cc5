"""Lanes as asyncio tasks, on whichever loop implementation is running."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import Context
from math import inf
from typing import Any, Self

from ..._runtime._limited import cancel_all, limited
from ._task_pool import Body

__all__ = ["AsyncioHost"]


class AsyncioHost:
    """A `LoopHost` for asyncio. Make it on its loop: from then on others may have that call something."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._bell = asyncio.Event()
        self._failure: BaseException | None = None
        self._loop = asyncio.get_running_loop()
        self._ending = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exc_info: object) -> None:
        self._ending = True
        over = {task for task in self._tasks if task.done()}  # so lately that the loop has yet to say so
        await cancel_all(self._tasks)
        for task in over:
            self._ended(task)
        if kind is None:
            self._raise_failure()

    def spawn(self, body: Body, context: Context) -> None:
        # Not by the loop, which may be set to begin tasks at once: lanes that start the next would pile up.
        task = asyncio.Task(body(context), loop=self._loop, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            # No item's, as those are caught: nobody would ever know, if it were not raised here.
            self._failure = failure
            self.wake()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def wake(self) -> None:
        self._bell.set()

    def wake_soon(self) -> None:
        self.call_soon(self._bell.set)

    def call_soon(self, call: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop has closed: nobody waits any more
            self._loop.call_soon_threadsafe(call)

    async def wait(self, seconds: float) -> None:
        if seconds == inf:
            await self._bell.wait()
        else:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._bell.wait(), seconds)
        self._bell.clear()
        self._raise_failure()

    async def breathe(self) -> None:
        await asyncio.sleep(0)

    async def limited(self, coroutine: Coroutine[Any, Any, Any], seconds: float) -> Any:
        return await limited(coroutine, seconds)

    def is_cancellation(self, error: BaseException) -> bool:
        return self._ending and isinstance(error, asyncio.CancelledError)
