"""What one worker of the office has in hand."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from .._strategies._workers._wire import Terms
from ._parcels import Address
from ._remote import serve

if TYPE_CHECKING:
    from .._strategies._workers._host import Worker
    from ._account import Account
    from ._tasks import Task

__all__ = ["AHEAD", "Desk", "Errand", "terms"]

AHEAD = 20e-3
"""Seconds up to which a call, by its own time, may be sent to a worker that is at another: longer ones would
wait there while another worker falls idle (guessed: 100 trips)."""


class Errand(NamedTuple):
    """Something a worker was asked: a call, or a look at a callable before its calls are moved."""

    task: Task | None
    looked_at: Account | None


class Desk:
    """One worker of the office.

    Args:
        worker: The process.
    """

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.address = Address()
        self.errands: deque[Errand] = deque()
        self.reported = 0
        self.abandoned: set[Any] = set()

    def room(self) -> bool:
        """Whether it can be given one more call."""
        if not self.errands:
            return True
        if len(self.errands) > 1:
            return False
        task = self.errands[0].task
        return task is not None and task.account.own <= AHEAD

    def fallen(self) -> tuple[list[Errand], list[Errand]]:
        """What a dead worker had started, and what it had not."""
        begun = max(0, self.worker.page.started - self.reported)
        errands = list(self.errands)
        return errands[:begun], errands[begun:]


def terms(workers: int) -> Terms:
    """What a worker is told of its job: to serve calls, on a machine with so many workers."""
    return Terms(serve, lanes=workers)
