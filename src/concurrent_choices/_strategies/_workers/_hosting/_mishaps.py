"""What becomes of items that cannot travel, or whose worker has ended."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...._errors import NotPicklableError, ResultLostError, WorkerDiedError
from ...._facts._batch import Batch, Claim
from ...._inspect._words import show
from ...._work._job import Job
from ...._work._watched import time_up
from ._worker_queue import WorkerQueue

__all__ = ["ATTEMPTS", "Mishaps"]

ATTEMPTS = 3
"""Times an idempotent item is called, or what ends its reader is read, before it is given up (guessed)."""

_AMONG = "its worker had items {} in hand at once; nobody knows which of them {}"

_KILLED = "its worker process was killed and replaced"


class Mishaps:
    """Those of one job: its items are sent again, by themselves or not, or given up.

    Args:
        put: Given what stands in the place of those that are given up.
        refuse: Told of an item that cannot travel, and why; it was not started.

    Attributes:
        alone: Items that are to be sent again, each by itself.
    """

    def __init__(self, job: Job, put: Callable[[Batch], None], refuse: Callable[[Claim, str], None]) -> None:
        self._job = job
        self._put = put
        self._refuse = refuse
        self.alone: deque[Claim] = deque()
        self._attempts = Counter[int]()

    def counted(self, index: int) -> int:
        """How often a worker has ended by an item, or by `A_JOB`, this time included."""
        self._attempts[index] += 1
        return self._attempts[index]

    def fail(self, index: int, error: Exception) -> None:
        """Give up an item."""
        if self._job.return_exceptions:
            self._put(Batch(index, [error]))
        else:
            self._job.source.close()
            self._put(Batch(index, [], error))

    def again(self, queue: WorkerQueue) -> Claim | None:
        """What to send a worker again, if there is something that it can have.

        What is called for the last time must have no company: of many in hand nobody knows which has ended
        their worker, and one that always does would take its neighbours with it, whoever they are.
        """
        for place, claim in enumerate(self.alone):
            if self._attempts[claim.start] < ATTEMPTS - 1 or queue.seclude(claim.start):
                del self.alone[place]
                return claim
        return None

    # What cannot travel

    def single_out(self, claim: Claim, reason: str) -> None:
        """Refuse an item that cannot travel; of several send each by itself, to find it."""
        if len(claim.items) > 1:
            self._separate(claim)
        else:
            self._refuse(claim, reason)

    def unreadable(self, claim: Claim, reason: str) -> None:
        """Results came in one piece that cannot be read; nobody knows which of them is to blame."""
        for index, item in enumerate(claim.items, claim.start):
            self.fail(index, NotPicklableError(index, show(item), "result", reason))

    # What a worker leaves that has ended, with an exit code

    def unstarted(self, claims: Iterable[Claim], reading: int, code: int | None) -> None:
        """It had not started these; the one that it was `reading`, as `Page` has it, may be to blame."""
        for claim in claims:
            if claim.start == reading - 1:
                self._take_unread(claim, code)
            else:
                self._job.source.give_back(claim)

    def overdue(self, running: Sequence[tuple[int, Any]]) -> None:
        """It was killed for the items that it was at."""
        for index, item in running:
            error = time_up(index, item, self._job.timeout or 0.0, _KILLED)
            _note_company(error, running, "held it up")
            self.fail(index, error)

    def died(self, running: Sequence[tuple[int, Any]], pid: int, code: int | None) -> None:
        """It ended by itself at these items."""
        for index, item in running:
            error = WorkerDiedError(index, show(item), pid, code)
            _note_company(error, running, "ended it")
            self._bury(index, item, error)

    def lost(self, done: Iterable[tuple[int, Any]], pid: int, code: int | None) -> None:
        """It had started these before the last one, and their results did not arrive."""
        for index, item in done:
            self._bury(index, item, ResultLostError(index, show(item), pid, code))

    def _take_unread(self, claim: Claim, code: int | None) -> None:
        """A worker ended as it read these items: each is sent by itself, and not for ever."""
        if len(claim.items) > 1 or self.counted(claim.start) < ATTEMPTS:
            self._separate(claim)
        else:
            reason = f"{ATTEMPTS} worker processes ended as they read it, the last with exit code {code}"
            self._refuse(claim, reason)

    def _separate(self, claim: Claim) -> None:
        """Send each item by itself."""
        self.alone.extend(Claim(index, [item]) for index, item in enumerate(claim.items, claim.start))

    def _bury(self, index: int, item: Any, error: WorkerDiedError) -> None:
        """Report a started item whose worker died, or call it again where that is allowed."""
        again = self.counted(index) < ATTEMPTS or type(error) is ResultLostError
        if self._job.idempotent and again:
            self.alone.append(Claim(index, [item]))
        else:
            self.fail(index, error)


def _note_company(error: Exception, running: Sequence[tuple[int, Any]], did: str) -> None:
    """Note on an item's error which others its worker was at, if any."""
    if len(running) > 1:
        error.add_note(_AMONG.format(", ".join(str(index) for index, _ in running), did))
