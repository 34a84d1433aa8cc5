"""Threads, as many as a verdict has found best, and `auto` in their place once calls are turned away."""

from __future__ import annotations

import time
from collections.abc import Iterator

from .._facts._batch import Batch
from .._judge._controller._sight import Prior
from .._measure._congestion import Refusals
from .._runtime._contexts import share
from .._strategies._lanes._keeper import thread_keeper
from .._strategies._lanes._thread_pool import ThreadPool
from .._strategies._lanes._threads import Lane, LanePool
from .._work._job import Job
from ._automatic import Automatic

__all__ = ["GivingWay"]

_TURNED_AWAY = "half of the threads are left, as calls were turned away"


class GivingWay:
    """So many threads for a `def`; half of them, and fewer if need be, once errors mean "too many at once".

    `auto` would see those too, but looks at much else meanwhile: that is a quarter of the time of calls that
    take a millisecond. So it comes only after them.
    """

    name = "thread"

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def execute(self, job: Job) -> Iterator[Batch]:
        """Perform a job whose exceptions are results; others end it anyway."""
        around, threads, began, done = job.lanes, share(self._threads), time.monotonic(), 0
        job.crowd(job.source.fitting(threads))
        with thread_keeper(self.name).lend() as thread_pool:
            for batch in _Threads(job, thread_pool, threads):
                done += len(batch.values)
                yield batch
        if job.stopped or job.source.finished:
            return
        job.surround(around)  # those of `auto` are others
        fewer, each = max(1, threads // 2), (time.monotonic() - began) / max(1, done)
        prior = Prior("waiting", fewer, each, reason=_TURNED_AWAY)
        # Of its limit `auto` takes this run's share itself, if it is one of several.
        yield from Automatic(concurrency=max(1, self._threads // 2), prior=prior).execute(job)


class _Threads(LanePool):
    """Lanes that all leave after their present batch, once errors mean that there are too many of them."""

    def __init__(self, job: Job, thread_pool: ThreadPool, threads: int) -> None:
        super().__init__(job, thread_pool, workers=threads, body=_until_turned_away)
        self._turned_away = False
        self._refusals = Refusals()

    @property
    def retires(self) -> bool:
        return self._turned_away

    def inspect(self, batch: Batch) -> None:
        """Have all lanes leave if calls were turned away."""
        errors = [value for value in batch.values if isinstance(value, BaseException)]
        if self._refusals.heed(errors, len(batch.values), self.workers):
            self._turned_away = True


def _until_turned_away(lane: Lane) -> None:
    pool = lane.pool
    assert isinstance(pool, _Threads)
    perform = pool.job.performer
    while not pool.retires and (claim := lane.claim()) is not None:
        batch = perform(claim, lane.mark)
        pool.inspect(batch)
        if not lane.hand_over(claim, batch):
            return
