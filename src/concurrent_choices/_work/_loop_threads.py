"""Threads for the loops that we make ourselves."""

from __future__ import annotations

import asyncio
import sys

__all__ = ["MOST", "give_threads", "new_loop", "with_threads"]

MOST = 64
"""Threads that `asyncio.to_thread` may use in one loop (guessed, as where a `def` waits)."""


def with_threads(loop: asyncio.AbstractEventLoop) -> asyncio.AbstractEventLoop:
    """A loop whose items that wait in threads do so at once.

    A loop has four threads more than processors by itself, however many items it has in flight.
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - auto's loops load it only where it is used

    loop.set_default_executor(ThreadPoolExecutor(MOST, thread_name_prefix="asyncio"))
    return loop


def new_loop() -> asyncio.AbstractEventLoop:
    """A loop of asyncio's own, with such threads."""
    return with_threads(asyncio.new_event_loop())


def give_threads() -> None:
    """The same for the running loop, unless nobody has loaded thread pools: then no item uses them."""
    if "concurrent.futures.thread" in sys.modules:
        with_threads(asyncio.get_running_loop())
