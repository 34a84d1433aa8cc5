"""An elastic task pool that sends one item ahead, and others once that is seen to wait."""

from __future__ import annotations

from collections.abc import Callable

from .._facts._batch import Batch
from .._strategies._lanes._task_pool import Host
from .._work._job import Job
from ._elastic_task_pool import ElasticTaskPool

__all__ = ["SlowStartTaskPool"]

TURNS = 3
"""Turns of the loop without an item being over, after which the one in flight waits for something: an
`asyncio.sleep(0)` takes one, a time limit's task another (guessed; a turn costs 10 µs)."""

PAUSE = 1e-3
"""Seconds until the first lane is looked at again, where its items have ended so far."""


class SlowStartTaskPool(ElasticTaskPool):
    """An elastic task pool whose first lane goes ahead.

    What computes or blocks gains nothing from more lanes on its loop, and every item that has passed its
    first `await` holds the loop up when its turn comes. A few turns show whether anything can overlap.

    Args:
        job: What to do.
        put: Takes the batches.
        concurrency: Lanes there are, once an item waits.
        waits: Whether that is known already.
        prepare: Called in the loop before others are let in.
        is_surplus: As for an elastic task pool.

    Attributes:
        waits: Whether an item was seen to wait.
    """

    def __init__(  # noqa: PLR0913 - what an elastic task pool takes, and what may be known before
        self,
        job: Job,
        put: Callable[[Batch], None],
        concurrency: int,
        *,
        waits: bool = False,
        prepare: Callable[[], None] = lambda: None,
        is_surplus: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(job, put, concurrency if waits else 1, is_surplus=is_surplus)
        self._followers = concurrency
        self.waits = waits
        self._prepare = prepare

    async def serve(self, host: Host) -> None:
        """Work until the source is finished, the job is stopped, or this is told to retire."""
        if self.waits:
            self._prepare()
        await super().serve(host)

    def resize(self, concurrency: int) -> None:
        """Have so many lanes, once an item waits; from any thread."""
        self._followers = concurrency
        if self.waits:
            super().resize(concurrency)

    async def _rest(self) -> None:
        if self.waits or self.is_retiring or not self._live:
            await super()._rest()
        else:
            await self._look_ahead()

    async def _look_ahead(self) -> None:
        """See whether the first lane's item waits."""
        await self._host.breathe()  # a lane that has just been started begins its item
        before = self._missing()
        for _ in range(TURNS):
            await self._host.breathe()
        if before and self._missing() == before:
            self.waits = True
            self._prepare()
            self.resize(self._followers)
        else:
            await self._host.wait(PAUSE)

    def _missing(self) -> dict[int, int]:
        """Items that are missing, by claim."""
        return {start: chunk.left for start, chunk in self._open.items()}
