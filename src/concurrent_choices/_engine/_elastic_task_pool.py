"""Coroutine lanes on one loop, whose number changes while they work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count, repeat
from operator import length_hint
from typing import Any

from .._facts._batch import Batch, Claim
from .._measure._congestion import is_congestion
from .._strategies._lanes._task_pool import Chunk, Host, Slots, TaskPool
from .._work._job import Job
from ._tally import Tally

__all__ = ["ElasticTaskPool"]


class ElasticTaskPool(TaskPool):
    """A task pool with more or fewer lanes as it is told, and an end before the source's.

    Args:
        job: What to do.
        put: Takes the batches.
        concurrency: Lanes to begin with.
        is_surplus: Asked when the loop turns and between claims: whether this shall retire.

    Attributes:
        done: Items finished.
        errors: How many of them raised what means "too many at once".
        is_retiring: Whether it claims no more.
        waits: Whether its items may wait, so that others are let in beside them.
        latest: Values of the batch that was handed over last.
        crash: What went wrong with whoever looks after it; raised where it runs.
    """

    def __init__(
        self,
        job: Job,
        put: Callable[[Batch], None],
        concurrency: int,
        *,
        is_surplus: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(job, put, concurrency)
        self._is_surplus = is_surplus
        self.done = 0
        self.errors = 0
        self.tally: Tally | None = None
        self.is_retiring = False
        self.waits = True
        self.latest: Sequence[Any] = ()
        self.crash: BaseException | None = None
        self._unstarted: Iterator[Any] = iter(())

    @property
    def lanes(self) -> int:
        """Lanes there may be."""
        return self._concurrency

    @property
    def flying(self) -> int:
        """Items in flight; from any thread. A lane whose callable never waits has no other beside it."""
        unfinished = sum(chunk.left for chunk in list(self._open.values()))
        return max(0, min(self._live, unfinished - length_hint(self._unstarted)))

    async def serve(self, host: Host) -> None:
        """Work until the source is finished, the job is stopped, or this is told to retire."""
        self._host = host
        self.tally = Tally()
        await super().serve(host)

    def resize(self, concurrency: int) -> None:
        """Have so many lanes; from any thread. Fewer there are once those at work have finished."""
        if concurrency != self._concurrency:
            self.job.source.widen(2 * concurrency)
            self._concurrency = concurrency
            self._wake()

    def retire(self) -> None:
        """Claim no more, and end once what was claimed is done; from any thread."""
        self.is_retiring = True
        self._wake()

    def _wake(self) -> None:
        if self.tally is not None:  # before that there is no host, and it will see for itself
            self._host.wake_soon()

    def _top_up(self) -> None:
        if self.crash is not None:
            raise self.crash
        if not self._is_leaving():
            super()._top_up()
            # What one lane claimed in a batch that took no time until now: others may wait beside it.
            for _ in range(min(self._concurrency - self._live, length_hint(self._unstarted))):
                self._start()
        elif not self._live:
            self._halted = True
            self._host.wake()

    def _is_leaving(self) -> bool:
        if not self.is_retiring and self._is_surplus():
            self.is_retiring = True
        return self.is_retiring

    def _claims(self) -> Iterator[Slots]:
        source = self.job.source
        while self._live <= self._concurrency and not self._is_leaving():
            claim = source.claim(self._pace.size)
            if claim is None:
                break
            chunk = Chunk(claim)
            self._open[claim.start] = chunk
            self._unstarted = iter(claim.items)
            yield zip(repeat(chunk), count(), self._unstarted)
        self._dry = True

    def _hand_over(self, claim: Claim, batch: Batch) -> None:
        self.done += len(batch.values)
        self.latest = batch.values
        if self.job.return_exceptions:
            self.errors += sum(isinstance(each, Exception) and is_congestion(each) for each in batch.values)
        super()._hand_over(claim, batch)
