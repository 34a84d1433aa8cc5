"""Asking for worker processes while a run goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .._strategies._lanes._thread_pool import ThreadPool
from .._work._job import Job
from .._work._state import State
from ._urgency import Urgency

if TYPE_CHECKING:
    from ._worker_startup import WorkerStartup

__all__ = ["new_startup", "order_beside"]


def new_startup(job: Job, state: State, urgency: Urgency) -> WorkerStartup:
    """Where the worker processes of a run come up.

    Raises:
        OSError: What that takes is to be imported, and there is no descriptor to read it by.
    """
    with urgency.claimed():  # each module's file gives the GIL away some four times
        from ._worker_startup import WorkerStartup  # noqa: PLC0415 - most runs need no processes
    return WorkerStartup(job, state, urgency)


def order_beside(thread_pool: ThreadPool, order: Callable[[], None], bar: Callable[[str], None]) -> None:
    """Order worker processes in a thread of its own; where there is none to be had, bar them."""
    try:
        thread_pool.start(order)
    except RuntimeError as error:
        bar(f"worker processes cannot be started here ({error})")
