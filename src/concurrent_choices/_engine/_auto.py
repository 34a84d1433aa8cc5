"""The strategy behind the name "auto"."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from .._facts._batch import Batch
from .._facts._numbers import plain_int_or_none
from .._facts._validators import positive_or_none
from .._platform import usable_cpus
from .._strategies._lanes._keeper import ThreadBacked
from .._strategies._lanes._threads import MOST_THREADS
from .._work._bonds import is_loop_bound
from .._work._contexts import lanes_around
from .._work._job import Job
from ._conductor import WAKING, Conductor
from ._memory import Recollection
from ._report import begin_report
from ._worker_imports import WorkerImports

if TYPE_CHECKING:
    from .._judge._controller import Controller, Limits, Prior
    from ._coroutines import LoopConductor

__all__ = ["AutoStrategy"]

KEPT = 5.0
"""Seconds for which the number of processors is kept: asking costs as much as a thousand quick items, and
quotas change by an administrator's hand (guessed)."""


@frozen
class AutoStrategy(ThreadBacked):
    """Decides while it works: how many lanes, threads or processes, and changes its mind with the evidence.

    Inside a `with` block the threads of a `def` stay for the next job.

    Args:
        max_workers: Threads at most, and processes at most.
        concurrency: Items in flight at most.
        thread_safe: Whether the callable may run in several threads of one process at once, and outside the
            calling thread. With a `timeout` it has one thread beside that, which could not give up on it.
    """

    name = "auto"
    max_workers: int | None = field(default=None, converter=plain_int_or_none, validator=positive_or_none)
    concurrency: int | None = field(default=None, converter=plain_int_or_none, validator=positive_or_none)
    thread_safe: bool = True

    def _execute(self, job: Job) -> Iterator[Batch]:
        _begin(job)
        if not job.is_async:
            return self._conduct(job)
        job.source.feed(1)
        return self._loop_conductor(job, movable=True, bound=False).batches()

    def aexecute(self, job: Job) -> AsyncIterator[Batch]:
        """Perform an `async def` job on the loop that is running."""
        self._keeper.check()
        _begin(job)
        movable = job.source.length is not None  # else somebody goes on feeding it from this loop
        return self._loop_conductor(job, movable=movable, bound=True).abatches()

    def _loop_conductor(self, job: Job, *, movable: bool, bound: bool) -> LoopConductor:
        """A run of an `async def`: its items are `movable` to other loops, its loop `bound` to the caller."""
        from .._judge._controller import LoopController  # noqa: PLC0415 - see `_controller`
        from ._coroutines import LoopConductor  # noqa: PLC0415 - asyncio costs 30 ms; a `def` does not need it

        around = lanes_around.get()
        # What may leave the caller's loop was found out there; runs on loops of ours know nothing of it.
        recollection = Recollection(job, (*self._options, around, bound))
        limits = self._limits(job, around, recollection.prior)
        if is_loop_bound(job.fn):
            # A lock that nobody waits for on one loop is waited for where there are several, and refuses.
            bound, limits = True, limits._replace(threads=1)
        controller = LoopController(
            limits, recollection.prior, movable=movable, bound=bound, items=job.source.length
        )
        return LoopConductor(job, controller, limits, recollection)

    def _conduct(self, job: Job) -> Iterator[Batch]:
        """A run of a `def`, which begins with what the last one of the same callable has learnt."""
        around = lanes_around.get()
        job.source.feed(1)
        recollection = Recollection(job, (*self._options, around))
        prior = recollection.prior
        decider = partial(self._controller, job, around, prior)
        with self._keeper.lend() as thread_pool:
            conductor = Conductor(
                job,
                decider,
                thread_pool,
                eager=prior is not None,
                patient=prior is not None and _wakes_first(prior),
                most=self._threads(around),
            )
            try:
                yield from conductor.batches()
            finally:
                recollection.settle(conductor.learnt)

    def _controller(self, job: Job, around: int, prior: Prior | None) -> Controller:
        """Who decides; for the first look, which many runs do without.

        Its modules take 4 ms to load, and asking the system for the processors 0.5 ms.
        """
        from .._judge._controller import Controller  # noqa: PLC0415 - as just said

        return Controller(self._limits(job, around, prior), prior)

    def _limits(self, job: Job, around: int, prior: Prior | None) -> Limits:
        from .._judge._controller import Limits  # noqa: PLC0415 - as above

        cpus = _cpus_at(int(time.monotonic() / KEPT)) / around
        limits = Limits(
            cpus=max(1.0, cpus),
            threads=self._threads(around),
            processes=min(max(1, round(cpus)), self._most),
            flying=self.concurrency,
        )
        if prior is not None:  # it may be run once more, by workers that rest and have imported what it needs
            return limits
        return limits._replace(imports_within=WorkerImports(job).within)

    def _threads(self, around: int) -> int:
        return max(1, self._most // around) if self.thread_safe else 1

    @property
    def _options(self) -> tuple[Any, ...]:
        """What it was made with. What is learnt is kept by these: the strategy would hold its threads."""
        return self.max_workers, self.concurrency, self.thread_safe

    @property
    def _most(self) -> int:
        return min(self.max_workers or MOST_THREADS, self.concurrency or MOST_THREADS)


def _begin(job: Job) -> None:
    if job.report is None:  # `run` begins one; this job was made by hand
        job.report = begin_report(job.name)


def _wakes_first(prior: Prior) -> bool:
    """Whether items go to workers that rest, and wake in less than one takes."""
    if prior.stage != "outside" or prior.each < WAKING:
        return False
    from .._strategies._workers._staffing import resting  # noqa: PLC0415 - the last run loaded it

    return resting()


@lru_cache(maxsize=1)
def _cpus_at(_moment: int) -> float:
    """Processors at a moment."""
    return usable_cpus()
