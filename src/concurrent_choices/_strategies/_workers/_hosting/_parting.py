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
"""Seconds a busy worker gets to end its batch before it is killed (guessed: what a new one costs), and an
idle one to end tasks that its items have left."""


def part(queues: Iterable[WorkerQueue], host: Host, number: int, context: Context, *, awaits: bool) -> None:
    """Leave idle workers to the host, once those that await have none of this job's tasks; end the others.

    What they log meanwhile is handled in a context.
    """
    left = [queue for queue in queues if queue.worker in host.workers]  # the host may have been closed
    leaving = [queue for queue in left if awaits or not queue.idle or not queue.worker.ready]
    for queue in leaving:
        queue.cease(number)
    until = time.monotonic() + MERCY
    for queue in leaving:
        busy = not queue.idle
        if (busy or queue.worker.ready) and not _finishes(queue, number, until, context) and busy:
            host.dismiss(queue.worker)


def _finishes(queue: WorkerQueue, number: int, until: float, context: Context) -> bool:
    """Listen to a worker until it has nothing more to do or the time has come; whether it has not."""
    worker = queue.worker
    try:
        while (left := until - time.monotonic()) > 0 and readable(worker.link.fileno(), left):
            for message in worker.hear(lambda: context):
                if message.job == number and queue.heard_of_end(message):
                    return True
    except (EOFError, KeyError):
        pass
    return False
