"""Coroutine lanes on one loop: one item goes ahead, and how many follow changes while they work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextvars import Context
from typing import Any
from weakref import WeakSet

from .._facts._batch import Batch, Claim
from .._measure._congestion import Refusals
from .._runtime._suspended import needs_its_loop
from .._strategies._lanes._task_pool import LoopHost, TaskPool
from .._work._job import Job
from ._tally import Tally

__all__ = ["ElasticTaskPool"]

TURNS = 3
"""Turns of the loop without an item being over, after which the one in flight waits for something: an
`asyncio.sleep(0)` takes one, a time limit's task another (guessed; a turn costs 10 µs)."""

PAUSE = 1e-3
"""Seconds until the first lane is looked at again, where its items have ended so far (guessed)."""


class ElasticTaskPool(TaskPool):
    """A task pool whose lanes may become more or fewer, and which may be told to end before the source does.

    Its first lane goes ahead: what computes or blocks gains nothing from more lanes on its loop, and every
    item that has passed its first `await` holds the loop up when its turn comes. A few turns show whether
    anything can overlap.

    Args:
        concurrency: Lanes there are, once an item waits.
        waits: Whether that is known already.
        prepare: Called in the loop before others are let in.
        is_surplus: Asked when the loop turns and between claims: whether this shall retire.

    Attributes:
        done: Items finished.
        tally: The account of the loop's thread; None until that has begun.
        errors: How many of them raised what means "too many at once".
        is_retiring: Whether it claims no more.
        waits: Whether an item was seen to wait, so that others are let in beside it.
        needs_loop: Whether one was seen to wait for what its loop brings, if only for a moment.
        latest: Values of the batch that was handed over last.
        crash: What went wrong with whoever looks after it; raised where it runs.
    """

    def __init__(  # noqa: PLR0913 - what a task pool takes, and what may be known before
        self,
        job: Job,
        put: Callable[[Batch], None],
        concurrency: int,
        *,
        waits: bool = False,
        prepare: Callable[[], None] = lambda: None,
        is_surplus: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(job, put, concurrency if waits else 1)
        self._followers = concurrency
        self._prepare = prepare
        self._is_surplus = is_surplus
        self.done = 0
        self.errors = 0
        self._refusals = Refusals()
        self.tally: Tally | None = None
        self.is_retiring = False
        self.waits = waits
        self.needs_loop = False
        self._posted = False  # whether the loop has yet to see
        self._question: Callable[[], object] | None = None
        # What may be suspended inside an item: lanes, or under a time limit what they have made tasks of.
        self._suspendable = WeakSet[Coroutine[Any, Any, None]]()
        self.latest: Sequence[Any] = ()
        self.crash: BaseException | None = None

    @property
    def lanes(self) -> int:
        """Lanes there may be."""
        return self._concurrency

    @property
    def refused(self) -> int:
        """How many items raised what means "too many at once", or may."""
        return self._refusals.seen

    @property
    def in_flight(self) -> int:
        """Items in flight; from any thread. A lane whose callable never waits has no other beside it."""
        unfinished = sum(chunk.left for chunk in list(self._open.values()))
        return max(0, min(self._live, unfinished - self._waiting))

    async def serve(self, host: LoopHost) -> None:
        """Work until the source is finished, the job is stopped, or this is told to retire."""
        if self.waits:
            self._prepare()
        self._host = host
        self.tally = Tally()
        await super().serve(host)

    def resize(self, concurrency: int) -> None:
        """Have so many lanes, once an item waits; from any thread. Surplus ones finish their claims first."""
        self._followers = concurrency
        if self.waits and concurrency != self._concurrency:
            self.job.source.window.staffed(concurrency)
            self._concurrency = concurrency
            self._wake()

    def retire(self) -> None:
        """Claim no more, and end once what was claimed is done; from any thread."""
        self.is_retiring = True
        self._wake()

    def turn_soon(self) -> None:
        """Have the loop turn before another item begins, and see whether one waits for what it brings."""
        super().turn_soon()
        unknown = not self.needs_loop or self._question is not None
        if self.tally is not None and unknown and not self._posted:  # or calls pile up while an item blocks
            self._posted = True
            self._host.call_soon(self._turned)

    def ask(self, question: Callable[[], object]) -> None:
        """Have the loop do something, once it has turned after `turn_soon`; from any thread."""
        self._question = question

    def _turned(self) -> None:
        self._posted = False
        question, self._question = self._question, None
        if question is not None:
            question()
        self._see_need()

    def _see_need(self) -> None:
        """Called by the loop, which an item that never waits would not have let turn."""
        if self.in_flight and not self.needs_loop:
            self.needs_loop = any(map(needs_its_loop, self._suspendable))

    def _new_lane(self, own: Context | None) -> Coroutine[Any, Any, None]:
        lane = super()._new_lane(own)
        if self.job.timeout is None:
            self._suspendable.add(lane)
        return lane

    async def _call_limited(self, item: Any) -> Any:
        assert self.job.timeout is not None
        call = _awaited(self.job.fn(item))
        self._suspendable.add(call)
        return await self._host.limited(call, self.job.timeout)

    def _wake(self) -> None:
        if self.tally is not None:  # before that there is no host, and it will see for itself
            self._host.wake_soon()

    def _top_up(self) -> None:
        if self.crash is not None:
            raise self.crash
        if not self._is_leaving():
            super()._top_up()
        elif not self._live:
            self._halt()
            self._host.wake()

    async def _rest(self) -> None:
        if self.waits or self.is_retiring or not self._live:
            await super()._rest()
        else:
            await self._look_ahead()

    async def _look_ahead(self) -> None:
        """See whether the first lane's item waits."""
        await self._host.breathe()  # a lane that has just been started begins its item
        self._see_need()  # in time also where nobody has looked yet
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

    def _is_leaving(self) -> bool:
        if not self.is_retiring and self._is_surplus():
            self.is_retiring = True
        return self.is_retiring

    def _next_claim(self) -> Claim | None:
        if self._live > self._concurrency or self._is_leaving():
            return None
        return super()._next_claim()

    def _hand_over(self, claim: Claim, batch: Batch) -> None:
        self.done += len(batch.values)
        self.latest = batch.values
        if self.job.return_exceptions:
            errors = [each for each in batch.values if isinstance(each, Exception)]
            self.errors += self._refusals.heed(errors, len(batch.values), self._concurrency)
        super()._hand_over(claim, batch)


async def _awaited(item: Awaitable[Any]) -> Any:
    return await item
