"""Thread lanes that come and go while they work, each with an account."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from math import inf

from .._facts._batch import Batch
from .._measure._congestion import is_congestion
from .._measure._thread_bound import refused_thread
from .._strategies._lanes._crew import Crew
from .._strategies._lanes._threads import Floor, Lane
from .._work._job import Job
from ._tally import Tally

__all__ = ["Deck"]

STAFFING = 3e-3
"""Seconds that starting lanes may take at a time (guessed: 40 threads where nothing computes)."""

_AFFINE = (
    "it was called outside the calling thread, which `auto` does for work that waits; "
    "AutoStrategy(thread_safe=False) keeps it in the calling thread"
)


class Deck(Floor):
    """A floor whose number of lanes may change at any moment.

    Args:
        job: What to do.
        crew: Where threads come from.
    """

    def __init__(self, job: Job, crew: Crew) -> None:
        super().__init__(job, crew, workers=1, body=_work)
        self.workers = 0
        self.errors = 0
        self._staffing = threading.Lock()
        self._tallies: set[Tally] = set()
        self._gone: list[tuple[int, float, float]] = []

    # The conductor's and the caller's side

    def resize(self, workers: int) -> None:
        """Have so many lanes: new ones start at once, surplus ones leave after their present batch."""
        self.workers = workers
        self.job.source.widen(2 * workers)
        self._appetite = max(self._appetite, 2 * workers)
        self.staff()

    def staff(self) -> None:
        """Start lanes while there is something for them to claim; from any thread.

        Each start waits for the new thread to get the GIL, so lanes that compute are joined by few at a time.
        """
        until = time.monotonic() + STAFFING
        with self._staffing:
            while self._lacks_lanes() and time.monotonic() < until:
                lane = Lane(self)
                with self._lock:
                    self._lanes.add(lane)
                self._crew.start(lane.run)

    def _lacks_lanes(self) -> bool:
        return len(self._lanes) < self.workers and self.job.source.ready > 0 and not self.job.stopped

    def feed(self) -> None:
        """Keep items ready, where only the calling thread may take them from the iterable."""
        if not self.job.source.ended:
            self._feed()

    @property
    def busy(self) -> bool:
        """Whether a lane is still there."""
        return bool(self._lanes)

    def collect(self) -> Iterator[Batch]:
        """What the lanes have done since the last time."""
        if self.crash is not None:
            raise self.crash
        if self.outbox:
            yield from self.outbox.take()

    def wait(self) -> None:
        """Wait for a lane to say something, or for an item to be overdue."""
        self.outbox.wait(self._expire())

    def part(self) -> None:
        """Wait a moment for lanes that are busy."""
        self._part()

    # What the conductor counts

    def counts(self) -> tuple[int, float, float, int]:
        """Items finished in lanes, the seconds they took in all, the quickest's, and lanes at work."""
        with self._lock:
            tallies, gone = list(self._tallies), list(self._gone)
        items = sum(each.items for each in tallies) + sum(each[0] for each in gone)
        seconds = sum(each.wall for each in tallies) + sum(each[1] for each in gone)
        quickest = min([each.quickest for each in tallies] + [each[2] for each in gone], default=inf)
        flying = sum(each.began > 0 for each in tallies)
        return items, seconds, 0.0 if quickest == inf else quickest, flying

    def tallies(self) -> list[Tally]:
        """The accounts of the lanes there are."""
        with self._lock:
            return list(self._tallies)

    # The lanes' side

    def enter(self) -> Tally:
        """A lane begins."""
        tally = Tally()
        with self._lock:
            self._tallies.add(tally)
        return tally

    def exit(self, tally: Tally) -> None:
        """A lane ends."""
        with self._lock:
            self._tallies.discard(tally)
            if tally.items:
                self._gone.append((tally.items, tally.wall, tally.quickest))
                if len(self._gone) > 256:  # noqa: PLR2004 - few enough to add up at every look
                    self._gone = [_added(self._gone)]

    def is_surplus(self, lane: Lane) -> bool:
        """Whether this lane shall leave; then it no longer counts."""
        if len(self._lanes) <= self.workers:
            return False
        with self._lock:
            if len(self._lanes) <= self.workers:
                return False
            self._lanes.discard(lane)
            return True

    def inspect(self, batch: Batch) -> None:
        """Count errors that mean "too many at once", and explain those about threads."""
        if batch.error is not None and refused_thread(batch.error):
            batch.error.add_note(_AFFINE)
        if self.job.return_exceptions:
            for value in batch.values:
                if isinstance(value, Exception):
                    self.errors += is_congestion(value)


def _added(gone: list[tuple[int, float, float]]) -> tuple[int, float, float]:
    items, seconds, quickest = zip(*gone, strict=True)
    return sum(items), sum(seconds), min(quickest)


def _work(lane: Lane) -> None:
    """A lane's body: as `perform_claims`, with an account, and leaving when told to."""
    deck = lane.floor
    assert isinstance(deck, Deck)
    tally = deck.enter()
    try:
        _perform(lane, deck, tally)
    finally:
        deck.exit(tally)


def _perform(lane: Lane, deck: Deck, tally: Tally) -> None:
    perform, mark = deck.job.performer, lane.mark
    settle: Callable[..., bool] = lane.hand_over if deck.job.timeout is None else lane.settle
    while not deck.is_surplus(lane) and (claim := lane.claim()) is not None:
        tally.begin()
        batch = perform(claim, mark)
        tally.end(len(batch.values))
        if batch.error is not None or deck.job.return_exceptions:
            deck.inspect(batch)
        if not settle(claim, batch):
            return
