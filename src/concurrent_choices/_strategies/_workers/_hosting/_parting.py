"""The end of a job: idle workers stay with their host, busy ones get a moment to become idle."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextvars import Context

from ._child import readable
from ._host import Host
from ._worker_queue import WorkerQueue

__all__ = ["part"]

MERCY = 0.02
"""Seconds a busy worker gets to end its batch before it is killed (guessed: what a new one costs)."""

TIDYING = 1.0
"""Seconds an idle one gets to end tasks that its items have left, before it is killed (guessed: some have
something to put away; one that refuses to end would keep the next job waiting)."""


def part(queues: Iterable[WorkerQueue], host: Host, number: int, context: Context, *, awaits: bool) -> None:
    """Leave idle workers to the host, once those that await have none of this job's tasks; end the others.

    What they log meanwhile is handled in a context.
    """
    left = [queue for queue in queues if queue.worker in host.workers]  # the host may have been closed
    leaving = [queue for queue in left if awaits or not queue.idle or not queue.worker.ready]
    for queue in leaving:
        queue.cease(number)
    now = time.monotonic()
    for queue in leaving:
        until = now + (TIDYING if queue.idle else MERCY)
        may_stay = queue.idle and not queue.worker.ready  # it has not begun anything
        if not may_stay and not _finishes(queue, number, until, context):
            host.dismiss(queue.worker)


def _finishes(queue: WorkerQueue, number: int, until: float, context: Context) -> bool:
    """Listen to a worker until it has nothing more to do or the time has come; whether it has not."""
    worker = queue.worker
    try:
        while (left := until - time.monotonic()) > 0 and readable(worker.link.fileno(), left):
            for message in worker.hear(lambda: context):
                if message.job == number and queue.heard_of_end(message):
                    return True
    except (EOFError, LookupError):
        pass  # it is gone; or Ctrl-C came as it was heard, and of what it says some was lost
    return False
