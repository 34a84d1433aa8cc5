"""Having worker processes ordered beside the work."""

from __future__ import annotations

from collections.abc import Callable

from .._strategies._lanes._thread_pool import ThreadPool

__all__ = ["order_beside"]


def order_beside(thread_pool: ThreadPool, order: Callable[[], None], bar: Callable[[str], None]) -> None:
    """Order worker processes in a thread of its own; where there is none to be had, bar them.

    Args:
        thread_pool: Where the thread comes from.
        order: What orders them.
        bar: Told why there will be none.
    """
    try:
        thread_pool.start(order)
    except RuntimeError as error:
        bar(f"worker processes cannot be started here ({error})")
