"""What wakes a coroutine, on asyncio or trio."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress

import anyio

from ..._work._running_loop import on_trio

__all__ = ["Bell"]


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
        with suppress(RuntimeError):  # the loop has closed: nobody waits any more
            self._post(self.ring)

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
    import asyncio  # noqa: PLC0415 - not needed on trio

    return asyncio.get_running_loop().call_soon_threadsafe
