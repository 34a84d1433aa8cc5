"""What one worker of the process pool has in hand."""

from __future__ import annotations

from collections import deque
from contextvars import Context
from typing import TYPE_CHECKING, Any, NamedTuple

from ._account import Account
from ._packing import SentCallables
from ._tasks import Task

if TYPE_CHECKING:
    from .._strategies._workers._host import Worker

__all__ = ["AHEAD", "Assignment", "CallQueue", "Inquiry"]

AHEAD = 20e-3
"""Seconds up to which a call, by its own time, may be sent to a worker that is at another: longer ones would
wait there while another worker falls idle (guessed: 100 trips)."""


class Inquiry(NamedTuple):
    """A look at a callable, to be had of a worker before its calls are moved there."""

    account: Account
    fn: Any


Assignment = Task | Inquiry
"""What a worker was asked for."""


class CallQueue:
    """One worker of the process pool.

    Args:
        worker: The process.

    Attributes:
        dropped: Whether its worker was ended here, whatever it was at.
    """

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.sent = SentCallables()
        self.assignments: deque[Assignment] = deque()
        self.reported = 0
        self.dropped = False

    def room(self) -> bool:
        """Whether it can be given one more call."""
        if not self.assignments:
            return True
        if len(self.assignments) > 1:
            return False
        first = self.assignments[0]
        if isinstance(first, Inquiry):
            return False
        known = first.account.figures  # nothing, at first: then it may take for ever
        return not known.is_new and known.own <= AHEAD

    def context(self) -> Context:
        """The submitter's context of the call that it makes; an empty one where it makes none."""
        first = self.assignments[0] if self.assignments else None
        return first.context if isinstance(first, Task) else Context()

    def begun(self) -> int:
        """How many calls it has started that it has not been heard to have ended."""
        return max(0, self.worker.page.started - self.reported)

    def fallen(self) -> tuple[list[Assignment], list[Assignment]]:
        """What a dead worker had started, and what it had not."""
        begun = self.begun()
        assignments = list(self.assignments)
        return assignments[:begun], assignments[begun:]
