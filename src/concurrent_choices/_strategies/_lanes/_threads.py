"""Lanes in threads: each claims a batch, performs it, puts it in the outbox, and claims again.

A lane ends when there is nothing to claim; the caller's thread starts it anew when there is. So no
lane ever waits for items, and there is one place that decides how many run.
"""

from __future__ import annotations

import time
from functools import partial
from math import inf

from ..._facts._batch import Batch, Claim
from ..._facts._lean import TYPE_CHECKING
from ..._runtime._contexts import share
from ..._runtime._mutex import Mutex
from ..._work._job import Job
from ..._work._pace import AIM, Pace, share_of_rest
from ..._work._watched import overdue, unless_late
from ._outbox import Outbox
from ._thread_pool import PARTING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from ._task_pool import TaskPool
    from ._thread_pool import ThreadPool

__all__ = ["LONG", "MOST_THREADS", "Lane", "LanePool", "perform_claims", "threads_for"]

LONG = 2 * AIM
"""Seconds after which a batch gives back what it has not started, a lane's if another is idle: its items are
unlike those before them (guessed)."""

APPETITE = 4096
"""Most items kept ready from an iterable that only the caller's thread may advance (guessed: some
milliseconds of the shortest calls)."""

LASTING = 0.02
"""Seconds for which what is kept ready is enough, as items may be large (guessed: to wake who brings more,
once it has gone, takes a hundredth of that)."""

MOST_THREADS = 256
"""Most threads that stand in for tasks, whatever the concurrency (guessed: 3 MB of stacks in use)."""


