"""Threads for the loops that a run makes for itself."""

from __future__ import annotations

import asyncio
import sys

__all__ = ["MOST", "give_threads"]

MOST = 64
"""Threads that `asyncio.to_thread` may use in one loop (guessed, as where a `def` waits)."""


def give_threads() -> None:
    """Let items of the running loop that wait in threads do so at once.

    A loop has four threads more than processors by itself, however many items it has in flight. Where nobody
    has loaded thread pools, no item uses them.
    """
    pools = sys.modules.get("concurrent.futures.thread")
    if pools is not None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(pools.ThreadPoolExecutor(MOST, thread_name_prefix="asyncio"))
