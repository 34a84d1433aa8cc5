"""Worker processes with threads or an event loop inside each: for work that both waits and computes."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Literal

from attrs import field, frozen

from .._errors import MissingExtraError
from .._facts._batch import Batch
from .._facts._numbers import plain_int
from .._facts._validators import one_of, positive
from .._work._job import Job
from ._event_loop import UvloopStrategy, has_uvloop
from ._workers._hosting._pump import Pump
from ._workers._hosting._staffed import Staffed
from ._workers._hosting._staffing import Staffing

__all__ = ["HybridStrategy"]


@frozen
class HybridStrategy(Staffed):
    """Runs a `def` in threads, an `async def` on an event loop, inside each of several processes.

    Args:
        max_workers: Processes at most; by default one per CPU that this process may use.
        concurrency: Items in flight at once in each process.
        loop: "asyncio" or "uvloop", for an `async def`. If uvloop is not installed, a run raises
            `MissingExtraError`.
        start_method: As for `ProcessStrategy`.

    Raises:
        InvalidArgumentError: A number is no whole one from 1, or there is no such loop or start method.
    """

    name = "hybrid"
    concurrency: int = field(default=32, converter=plain_int, validator=positive)
    loop: Literal["asyncio", "uvloop"] = field(default="asyncio", validator=one_of("asyncio", "uvloop"))
    start_method: Literal["fresh", "fork"] = field(default="fresh", validator=one_of("fresh", "fork"))

    def _new_keeper(self) -> Staffing:
        return Staffing("hybrid", self.start_method)

    def _execute(self, job: Job) -> Iterator[Batch]:
        workers = self.workers_for(job)
        lanes = ceil(job.source.fitting(workers * self.concurrency) / workers)
        inner = None
        if job.is_async and self.loop == "uvloop":
            if not has_uvloop():  # a worker could only say that it cannot load the callable
                feature = 'HybridStrategy(loop="uvloop")'
                raise MissingExtraError(feature, "uvloop")
            inner = UvloopStrategy(lanes).execute
        with self._keeper.lend() as host:
            yield from Pump(job, host, workers=workers, lanes=lanes, inner=inner)
