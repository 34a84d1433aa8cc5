"""A clock for pytest-benchmark that counts only what happens inside coroutines."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

__all__ = ["InsideClock"]

Hop = Callable[[Callable[[], Coroutine[Any, Any, Any]]], Any]
"""Runs a coroutine function on a loop, to its end, and returns what it returned."""


class InsideClock:
    """A timer whose time, in seconds, stands still on the way into a loop and back.

    pytest-benchmark reads it before and after a plain call. Where that call hops to a loop, `visit` notes
    what the hop took beyond the coroutine itself, and the clock goes on from there.
    """

    __name__ = "inside the loop"  # pytest-benchmark prints what a timer is called

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._outside = 0.0

    def __call__(self) -> float:
        """Seconds, without those on the way."""
        return self._now() - self._outside

    def visit(self, hop: Hop, call: Callable[[], Awaitable[Any]]) -> Any:
        """Await `call()` on the loop that `hop` leads to.

        Raises:
            Exception: Whatever the call raises.
        """
        inside = 0.0

        async def timed() -> Any:
            nonlocal inside
            began = self._now()
            try:
                return await call()
            finally:
                inside = self._now() - began

        began = self._now()
        try:
            return hop(timed)
        finally:
            self._outside += self._now() - began - inside
