"""Lanes on an event loop: tasks that draw from the source, each awaiting one item at a time.

A task per item costs ten times what an item costs; a few tasks that go on from item to item cost
next to nothing. Since all tasks of a loop share one thread, they share one iterator over the claimed
items, and no lane can be left holding items that another could take.

Each lane runs in its own copy of the caller's context. A lane whose item changed the context ends and
another takes its place, so nothing leaks from item to item.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextvars import Context, copy_context
from itertools import chain, count, repeat
from math import inf
from operator import length_hint
from types import TracebackType
from typing import Any, Protocol

from ..._facts._batch import Batch, Claim
from ..._runtime._contexts import same
from ..._runtime._limited import LIMITED, OverdueError
from ..._work._job import Job
from ..._work._notes import annotate
from ..._work._pace import Pace
from ..._work._perform import unawaited_among
from ..._work._watched import time_up

__all__ = ["AROUND", "Body", "Chunk", "LoopHost", "Register", "Slots", "TaskPool"]


_PENDING: Any = object()
_SENT: Any = object()
"""What stands for a value that is not there yet, and for one that has been handed over."""

BREATH = 5e-3
"""Seconds after which lanes that never wait let the loop turn (guessed: below what a person or a
server's client notices)."""

GLANCE = 0.05
"""Seconds between looks for finished items whose neighbours in the batch are slow (guessed: who takes results
one by one hardly notices)."""


Body = Callable[[Context | None], Coroutine[Any, Any, None]]
"""What a task does. It may be told the context that it runs in, which spares it asking for copies."""


Register = Callable[[Callable[[], None]], None]
"""Takes a task pool's nudge: what has it look around, from any thread."""


class LoopHost(Protocol):
    """What lanes need of an event loop, so that asyncio and trio need no twins of this file."""

    async def __aenter__(self) -> object:
        """Be ready to spawn."""

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> object:
        """Cancel what was spawned, and wait for it as long as is reasonable."""

    def spawn(self, body: Body, context: Context) -> None:
        """Start a task in a context or in a copy; tells its body the context where it is that very one."""

    def wake(self) -> None:
        """End the current or the next `wait`."""

    def wake_soon(self) -> None:
        """The same, from any thread."""

    def call_soon(self, call: Callable[[], object]) -> None:
        """Have the loop call something when it turns; from any thread."""

    async def wait(self, seconds: float) -> None:
        """Wait for `wake`, or until the seconds are up."""

    async def breathe(self) -> None:
        """Let other tasks run."""

    async def limited(self, coroutine: Coroutine[Any, Any, Any], seconds: float) -> Any:
        """Await a coroutine; cancel it and raise `OverdueError` when the seconds are up."""

    def is_cancellation(self, error: BaseException) -> bool:
        """Whether `error` says that this host cancels what it spawned; a task may cancel itself, too."""
        ...


class Chunk:
    """A claim on its way: the values so far, how many are missing, and whether some are handed over."""

    __slots__ = ("claim", "left", "sent", "values")

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.values: list[Any] = [_PENDING] * len(claim.items)
        self.left = len(claim.items)
        self.sent = False

    def runs(self) -> Iterator[Batch]:
        """The finished values not yet handed over, as batches; they are gone afterwards."""
        values, start = self.values, self.claim.start
        place = 0
        while place < len(values):
            end = place
            while end < len(values) and values[end] is not _PENDING and values[end] is not _SENT:
                end += 1
            if end > place:
                self.sent = True
                yield Batch(start + place, values[place:end])
                values[place:end] = repeat(_SENT, end - place)
            place = end + 1


Slots = Iterator[tuple[Chunk, int, Any]]
"""Items with their places: the chunk, where in it, and what to call with."""


class TaskPool:
    """The lanes of one event loop: `concurrency` of them at most, which is items in flight."""

    def __init__(self, job: Job, put: Callable[[Batch], None], concurrency: int) -> None:
        self.job = job
        self._put = put
        self._concurrency = concurrency
        self._live = 0
        self._halted = False
        self._dry = True
        self._pulled = False
        self._slots: Slots = iter(())
        self._unstarted: Iterator[Any] = iter(())
        self._open: dict[int, Chunk] = {}
        self._pace = Pace()
        self._turning = False
        self._breathed = self._finished = 0.0
        self._breathless = False
        self._glance = inf if job.linger == inf else GLANCE
        self._call = job.fn if job.timeout is None else self._call_limited

    @property
    def has_room(self) -> bool:
        """Whether it may begin an item more before one ends, after which it looks for the next by itself."""
        return self._live < self._concurrency

    @property
    def is_idle(self) -> bool:
        """Whether it is at no item, which might block it."""
        return not self._live

    async def serve(self, host: LoopHost) -> None:
        """Work until the source is finished or the job is stopped."""
        source = self.job.source
        self._host = host
        self._breathed = self._finished = time.perf_counter()
        async with host:
            try:
                while not (self.job.stopped or self._halted):
                    self._top_up()
                    if not self._live and source.finished:
                        break
                    if not source.claimable:
                        source.hunger()
                    await self._rest()
                    self._flush()
            finally:
                self._halt()

    def _halt(self) -> None:
        """Have no further item begin, those that are claimed included."""
        self._halted = True
        deque(self._unstarted, maxlen=0)

    async def _rest(self) -> None:
        """Wait until there may be something to see to."""
        await self._host.wait(self._glance)

    def _top_up(self) -> None:
        """Start lanes while there is something for them to take."""
        source, waiting = self.job.source, self._waiting
        self._pulled = False
        if not (waiting or source.claimable):
            return
        if self._dry:
            # Strung together in C: here a tenth of a microsecond is a tenth of what an item costs.
            self._dry, self._slots = False, chain.from_iterable(self._claims())
        missing = self._concurrency - self._live
        if source.ended or source.pause or not source.may_pull:
            # More would find nothing, and end. Where items come by themselves, one more asks for them so;
            # where they come slowly, it takes its time with the next.
            missing = min(missing, waiting + source.ready + (not source.ended))
        for _ in range(missing):
            self._start()

    @property
    def _waiting(self) -> int:
        """Claimed items that no lane has begun."""
        return length_hint(self._unstarted)

    def _start(self) -> None:
        self._live += 1
        self._host.spawn(self._new_lane, self.job.context.copy())

    def _new_lane(self, own: Context | None) -> Coroutine[Any, Any, None]:
        return self._lane(own)

    def _claims(self) -> Iterator[Slots]:
        """Every slot to fill, claimed bit by bit; shared by all lanes. Ends when there is none now."""
        while (claim := self._next_claim()) is not None:
            self._open[claim.start] = chunk = Chunk(claim)
            self._unstarted = iter(claim.items)
            yield zip(repeat(chunk), count(), self._unstarted)
        self._dry = True

    def _next_claim(self) -> Claim | None:
        """What to begin next. Where items come slowly, one a turn: those in flight shall not wait for all."""
        source = self.job.source
        if self._halted or (self._pulled and not source.ready):
            return None
        claim = source.claim(self._pace.size)
        if source.pause and source.may_pull:
            self._pulled = True
            self._host.wake()
        return claim

    async def _lane(self, own: Context | None) -> None:
        # One coroutine, not two: every step of an item's goes through all that await it.
        try:
            call, clean = self._call, self.job.context
            bare = not len(clean)  # where there was no variable, any that is set shows in the length
            if self._breathless:
                await self._let_turn()
            for chunk, place, item in self._slots:
                try:
                    chunk.values[place] = await call(item)
                except BaseException as error:  # noqa: BLE001 - told apart in _failed
                    self._failed(chunk, place, error)
                    if self._halted:
                        return
                chunk.left -= 1
                if not chunk.left:
                    self._finish(chunk)
                    while self._finished - self._breathed >= BREATH:
                        await self._breathe()
                if self._breathless:
                    await self._let_turn()
                context = copy_context() if own is None else own
                if len(context) if bare else not same(context, clean):
                    self._start()
                    return
        finally:
            self._live -= 1
            # Another lane may have claimed more, since this one came to the end, than there are lanes for.
            if not self._live or self._halted or self._waiting or not self.job.source.finished:
                self._host.wake()

    async def _call_limited(self, item: Any) -> Any:
        assert self.job.timeout is not None
        return await self._host.limited(self.job.fn(item), self.job.timeout)

    def _failed(self, chunk: Chunk, place: int, error: BaseException) -> None:
        """Deal with what an item raised, unless it is the lane's own cancellation."""
        if self._host.is_cancellation(error):
            raise error
        if self._halted:
            return
        index, item = chunk.claim.start + place, chunk.claim.items[place]
        if isinstance(error, OverdueError):
            assert self.job.timeout is not None
            error = time_up(index, item, self.job.timeout, error.aftermath)
        else:
            annotate(error, index, item)
        if self.job.return_exceptions and isinstance(error, Exception):
            chunk.values[place] = error
        else:
            self._flush()  # the results already due
            self._end_with(Batch(index, [], error))

    def _end_with(self, batch: Batch) -> None:
        """End the task pool with an error, unless one has ended it before."""
        if not self._halted:
            self._put(batch)
            self._halt()
            self.job.source.close()
            self._host.wake()

    def turn_soon(self) -> None:
        """Have the loop turn before another item begins; from any thread.

        Those of a claim are begun without a look at the clock, as if they were as quick as the ones before.
        """
        self._breathless = True

    async def _let_turn(self) -> None:
        """Wait until nobody asks for a turn: one item a turn is begun while they go on asking."""
        while self._breathless:
            await self._breathe()

    async def _breathe(self) -> None:
        """Let the loop turn. Of lanes that do so together one notes the time: the others would put it off."""
        leads, self._turning = not self._turning, True
        try:
            await self._host.breathe()
        finally:
            if leads:
                self._turning, self._breathed, self._breathless = False, time.perf_counter(), False

    def _finish(self, chunk: Chunk) -> None:
        """Hand over a finished chunk."""
        claim = chunk.claim
        del self._open[claim.start]
        if chunk.sent:
            for batch in chunk.runs():
                self._hand_over(claim, batch)
        else:
            self._hand_over(claim, Batch(claim.start, chunk.values))
        # The loop's rate, not the chunk's age: with many in flight, all are old.
        now = time.perf_counter()
        self._pace.took(now - self._finished, len(claim.items))
        self._finished = now

    def _flush(self) -> None:
        """Hand over what is finished in chunks that are not."""
        for chunk in self._open.values():
            for batch in chunk.runs():
                self._hand_over(chunk.claim, batch)

    def _hand_over(self, claim: Claim, batch: Batch) -> None:
        before = batch.start - claim.start
        items = claim.items[before:] if before else claim.items
        batch = unawaited_among(batch, items, tolerant=self.job.return_exceptions)
        if batch.error is None:
            self._put(batch)
        else:
            self._end_with(batch)


AROUND = (TaskPool._lane.__code__, LIMITED)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - it belongs to this file
"""What tells the frames of a callable from those of the loop: one of these lies between them."""
