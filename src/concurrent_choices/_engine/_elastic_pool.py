"""Thread lanes that come and go while they work, each with an account."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from typing import Any, NamedTuple

from .._facts._batch import Batch
from .._inspect._bonds import refused_thread
from .._measure._congestion import Refusals
from .._runtime._mutex import Mutex
from .._strategies._lanes._thread_pool import ThreadPool
from .._strategies._lanes._threads import Lane, LanePool
from .._work._job import Job
from .._work._notes import add_note
from ._tally import Tally
from ._urgency import Urgency

__all__ = ["Counts", "ElasticPool", "explain_refusals"]

STAFFING = 3e-3
"""Seconds that starting lanes may take at a time (guessed: 40 threads where nothing computes)."""

_AFFINE = (
    "it was called outside the calling thread, which `auto` does for work that waits; "
    "in `run` and `stream` without a `timeout`, "
    "AutoStrategy(thread_safe=False) keeps it in the calling thread, or the main one of a worker process"
)


class Counts(NamedTuple):
    """What some lanes have done.

    Attributes:
        items: Items they finished.
        wall: Seconds those took, added up.
        cpu: CPU seconds of the lanes' threads in them.
        spent: CPU seconds of the lanes' threads in all.
        quickest: Seconds of the quickest; infinite where there is none.
    """

    items: int = 0
    wall: float = 0.0
    cpu: float = 0.0
    spent: float = 0.0
    quickest: float = inf

    def plus(self, other: Counts) -> Counts:
        """Both together."""
        one, two = self, other  # written out: this is done for every lane that leaves
        quickest = min(one.quickest, two.quickest)
        return Counts(
            one.items + two.items, one.wall + two.wall, one.cpu + two.cpu, one.spent + two.spent, quickest
        )

    def minus(self, other: Counts) -> Counts:
        """What has been added since."""
        one, two = self, other
        return Counts(
            one.items - two.items, one.wall - two.wall, one.cpu - two.cpu, one.spent - two.spent, one.quickest
        )


class ElasticPool(LanePool):
    """A pool whose number of lanes may change at any moment.

    Attributes:
        workers: Lanes there are to be.
        errors: How many items raised what means "too many at once".
        limited: Whether items in flight are: none begins where as many as may be have yet to end elsewhere.
        latest: Values of the batch that was handed over last.
        urgency: What its lanes give way to, from one batch to the next.
        refusal: Why there is no lane at all, though there were to be some; else None.
    """

    def __init__(
        self,
        job: Job,
        thread_pool: ThreadPool,
        *,
        urgency: Urgency | None = None,
        body: Callable[[Lane], None] | None = None,
        limited: bool = False,
    ) -> None:
        super().__init__(job, thread_pool, workers=1, body=body or _work)
        self.limited = limited
        self.urgency = urgency or Urgency()
        self.workers = 0
        self.errors = 0
        self._refusals = Refusals()
        self.latest: Sequence[Any] = ()
        self.refusal: Exception | None = None
        self._ceiling = sys.maxsize  # lanes at most, once one could not be started
        self._staffing = Mutex()
        self._leaving: set[Lane] = set()
        self._tallies: set[Tally] = set()
        self._gone = Counts()  # of lanes that have ended

    # The conductor's and the caller's side

    def resize(self, workers: int) -> None:
        """Have so many lanes: new ones at the next `staff`, surplus ones leave after their present batch.

        Once one could not be started, there are never more than there were then.
        """
        self.workers = workers = min(workers, self._ceiling)
        self.job.source.window.staffed(workers)
        self._appetite = max(self._appetite, 2 * workers)
        self.nudge()

    def staff(self) -> None:
        """Start lanes while there is something for them to claim; from any thread.

        Each start waits for the new thread to get the GIL, so lanes that compute are joined by few at a time.
        """
        until = time.monotonic() + STAFFING
        with self._staffing:
            while self.lacks_lanes and time.monotonic() < until:
                self.refusal = None  # before the start: a lane may be up, and fail to begin, in no time
                if not self._start_lane():
                    break
        self.invite()
        if self.job.source.finished and not self._lanes:
            self.outbox.ring()  # others took the last items: no lane is there to say that there are no more

    def _refuse(self, error: Exception) -> None:
        """Make do with the lanes there are; where there is none, the caller must go on."""
        self.workers = self._staying
        self._ceiling = max(1, self.workers)
        self.refusal = None if self.workers else error

    @property
    def refused(self) -> int:
        """How many items raised what means that, or may."""
        return self._refusals.seen

    @property
    def lacks_lanes(self) -> bool:
        """Whether there shall be more lanes, and is something for them to claim."""
        return self._staying < self.workers and self.job.source.ready > 0 and not self.job.stopped

    @property
    def busy(self) -> int:
        """How many lanes are still there, those that are to leave too."""
        return len(self._lanes)

    def collect(self) -> Iterator[Batch]:
        """What the lanes have done since the last time."""
        self._raise_crash()
        if self.outbox:
            batches = self.outbox.take()
            self.latest = batches[-1].values
            yield from batches

    def rest(self) -> None:
        """Have items brought, if there are none, and wait unless there is something to collect."""
        if not self.job.source.ready:
            self.job.source.hunger(self.outbox.ring)  # else that ends the wait as it begins, again and again
        if not self.outbox:
            self.wait()

    # What the conductor counts

    def counts(self) -> Counts:
        """What all lanes together have done."""
        # Lane by lane in plain sums: it is done at each look, however many lanes there are.
        with self._lock:
            items, wall, cpu, spent, quickest = self._gone
            for tally in self._tallies:
                items += tally.items
                wall += tally.wall
                cpu += tally.cpu
                spent += tally.spent()
                quickest = min(quickest, tally.quickest)
        return Counts(items, wall, cpu, spent, quickest)

    def tallies(self) -> list[Tally]:
        """The accounts of the lanes there are."""
        with self._lock:
            return list(self._tallies)

    # The lanes' side

    @contextmanager
    def account(self) -> Generator[Tally]:
        """A lane's, from its beginning to its end."""
        tally = Tally()
        with self._lock:
            self._tallies.add(tally)
        try:
            yield tally
        finally:
            with self._lock:
                self._tallies.discard(tally)
                if tally.items:
                    done = Counts(tally.items, tally.wall, tally.cpu, tally.spent(), tally.quickest)
                    self._gone = self._gone.plus(done)

    def is_surplus(self, lane: Lane) -> bool:
        """Whether this lane shall leave, once what it has claimed is done."""
        if self._staying <= self.workers:
            return False
        with self._lock:
            if self._staying <= self.workers:
                return False
            self._leaving.add(lane)
            return True

    def leave(self, lane: Lane) -> None:
        """A lane ends."""
        with self._lock:  # at once, or `_staying` would be wrong in between
            self._leaving.discard(lane)
            self._lanes.discard(lane)
        super().leave(lane)

    @property
    def _staying(self) -> int:
        """Lanes that were not told to leave."""
        return len(self._lanes) - len(self._leaving)

    def inspect(self, batch: Batch) -> None:
        """Count errors that mean "too many at once", and explain those about threads."""
        errors = explain_refusals(batch, tolerant=self.job.return_exceptions)
        with self._lock:
            self.errors += self._refusals.heed(errors, len(batch.values), self.workers)


def explain_refusals(batch: Batch, *, tolerant: bool) -> list[BaseException]:
    """Add to errors about the wrong thread how to avoid it; the errors that stand among the values."""
    standing: list[BaseException] = []
    if tolerant:  # else one among the values is what a call returned, and not ours
        standing = [value for value in batch.values if isinstance(value, BaseException)]
    for error in (*standing, batch.error):
        if error is not None and refused_thread(error):
            add_note(error, _AFFINE)
    return standing


def _work(lane: Lane) -> None:
    """A lane's body: as `perform_claims`, with an account, and leaving when told to."""
    pool = lane.pool
    assert isinstance(pool, ElasticPool)
    perform, mark = pool.job.performer, lane.mark
    with pool.account() as tally:
        while not pool.is_surplus(lane) and (claim := lane.claim()) is not None:
            tally.begin()
            batch = perform(claim, mark)
            tally.end(len(batch.values))
            if batch.error is not None or pool.job.return_exceptions:
                pool.inspect(batch)
            if not lane.hand_over(claim, batch):
                return
            pool.urgency.give_way()
