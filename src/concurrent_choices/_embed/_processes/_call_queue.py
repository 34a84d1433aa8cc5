"""What one worker of the process pool has in hand."""

from __future__ import annotations

from collections import deque
from contextvars import Context
from typing import TYPE_CHECKING, Any, NamedTuple

from ..._strategies._workers._hosting._child import readable
from .._accounting._account import Account
from .._calls._tasks import Task
from ._packing import SentCallables

if TYPE_CHECKING:
    from ..._strategies._workers._hosting._host import Worker

__all__ = ["AHEAD", "JOB", "Assignment", "CallQueue", "Inquiry"]

AHEAD = 20e-3
"""Seconds up to which a call, by its own time, may be sent to a worker that is at another: longer ones would
wait there while another worker falls idle (guessed: 100 trips)."""

JOB = 1
"""The one job that each worker of the process pool has."""


class Inquiry(NamedTuple):
    """A look at a callable, to be had of a worker before its calls are moved there."""

    account: Account
    fn: Any


Assignment = Task | Inquiry
"""What a worker was asked for."""


class CallQueue:
    """One worker of the process pool.

    Attributes:
        worker: That worker.
        sent: The callables that it has been sent, and remembers.
        assignments: What it was asked for and has not answered, two at most; None for what was taken back,
            which it answers all the same.
        reported: How many calls it has been heard to have ended.
        dropped: Whether its worker was ended here, whatever it was at.
        since: When it was first seen to be at what it is at, seconds of the monotonic clock; or 0.
        halted: When it was told to begin nothing more, likewise.
    """

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.sent = SentCallables()
        self.assignments: deque[Assignment | None] = deque()
        self.reported = 0
        self.dropped = False
        self.since = 0.0
        self.halted = 0.0

    def room(self) -> bool:
        """Whether it can be given one more call."""
        if not self.assignments:
            return True
        if len(self.assignments) > 1 or self.halted or self.dropped:
            return False
        first = self.assignments[0]
        if not isinstance(first, Task):
            return False
        known = first.account.figures  # nothing, at first: then it may take for ever
        return not known.is_new and known.own <= AHEAD

    def context(self) -> Context:
        """The submitter's context of the call that it makes; an empty one where it makes none."""
        first = self.assignments[0] if self.assignments else None
        return first.context if isinstance(first, Task) else Context()

    def answered(self) -> Assignment | None:
        """What its worker has answered just now; None if that was taken back."""
        asked = self.assignments.popleft()
        self.since = 0.0
        if self.halted and not self.assignments:
            self.halted = 0.0
            self.worker.page.cancelled = 0
        return asked

    def ended(self) -> None:
        """What its worker was at has ended, and that is heard now."""
        self.reported += 1
        self.answered()

    def begun(self) -> int:
        """How many calls it has started that it has not been heard to have ended."""
        return max(0, self.worker.started - self.reported)

    def fallen(self) -> tuple[list[Assignment | None], list[Assignment | None]]:
        """What a dead worker had started, and what it had not."""
        begun = self.begun()
        assignments = list(self.assignments)
        return assignments[:begun], assignments[begun:]

    # Taking back, see `_recall`

    @property
    def behind(self) -> bool:
        """Whether something that it may not have begun lies behind what it is at."""
        return len(self.assignments) > 1 and self.assignments[1] is not None

    def halt(self, now: float) -> None:
        """Have it begin nothing more until it has answered all that it has in hand: then that is revoked."""
        self.halted = now
        self.worker.page.cancelled = JOB

    def drop(self) -> None:
        """End its worker, unless that is at its second call by now."""
        if self.worker.condemn(JOB, lambda started: started - self.reported <= 1):
            self.dropped = True
            self.worker.kill()

    def silent(self) -> bool:
        """Whether it has said nothing that was not heard here, not even the beginning of something."""
        link = self.worker.link
        return not (link.unfinished or readable(link.fileno(), 0))

    def recall(self) -> Assignment | None:
        """Take back what lies behind."""
        asked, self.assignments[1] = self.assignments[1], None
        return asked
