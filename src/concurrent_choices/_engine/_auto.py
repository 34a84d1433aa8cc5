"""The strategy behind the name "auto"."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from functools import lru_cache

from attrs import field, frozen

from .._facts._batch import Batch
from .._judge._controller import Controller, Limits, LoopController
from .._platform import usable_cpus
from .._strategies._lanes._arguments import positive_or_none
from .._strategies._lanes._threads import MOST_THREADS
from .._work._job import Job
from .._work._nesting import lanes_around, share
from ._conductor import Conductor
from ._memory import key_of, memory
from ._report import RunReport, begin_report

__all__ = ["AutoStrategy"]


KEPT = 5.0
"""Seconds for which the number of processors is kept: asking costs as much as a thousand quick items, and
quotas change by an administrator's hand (guessed)."""


@frozen
class AutoStrategy:
    """Decides while it works: how many lanes, threads or processes, and changes its mind with the evidence.

    Args:
        max_workers: Threads or processes at most, each.
        concurrency: Items in flight at most.
        thread_safe: Whether the callable may run in several threads of one process at once, and outside the
            calling thread.
    """

    name = "auto"
    max_workers: int | None = field(default=None, validator=positive_or_none)
    concurrency: int | None = field(default=None, validator=positive_or_none)
    thread_safe: bool = True

    def execute(self, job: Job) -> Iterator[Batch]:
        """Perform the job."""
        report, limits = _report_of(job), self._limits()
        if job.is_async:
            from ._coroutines import LoopConductor  # noqa: PLC0415 - asyncio costs 30 ms; a `def` does not need it

            return LoopConductor(job, LoopController(limits), limits, report).batches()
        return _conduct(job, limits, report)

    def aexecute(self, job: Job) -> AsyncIterator[Batch]:
        """Perform an `async def` job on the loop that is running."""
        from ._coroutines import LoopConductor  # noqa: PLC0415 - as above

        limits = self._limits()
        movable = job.source.length is not None  # else somebody goes on feeding it from this loop
        controller = LoopController(limits, movable=movable, bound=True)
        return LoopConductor(job, controller, limits, _report_of(job)).abatches()

    def _limits(self) -> Limits:
        cpus = _cpus_at(int(time.monotonic() / KEPT)) / lanes_around.get()
        most = min(self.max_workers or MOST_THREADS, self.concurrency or MOST_THREADS)
        return Limits(
            cpus=max(1.0, cpus),
            threads=share(most) if self.thread_safe else 1,
            processes=min(max(1, round(cpus)), most),
            flying=self.concurrency,
        )


def _conduct(job: Job, limits: Limits, report: RunReport) -> Iterator[Batch]:
    """A run of a `def`, which begins with what the last one of the same callable has learnt."""
    job.source.feed(1)
    items = job.source.peek()
    if not items:
        yield from Conductor(job, Controller(limits), report, eager=False, most=limits.threads).batches()
        return
    key = key_of(job.fn, items[0], limits)
    prior = memory.recall(key)
    controller = Controller(limits, prior)
    try:
        yield from Conductor(job, controller, report, eager=prior is not None, most=limits.threads).batches()
    finally:
        memory.settle(key, controller.learnt, (report.seconds or 0.0) / max(1, report.done))


@lru_cache(maxsize=1)
def _cpus_at(_moment: int) -> float:
    """Processors at a moment."""
    return usable_cpus()


def _report_of(job: Job) -> RunReport:
    """The report that `run` began, or a new one where a job was made by hand."""
    return job.report if isinstance(job.report, RunReport) else begin_report(job.name)
