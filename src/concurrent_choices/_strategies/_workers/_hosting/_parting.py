"""The end of a job: idle workers stay with their host, busy ones get a moment to become idle."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextvars import Context

from .._between._wire import Kind
from ._child import readable
from ._host import Host
from ._worker_queue import WorkerQueue

__all__ = ["part"]

MERCY = 0.02
"""Seconds a busy worker gets to end its batch before it is killed (guessed: what a new one costs)."""


def part(queues: Iterable[WorkerQueue], host: Host, number: int, context: Context) -> None:
    """Leave idle workers to the host; end the others. What they log meanwhile is handled in a context."""
    left = [queue for queue in queues if queue.worker in host.workers]  # the host may have been closed
    busy = [queue for queue in left if not queue.idle or not queue.worker.ready]
    for queue in busy:
        queue.worker.page.cancelled = number
    until = time.monotonic() + MERCY
    for queue in busy:
        _let_finish(queue, number, until, context)
        if not queue.idle:
            host.dismiss(queue.worker)


def _let_finish(queue: WorkerQueue, number: int, until: float, context: Context) -> None:
    """Listen to a worker until it is idle or the time has come."""
    worker = queue.worker
    try:
        while not queue.idle and (left := until - time.monotonic()) > 0:
            if not readable(worker.link.fileno(), left):
                break
            for message in worker.hear(lambda: context):
                if message.job == number and message.kind == Kind.DONE:
                    queue.reported(message.start, 1)
    except (EOFError, KeyError):
        pass