class LanePool:
    """All thread lanes of one job, seen from the caller's thread.

    There are `workers` of them at most, in batches of a fixed size or of one that adapts. A lane's `body` is
    `perform_claims`, or another way of working off the source.

    Attributes:
        starving: Whether a lane found nothing to claim: others then give back what they have not started.
        crash: What ended a lane though no item raised it; raised in the caller's thread.
        nudges: Have loops in lanes look whether there are items, each by what tells whether it has room.
    """

    def __init__(
        self,
        job: Job,
        thread_pool: ThreadPool,
        *,
        workers: int,
        batch: int | None = None,
        body: Callable[[Lane], None] | None = None,
    ) -> None:
        self.job = job
        self.workers = workers
        self.batch = 1 if job.timeout is not None else batch
        self.outbox = Outbox(job.linger, job.sink)
        self.starving = False
        self.crash: BaseException | None = None
        self._thread_pool = thread_pool
        self.body = body or perform_claims
        self._lock = Mutex()
        self._lanes: set[Lane] = set()
        self._appetite = 2 * workers
        self._fed = -inf  # when nothing was ready last
        job.source.window.staffed(workers)
        if body is None and self.batch == 1:
            job.source.hand_out_singly()
        self.nudges: dict[Callable[[], None], TaskPool] = {}
        job.on_stop(self.outbox.ring)
        job.source.on_change(self.outbox.ring)
        job.source.on_hunger(self.outbox.ring)

    def __iter__(self) -> Iterator[Batch]:
        source, outbox = self.job.source, self.outbox
        self.job.tend = self.tend
        try:
            while not self.job.stopped:
                self._raise_crash()
                self.feed()
                self.staff()
                yield from outbox.take()
                if not self._lanes and not outbox:
                    self._raise_crash()  # the last lane's, too
                    if source.finished or self.retires:
                        return
                if self._lacks_lanes or self.lacks_items:
                    self.expire()
                    continue  # an iterable that is slow gives few at a time: others may have begun meanwhile
                self.wait()
        finally:
            self._end()

    @property
    def _lacks_lanes(self) -> bool:
        return self.job.source.claimable and len(self._lanes) < self.workers and not self.retires

    @property
    def lacks_items(self) -> bool:
        """Whether to take more from a slow iterable while all lanes work, or they would wait for it later.

        Not where the next takes so long that a result would be kept from whoever waits for it.
        """
        job, source = self.job, self.job.source
        if source.closed or not source.pause or not source.may_pull or self.retires:
            return False
        waited_for = job.linger < inf or job.timeout is not None
        return source.ready < self._appetite and source.room > 0 and not (waited_for and source.hesitates)

    @property
    def retires(self) -> bool:
        """Whether no lane begins any more, so that others may do what those there are leave."""
        return False

    def _end(self) -> None:
        """Begin no item more, unless others are to do the rest."""
        if self._lanes or not self.retires:
            self.job.stop()
            self.part()

    def _raise_crash(self) -> None:
        if self.crash is not None:
            raise self.crash

    def tend(self) -> None:
        """Give up on what is overdue, bring items and start lanes, between two batches."""
        try:
            self.expire()
            if not self.job.source.hesitates:  # else what is due already would wait for what is not
                self.feed()
            self.staff()
        except Exception as error:  # noqa: BLE001 - raised in its turn: results that are due already come first
            self.crash = error

    def feed(self) -> None:
        """Keep items ready, where only the caller's thread may take them from the iterable."""
        source = self.job.source
        if source.ended:
            return
        if not source.ready:
            now = time.perf_counter()
            if now - self._fed < LASTING:
                self._appetite = min(2 * self._appetite, APPETITE)
            self._fed = now
        source.feed(self._appetite, partial(self._begin, len(self.outbox)) if self.workers else None)

    def _begin(self, batches: int) -> None:
        """Start lanes for what has just come, unless items end at once, so that more batches are there."""
        if len(self.outbox) <= batches:
            self.staff()

    def wait(self) -> None:
        """Wait for a lane to say something, or for an item to be overdue."""
        self.outbox.wait(self.expire())

    def staff(self) -> None:
        """Start lanes while there is something for them to claim."""
        source = self.job.source
        # A lane is up before the next is started, so what `ready` says has its claim taken off already.
        for _ in range(0 if self.retires else min(source.ready, self.workers - len(self._lanes))):
            if not (source.ready and self._start_lane()):
                break
        self.invite()

    def nudge(self) -> None:
        """Have loops in lanes see for themselves whether there are items, and whether they shall go."""
        for nudge in list(self.nudges):
            nudge()

    def invite(self) -> None:
        """Have loops see whether there are items: as many as there are, of those with room; at the end all.

        The others would find nothing, and each takes the GIL from who draws results: where one of 64 is drawn
        they would all be woken for the one item that there is room for. One that is at an item does not
        count, as that may block it.
        """
        source = self.job.source
        if source.finished:
            self.nudge()
            return
        ready = source.ready if self.nudges else 0
        for nudge, loop in self.nudges.copy().items():
            if ready > 0 and loop.has_room:
                ready -= loop.is_idle  # before it has begun the item
                nudge()

    def _start_lane(self) -> bool:
        """Start a lane; False where there can be no more threads, so that those there are must do."""
        lane = Lane(self)
        with self._lock:
            self._lanes.add(lane)
        try:
            self._thread_pool.start(lane.run, lane.end)
        except RuntimeError as error:
            self.do_without(lane, error)
            return False
        return True

    def do_without(self, lane: Lane, error: Exception) -> None:
        """A lane cannot begin; it has claimed nothing yet.

        Raises:
            Exception: What was the matter, where there is no other lane.
        """
        with self._lock:
            self._lanes.discard(lane)
        self._refuse(error)

    def _refuse(self, error: Exception) -> None:
        """Do with the lanes there are, if there is one."""
        self.workers = len(self._lanes)
        if not self.workers:
            raise error

    def leave(self, lane: Lane) -> None:
        """A lane ends."""
        with self._lock:
            self._lanes.discard(lane)
            rest = len(self._lanes)
        source = self.job.source
        self.starving = rest > 0
        if not rest or source.ready or not source.ended:
            self.outbox.ring()

    def expire(self) -> float:
        """Give up on items that outlast the timeout; seconds until the next one may."""
        timeout = self.job.timeout
        if timeout is None:
            return inf
        now, first = time.monotonic(), inf
        for lane in list(self._lanes):
            claim = lane.abandon(now - timeout)
            if claim is None:
                first = min(first, lane.since + timeout)
            else:
                with self._lock:
                    self._lanes.discard(lane)
                self.deliver(claim, overdue(claim, timeout, tolerant=self.job.return_exceptions))
                self.outbox.ring()
        return max(0.0, min(first, now + timeout) - now)

    def deliver(self, claim: Claim, batch: Batch) -> None:
        """Return what was not started of a claim, and hand over what came of the rest.

        In this order: a caller who has every batch, and finds the source finished, ends the run.
        """
        if self.job.source.performed(claim, batch):
            self.starving = False
            self.outbox.ring()
        self.outbox.put(batch)

    def part(self) -> None:
        """Wait a moment for lanes that are busy; a thread cannot be stopped, and a fork has none."""
        until = time.monotonic() + PARTING
        while self._lanes and not self.job.orphaned and time.monotonic() < until:
            self.outbox.take()  # for nobody: where there is something, a wait is over as it begins
            self.outbox.wait(until - time.monotonic())


