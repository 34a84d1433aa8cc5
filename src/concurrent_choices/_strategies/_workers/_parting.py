"""The end of a job: idle workers stay with their host, busy ones get a moment to become idle."""

from __future__ import annotations

import time
from collections.abc import Iterable

from ._child import readable
from ._desk import Desk
from ._host import Host
from ._wire import Kind

__all__ = ["part"]

MERCY = 0.02
"""Seconds a busy worker gets to end its batch before it is killed (guessed: what a new one costs)."""


def part(desks: Iterable[Desk], host: Host, number: int) -> None:
    """Leave idle workers to the host; end the others.

    Args:
        desks: What the workers have in hand.
        host: Whose workers they are.
        number: The job's.
    """
    left = [desk for desk in desks if desk.worker in host.workers]  # the host may have been closed
    busy = [desk for desk in left if not desk.idle or not desk.worker.ready]
    for desk in busy:
        desk.worker.page.cancelled = number
    until = time.monotonic() + MERCY
    for desk in busy:
        _let_finish(desk, number, until)
        if not desk.idle:
            host.dismiss(desk.worker)


def _let_finish(desk: Desk, number: int, until: float) -> None:
    """Listen to a worker until it is idle or the time has come."""
    worker = desk.worker
    try:
        while not desk.idle and (left := until - time.monotonic()) > 0:
            if not readable(worker.link.fileno(), left):
                break
            for message in worker.link.receive():
                if message.job == number and message.kind == Kind.DONE:
                    desk.reported(message.start, 1)
                worker.ready = worker.ready or message.kind == Kind.READY
    except (EOFError, KeyError):
        pass
