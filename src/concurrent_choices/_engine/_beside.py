"""What is done in a thread of its own while a run goes on."""

from __future__ import annotations

from collections.abc import Callable

from .._strategies._lanes._thread_pool import ThreadPool

__all__ = ["order_beside"]


def order_beside(thread_pool: ThreadPool, order: Callable[[], None], bar: Callable[[str], None]) -> None:
    """Order worker processes in a thread of its own; where there is none to be had, bar them."""
    try:
        thread_pool.start(order)
    except RuntimeError as error:
        bar(f"worker processes cannot be started here ({error})")
