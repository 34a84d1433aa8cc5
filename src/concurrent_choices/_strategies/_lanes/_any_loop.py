"""What wakes a coroutine and what runs beside one, in a loop that runs already: asyncio's or trio's."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import copy_context

import anyio

from ..._runtime._running_loop import on_trio

__all__ = ["PARTING", "Background", "Bell"]

PARTING = 0.4
"""Seconds to wait at the end for what runs in the background (Ctrl-C must be back within 0.5 s)."""


class Background:
    """A coroutine that runs beside the caller in its loop, outside any task group.

    An async generator may not hold a task group open while it yields; this it may hold.
    """

    def __init__(self, body: Callable[[], Awaitable[None]]) -> None:
        self._body = body
        self._done = anyio.Event()
        self._scope = anyio.CancelScope()
        self._task: asyncio.Task[None] | None = None
        if on_trio():
            sys.modules["trio"].lowlevel.spawn_system_task(self._main, context=copy_context())
        else:
            self._task = asyncio.get_running_loop().create_task(self._run())
            # Not by the task itself, which may be cancelled before it begins.
            self._task.add_done_callback(lambda _task: self._done.set())

    async def _main(self) -> None:
        try:
            with self._scope:
                await self._run()
        finally:
            self._done.set()

    async def _run(self) -> None:
        with suppress(Exception):  # whoever waits for what it does is told of it by the body itself
            await self._body()

    def cancel(self) -> None:
        """Cancel it."""
        if self._task is not None:
            self._task.cancel()
        else:
            self._scope.cancel()

    async def finish(self) -> None:
        """Wait a moment for its end; then cancel it."""
        with anyio.move_on_after(PARTING, shield=True):
            await self._done.wait()
        if not self._done.is_set():
            self.cancel()


class Bell:
    """Wakes a coroutine, from its own loop or from any thread."""

    def __init__(self) -> None:
        self._event = anyio.Event()
        self._post = _post_here()

    def ring(self) -> None:
        """Wake it; for callers in the loop's thread."""
        self._event.set()

    def ring_soon(self) -> None:
        """Wake it; for callers in any thread."""
        self.call_soon(self.ring)

    def call_soon(self, call: Callable[[], object]) -> None:
        """Have the loop call something; for callers in any thread."""
        with suppress(RuntimeError):  # the loop has closed: nobody waits any more
            self._post(call)

    async def wait(self) -> None:
        """Wait for a ring, or take one that came before."""
        await self._event.wait()
        self._event = anyio.Event()


def _post_here() -> Callable[[Callable[[], object]], object]:
    """A function that has a callable called in the running loop, usable from any thread."""
    if on_trio():
        post: Callable[[Callable[[], object]], object] = (
            sys.modules["trio"].lowlevel.current_trio_token().run_sync_soon
        )
        return post
    return asyncio.get_running_loop().call_soon_threadsafe