class Lane:
    """One thread's part of a job.

    Attributes:
        since: When its present item began, in seconds of the monotonic clock, if items have a timeout; else
            infinite.
    """

    __slots__ = ("_began", "_claim", "_lock", "pace", "pool", "since")

    def __init__(self, pool: LanePool) -> None:
        self.pool = pool
        self.pace = Pace(pool.batch)
        self.since = inf
        self._began = 0.0
        self._claim: Claim | None = None
        self._lock = Mutex()

    def run(self) -> bool:
        """The thread's body; whether there is nothing more to do for any lane."""
        try:
            self.pool.body(self)
        except BaseException as error:  # noqa: BLE001 - the caller's thread raises it; here it would be lost
            self.pool.crash = error
        return self.pool.job.source.finished

    def end(self) -> None:
        """The thread is free for another."""
        self.pool.leave(self)

    def claim(self) -> Claim | None:
        """Take the next batch."""
        pool, size = self.pool, self.pace.size
        source = pool.job.source
        if size > 1:
            size = share_of_rest(size, source.remaining, pool.workers)
        self._claim = claim = source.claim(size)
        self._began = time.monotonic()
        return claim

    def mark(self) -> bool:
        """Whether the next item may start: not where the job has stopped or another lane is idle."""
        pool = self.pool
        if pool.job.timeout is not None:
            self.since = time.monotonic()
        elif pool.starving and time.monotonic() - self._began > LONG:
            return False
        return not pool.job.stopped

    def hand_over(self, claim: Claim, batch: Batch) -> bool:
        """Hand over a batch. Answers whether this lane goes on: not if it was given up meanwhile."""
        with self._lock:
            if self._claim is None:
                return False
            since, self._claim, self.since = self.since, None, inf
        timeout = self.pool.job.timeout
        if timeout is not None:  # whoever gives up on it may not have been given the GIL in time
            took, tolerant = time.monotonic() - since, self.pool.job.return_exceptions
            batch = unless_late(claim, batch, took, timeout, tolerant=tolerant)
        done = len(batch.values)
        self.pace.took(time.monotonic() - self._began, done)
        if done == len(claim.items):
            self.pool.outbox.put(batch)
            return True
        self.pool.deliver(claim, batch)
        return batch.error is None

    def abandon(self, since: float) -> Claim | None:
        """Give up on what this lane runs if it began by then; None where it runs nothing so old."""
        if self.since > since:
            return None
        with self._lock:
            if self.since > since:  # it has just finished that, and runs the next
                return None
            claim, self._claim, self.since = self._claim, None, inf
            return claim


def perform_claims(lane: Lane) -> None:
    """Work off the source with a `def` callable, until there is nothing to claim."""
    if lane.pool.batch == 1 and lane.pool.job.timeout is None:
        _perform_singly(lane)
        return
    perform, mark, hand_over = lane.pool.job.performer, lane.mark, lane.hand_over
    while (claim := lane.claim()) is not None:
        if not hand_over(claim, perform(claim, mark)):
            return


def _perform_singly(lane: Lane) -> None:
    """The same with one item at a time, where every tenth of a microsecond counts."""
    pool = lane.pool
    perform, claim_one, put = pool.job.performer, pool.job.source.claim, pool.outbox.put
    while (claim := claim_one()) is not None:
        batch = perform(claim)
        if batch[2] is not None:
            pool.deliver(claim, batch)
            return
        put(batch)


def threads_for(
    job: Job,
    lent: AbstractContextManager[ThreadPool],
    workers: int,
    *,
    batch: int | None = None,
    body: Callable[[Lane], None] | None = None,
) -> Iterator[Batch]:
    """A job in threads.

    They are lent for as long as it lasts; the rest is as for `LanePool`.
    """
    workers = share(workers)
    job.crowd(job.source.fitting(workers))
    with lent as thread_pool:
        yield from LanePool(job, thread_pool, workers=workers, batch=batch, body=body)
