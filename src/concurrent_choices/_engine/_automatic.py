"""The strategy "auto": how its runs begin, and what they know by then.

`_auto` is the same for users who set limits, as a class of attrs. Importing that costs a first run 15 ms,
more than all the rest that it loads.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from .._facts._batch import Batch
from .._inspect._bonds import is_loop_bound
from .._judge._controller._controller import Controller
from .._judge._controller._sight import Limits, Prior
from .._judge._controller._thresholds import PROCESSES_PER_CORE
from .._mutation._stores import may_store
from .._platform._interpreter import gil_enabled
from .._platform._processors import requested_cpus, usable_cpus
from .._runtime._contexts import lanes_around
from .._runtime._running_loop import on_trio
from .._strategies._lanes._keeper import Keeper, thread_keeper
from .._strategies._lanes._thread_pool import ThreadPool
from .._strategies._lanes._threads import MOST_THREADS
from .._work._job import Job
from ._conductor import WAKING, Conductor
from ._memory import Recollection
from ._report import begin_report
from ._worker_data import seconds_to_send
from ._worker_imports import WorkerImports

if TYPE_CHECKING:
    from ._coroutines import LoopConductor

__all__ = ["NAME", "Automatic"]

NAME = "auto"

KEPT = 5.0
"""Seconds for which the number of processors is kept: asking costs as much as a thousand quick items, and
only an administrator changes a quota (guessed)."""


class Automatic:
    """The strategy "auto". Its limits are those of `AutoStrategy`, whose keeper may keep its threads.

    With a `prior` it begins a `def` there, whatever an earlier run has learnt.
    """

    name = NAME

    def __init__(
        self,
        keeper: Keeper[ThreadPool] | None = None,
        max_workers: int | None = None,
        concurrency: int | None = None,
        *,
        thread_safe: bool = True,
        prior: Prior | None = None,
    ) -> None:
        self._keeper = keeper if keeper is not None else thread_keeper(NAME)
        self._concurrency = concurrency
        self._most = min(max_workers or MOST_THREADS, concurrency or MOST_THREADS)
        self._thread_safe = thread_safe
        self._prior = prior
        # Part of the key of what is learnt: the strategy itself would keep its threads alive.
        self._options = max_workers, concurrency, thread_safe

    def execute(self, job: Job) -> Iterator[Batch]:
        """Perform a job."""
        _begin(job)
        if not job.is_async:
            return self._conduct(job)
        job.source.feed(1)
        return self._loop_conductor(job, bound=False).batches()

    def aexecute(self, job: Job) -> AsyncIterator[Batch]:
        """Perform an `async def` job on the loop that is running."""
        _begin(job)
        return self._loop_conductor(job, bound=True).abatches()

    def _loop_conductor(self, job: Job, *, bound: bool) -> LoopConductor:
        """A run of an `async def`; `bound` where items may use what belongs to the caller's loop."""
        from .._judge._controller._loop_controller import LoopController  # noqa: PLC0415 - a `def` does not need it
        from ._coroutines import LoopConductor  # noqa: PLC0415 - as just said, and asyncio costs 30 ms

        around = lanes_around.get()
        # What may leave the caller's loop is found out only there, so `bound` is part of the key.
        recollection = Recollection(job, (*self._options, around, bound))
        prior, threads = recollection.prior, self._threads(around)
        if is_loop_bound(job.fn):
            # On several loops somebody may have to wait for a lock, which then refuses all loops but one.
            bound, threads = True, 1
        limits = Limits(threads=threads, concurrency=self._concurrency)
        controller = LoopController(limits, prior, bound=bound, items=job.source.length)
        if on_trio():  # to see no item wait is no proof that none will
            controller.stay("loops elsewhere are asyncio's, on which calls of trio fail")
        ask = partial(self._limits, job, around, recollection.recent, threads)
        return LoopConductor(job, controller, limits, ask, recollection)

    def _conduct(self, job: Job) -> Iterator[Batch]:
        """A run of a `def`, which begins with what the last one of the same callable has learnt."""
        around = lanes_around.get()
        job.source.feed(1)
        recollection = Recollection(job, (*self._options, around))
        prior, threads = self._prior or recollection.prior, self._threads(around)
        ask = partial(self._limits, job, around, self._prior or recollection.recent, threads)
        with self._keeper.lend() as thread_pool:
            conductor = Conductor(
                job,
                partial(_controller, ask, prior),
                thread_pool,
                eager=prior is not None,
                patient=prior is not None and _is_patient(prior, job),
                most=threads,
                limited=self._concurrency is not None,
            )
            try:
                yield from conductor.batches()
            finally:
                recollection.settle(conductor.learnt)

    def _limits(self, job: Job, around: int, recent: Prior | None, threads: int) -> Limits:
        """All that a run may use, with the processors that the system is asked for.

        What workers have to import counts, unless runs just before have lost as much for want of them.
        """
        cpus = _cpus_at(int(time.monotonic() / KEPT)) / around
        cores = max(1, round(cpus))
        limits = Limits(
            cpus=max(1.0, cpus),
            gil=gil_enabled(),
            threads=threads,
            processes=min(cores, self._most),
            waiting=min(PROCESSES_PER_CORE * cores, self._most, self._concurrency or self._most),
            concurrency=self._concurrency,
        )
        sending = lru_cache(partial(seconds_to_send, job.fn))  # found out at the first asking
        imports = WorkerImports(job)
        # It may be run as often again, by workers that have imported what it needs.
        forgone = 0.0 if recent is None else recent.forgone

        def ready_within(seconds: float) -> bool:
            return sending() <= seconds and imports.within(max(seconds - sending(), forgone))

        return limits._replace(ready_within=ready_within)

    def _threads(self, around: int) -> int:
        return max(1, self._most // around) if self._thread_safe else 1


def _begin(job: Job) -> None:
    requested_cpus()  # where it cannot be read, that is said before any item has begun
    if job.report is None:  # `run` begins one; this job was made by hand
        job.report = begin_report(job.name)


def _controller(ask: Callable[[], Limits], prior: Prior | None) -> Controller:
    """Who decides: made at the first look, which many runs never come to.

    Asking the system for the processors takes 0.5 ms.
    """
    return Controller(ask(), prior)


def _is_patient(prior: Prior, job: Job) -> bool:
    """Whether others shall have the items, and would wait for the calling thread, if that were at one."""
    if prior.stage == "waiting":
        return prior.item >= WAKING and not job.source.ended
    return _wakes_first(prior) and not may_store(job.fn)  # else they get none before a call has shown more


def _wakes_first(prior: Prior) -> bool:
    """Whether items go to workers that rest, which wake in less time than an item takes."""
    if prior.stage != "outside" or prior.each < WAKING:
        return False
    from .._strategies._workers._hosting._staffing import resting  # noqa: PLC0415 - the last run loaded it

    return resting()


@lru_cache(maxsize=1)
def _cpus_at(_moment: int) -> float:
    """Processors at a moment."""
    return usable_cpus()
