"""The calling thread's part in a run of a `def`: it performs items, or hands over what others did."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .._facts._batch import Batch, Claim
from .._strategies._lanes._threads import LONG
from .._work._pace import Pace, share_of_rest
from ._elastic_pool import ElasticPool
from ._tally import Tally

if TYPE_CHECKING:
    from .._judge._controller._sight import Arrangement

__all__ = ["Caller"]

FEW = 4
"""Items of a batch of the usual length that keep others waiting between the calls: such of a quarter of a
millisecond and more (guessed)."""


class Caller:
    """What the calling thread does. It is made and used there; only orders come from other threads.

    Between two batches it gives way to what is urgent. A lane may do its calls instead (`stands_in`). It
    makes none while as many lanes as there may be, `most`, are at work.

    Attributes:
        relieved: Whether it is to perform no items.
        processes: Worker processes that are to have the items, if any are.
        inside: Lanes in each of them; 0 while items stay here.
        retires: Whether somebody else goes on with what nobody has claimed.
    """

    def __init__(self, pool: ElasticPool, tally: Tally, *, stands_in: bool, most: int) -> None:
        self.relieved: bool = False
        self.processes = self.inside = 0
        self.retires = False
        self._performing = False
        self._job = pool.job
        self._pool = pool
        self._tally = tally
        self._stands_in = stands_in
        self._most = most
        self._pace = Pace()
        self._due: list[Any] = []
        self._question: Callable[[], object] | None = None
        pool.job.on_stop(self._due.clear)

    @property
    def is_over(self) -> bool:
        """Whether everything is done and handed over, or what was claimed is."""
        return (self._job.source.finished or self.retires) and not self._pool.busy and not self._pool.outbox

    @property
    def may_call(self) -> bool:
        """Whether it performs items, or may begin one before it has seen that it is relieved."""
        return self._performing or not self.relieved

    def order(self, arrangement: Arrangement) -> bool:
        """Tell it what to do from now on, from any thread; whether that differs from before."""
        changed = arrangement.relieved != self.relieved or arrangement.outside != bool(self.inside)
        self.relieved = arrangement.relieved
        self.processes = arrangement.processes
        self.inside = arrangement.inside if arrangement.outside else 0
        self.retires = arrangement.stage == "loop"
        return changed or self.retires

    def ask(self, question: Callable[[], object]) -> None:
        """Have it do something between two calls, soon; from any thread."""
        self._question = question
        self.interrupt()
        self._pool.outbox.ring()

    def _answer(self) -> None:
        question, self._question = self._question, None
        if question is not None:
            question()

    def interrupt(self) -> None:
        """End the present batch, once the item it is at is over; from any thread."""
        self._due.clear()

    def hasten(self) -> None:
        """Interrupt the present batch if it takes too long."""
        began = self._tally.began
        if began and time.monotonic() - began > LONG:
            self.interrupt()

    def batches(self) -> Iterator[Batch]:
        """Perform items, or have lanes do it, until something else is ordered."""
        return self._tend() if self.relieved or self._stands_in else self._work()

    def _work(self) -> Iterator[Batch]:
        self._performing = True
        try:
            yield from self._perform()
        finally:
            self._performing = False

    def _perform(self) -> Iterator[Batch]:
        """Perform items here, and hand over what lanes did meanwhile."""
        job, pool, tally, pace = self._job, self._pool, self._tally, self._pace
        source = job.source
        while not self.is_elsewhere:
            if self._question is not None:
                self._answer()
                continue
            pool.feed()
            if pool.busy >= self._most:  # some that are to leave are at their last items
                yield from self._rest()
                continue
            size = pace.size
            if pool.workers and size > 1:
                size = share_of_rest(size, source.remaining, pool.workers + 1)
            claim = source.claim(size)
            if claim is None:
                yield from self._idle()
                return
            tally.begin()
            batch = self._batch_of(claim)
            pace.took(tally.end(len(batch.values)), len(batch.values))
            pool.latest = batch.values
            source.performed(claim, batch)
            yield batch
            if pool.workers or pool.busy:
                pool.staff()
            yield from pool.collect()
            if pace.size < FEW:  # shorter ones keep nobody waiting
                pool.urgency.give_way_briefly()

    def _batch_of(self, claim: Claim) -> Batch:
        """What comes of a claim, or of those of its items before somebody interrupts it."""
        performer, due = self._job.performer, self._due
        if performer.quick:
            return performer(claim)
        due[:] = claim.items
        if self.is_elsewhere:  # said when there was nothing to interrupt
            due.clear()
        return performer(claim, due=due)

    @property
    def is_elsewhere(self) -> bool:
        """Whether items are to be performed by others, or by nobody."""
        return self.relieved or self.inside > 0 or self._job.stopped

    def _idle(self) -> Iterator[Batch]:
        """Nothing can be claimed now: lanes are still busy, or items have yet to come."""
        yield from self._pool.collect()
        if not self.is_over and not self._job.source.ready:
            yield from self._rest()

    def _rest(self) -> Iterator[Batch]:
        """Wait for lanes, and hand over what they did."""
        self._pool.rest()
        yield from self._pool.collect()

    def _tend(self) -> Iterator[Batch]:
        """Bring items for the lanes, and hand over what they did."""
        pool, job = self._pool, self._job
        while (self.relieved or self._stands_in) and not self.inside and not job.stopped:
            if self._question is not None:
                self._answer()
                continue
            pool.feed()
            pool.staff()
            yield from pool.collect()
            if self.is_over:
                return
            if pool.refusal is not None:
                if self._stands_in:
                    raise pool.refusal
                self.relieved = False  # nobody else is there to do it
                return
            if not pool.lacks_items:
                pool.rest()

    def drain(self) -> Iterator[Batch]:
        """Wait for lanes that are at their last item, processes having done theirs."""
        pool = self._pool
        while pool.busy and not self._job.stopped:
            if self._job.source.ready:
                self.inside = 0  # given back: this thread takes it
                return
            pool.nudge()
            yield from self._rest()
        yield from pool.collect()
