"""Making sampled calls under a stopwatch: blocks of plain calls, blocks of awaited ones.

Calls follow the rules of all others: each item in a copy of the caller's context, its error noted
with the item, a coroutine nobody awaits an error. Clock readings stand outside the block they
time, the wall clock innermost.
"""

from __future__ import annotations

import asyncio
import inspect
from itertools import islice
from types import CoroutineType
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

from .._facts._batch import Batch, Claim
from .._work._callables import touches_nothing
from .._work._elbow_room import roomy
from .._work._perform import annotate, unawaited_among
from ._figures import Block
from ._ledger import Raised, Run
from ._steps import StepMeter, isolated

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Iterator
    from contextvars import Context

    from .._facts._clock import Clock
    from ._ledger import Ledger

__all__ = ["AwaitedCalls", "Calls", "PlainCalls", "cut"]

T = TypeVar("T")

STEPPED = 8
"""Coroutines whose steps are timed though they are short (DECISION.md 5.3: the first 8 calls)."""

SHORT_CALL = 100_000
"""Nanoseconds of a coroutine below which timing its steps would take a good part of it (guessed: each takes
6 µs)."""

FOLLOWING = 2
"""Blocks of a lane after its first from which they speak for themselves: of one alone, half may be a wait for
the GIL."""

LEAST_LOSS = 20_000
"""Nanoseconds within which nobody loses a core: the shortest slice of a neighbour is 100 µs
(`_promptness`)."""


class _Stopwatch:
    """Times one block after another in the present thread, the wall clock innermost."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._queued = clock.run_queue()
        self._wall = self._cpu = 0

    def start(self, wall: int | None = None) -> None:
        """A block begins, or began at that wall time."""
        self._cpu = self._clock.thread_cpu()
        self._wall = self._clock.wall() if wall is None else wall

    def passed(self) -> tuple[int, int, int]:
        """What has passed since it began: wall, CPU, run-queue delay.

        The delay is read outside the wall time. On a busy machine a thread loses its core most often at such
        a reading, so what cannot have been within is left out; and where nothing can, nothing is read, since
        the reading takes longer than all the others.
        """
        wall = self._clock.wall() - self._wall
        cpu = self._clock.thread_cpu() - self._cpu
        return wall, cpu, self._lost(wall - cpu)

    def _lost(self, most: int) -> int:
        if most < LEAST_LOSS:
            return 0
        before, self._queued = self._queued, self._clock.run_queue()
        return min(self._queued - before, most)


class Calls(Protocol):
    """A way of making calls in the present thread."""

    def round(self, claims: Iterable[Claim], ledger: Ledger) -> None:
        """Call each item, a timed block a claim, and write everything into the ledger."""
        ...

    def close(self) -> None:
        """End what was started for the calls, in the thread that made them."""
        ...


class PlainCalls:
    """Calls a `def`.

    Args:
        fn: The callable.
        context: What each item's context is copied from.
        clock: The stopwatch.
    """

    def __init__(self, fn: Callable[[Any], Any], context: Context, clock: Clock) -> None:
        self._fn = fn
        self._context = context
        self._clock = clock
        self._call = self._all_at_once if touches_nothing(fn) else self._one_by_one

    def round(self, claims: Iterable[Claim], ledger: Ledger) -> None:
        """Call each item, a timed block a claim, and write everything into the ledger."""
        watch = _Stopwatch(self._clock)
        for claim in claims:
            if not ledger.begin(claim):
                return
            watch.start()
            outcomes = self._call(claim)
            _enter(ledger, claim, outcomes, watch.passed())

    def lane(self, claims: Iterable[Claim], ledger: Ledger, start: int, *, settles: bool = False) -> Block:
        """The same, timed only as a whole.

        What a thread does first may take longer than what follows: it is kept apart where enough follows.

        Args:
            claims: The items.
            ledger: Allows each block, and is told of it.
            start: The wall time from which on it was ready to call. (It may wait for the GIL
                first.)
            settles: Whether a single block that follows is enough.
        """
        source = iter(claims)
        _, first = self._stretch(islice(source, 1), ledger, start)
        count, rest = self._stretch(source, ledger)
        return rest if count >= (1 if settles else FOLLOWING) else first.plus(rest)

    def close(self) -> None:
        """Nothing is held."""

    def _stretch(
        self, claims: Iterable[Claim], ledger: Ledger, start: int | None = None
    ) -> tuple[int, Block]:
        """Call the items of one claim after another: how many claims, and their totals."""
        count = calls = 0
        watch = _Stopwatch(self._clock)
        watch.start(start)
        for claim in claims:
            if not ledger.begin(claim):
                break
            _enter(ledger, claim, self._call(claim), None)
            count, calls = count + 1, calls + len(claim.items)
        return count, Block(0, calls, *watch.passed())

    def _one_by_one(self, claim: Claim) -> list[Any]:
        fn, fresh = self._fn, self._context.copy
        outcomes: list[Any] = []
        for item in claim.items:
            try:
                outcomes.append(fresh().run(fn, item))
            except BaseException as error:  # noqa: BLE001 - whatever an item raises is its outcome
                outcomes.append(_raised(error, claim, len(outcomes)))
        return outcomes

    def _all_at_once(self, claim: Claim) -> list[Any]:
        outcomes: list[Any] = []
        while len(outcomes) < len(claim.items):
            try:
                outcomes.extend(map(self._fn, claim.items[len(outcomes) :]))
                if len(outcomes) < len(claim.items):
                    # map() takes a StopIteration for the end of the items and swallows it.
                    _refuse()
            except BaseException as error:  # noqa: BLE001 - as above
                outcomes.append(_raised(error, claim, len(outcomes)))
        return outcomes


class AwaitedCalls:
    """Calls an `async def` on an event loop of its own, which starts with the first call.

    Args:
        fn: The callable.
        context: What each item's context is copied from.
        clock: The stopwatch.

    Attributes:
        meter: The steps of the coroutines that were watched step by step.
    """

    def __init__(self, fn: Callable[[Any], Any], context: Context, clock: Clock) -> None:
        self._fn = fn
        self._context = context
        self._clock = clock
        self._runner: asyncio.Runner | None = None
        self._each = 0
        self.meter = StepMeter(clock)

    def round(self, claims: Iterable[Claim], ledger: Ledger) -> None:
        """Call and await each item, a timed block a claim; write everything into the ledger."""
        self._run(self._round(claims, ledger))

    def lanes(
        self, claims: Iterable[Claim], ledger: Ledger, count: int, *, settles: bool = False
    ) -> list[Block]:
        """The same with `count` calls in flight at once; answers the totals of each lane.

        Args:
            claims: The items.
            ledger: Allows each block, and is told of it.
            count: How many at once.
            settles: Whether a lane is timed from after its first block, if there is a second.
        """
        return self._run(self._lanes(iter(claims), ledger, count, settles=settles))

    def close(self) -> None:
        """End the loop, and what the callables left on it."""
        if self._runner is not None:
            self._runner.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if self._runner is None:
            self._runner = asyncio.Runner(loop_factory=_new_loop)
        return self._runner.run(work)

    async def _round(self, claims: Iterable[Claim], ledger: Ledger) -> None:
        watch = _Stopwatch(self._clock)
        for claim in claims:
            if not ledger.begin(claim):
                return
            watch.start()
            outcomes = await self._call(claim)
            times = watch.passed()
            _enter(ledger, claim, outcomes, times)
            self._each = times[0] // len(claim.items)

    async def _lanes(
        self, source: Iterator[Claim], ledger: Ledger, count: int, *, settles: bool
    ) -> list[Block]:
        before, done = self._clock.thread_cpu(), len(ledger.runs)
        lanes = await asyncio.gather(*(self._lane(source, ledger, settles=settles) for _ in range(count)))
        # they share a thread: each is told its part of what that computed
        each = (self._clock.thread_cpu() - before) / max(1, _calls(ledger.runs[done:]))
        return [lane._replace(cpu=min(lane.wall, int(lane.calls * each))) for lane in lanes]

    async def _lane(self, source: Iterator[Claim], ledger: Ledger, *, settles: bool) -> Block:
        watch, calls, settled = _Stopwatch(self._clock), 0, not settles
        watch.start()
        for claim in source:
            if not ledger.begin(claim):
                break
            if calls and not settled:
                calls, settled = 0, True
                watch.start()
            _enter(ledger, claim, await self._call(claim), None)
            calls += len(claim.items)
        return Block(0, calls, *watch.passed())

    async def _call(self, claim: Claim) -> list[Any]:
        stepped = self._each >= SHORT_CALL or self.meter.coroutines < STEPPED
        through: Any = self.meter.timed if stepped else isolated
        outcomes: list[Any] = []
        for item in claim.items:
            context = self._context.copy()
            try:
                made = context.run(self._fn, item)
                coroutine = made if inspect.iscoroutine(made) else _awaiting(made)
                outcomes.append(await through(coroutine, context))
            except BaseException as error:  # noqa: BLE001 - as for plain calls
                outcomes.append(_raised(error, claim, len(outcomes)))
        return outcomes


def _new_loop() -> asyncio.AbstractEventLoop:
    """A loop like those of the strategies."""
    return roomy(asyncio.new_event_loop())


def _calls(runs: Iterable[Run]) -> int:
    return sum(len(run.outcomes) for run in runs)


def cut(claims: Iterable[Claim], size: int) -> list[Claim]:
    """Claims of at most `size` items each, of the same items."""
    return [
        Claim(claim.start + at, claim.items[at : at + size])
        for claim in claims
        for at in range(0, len(claim.items), size)
    ]


def _enter(ledger: Ledger, claim: Claim, outcomes: list[Any], times: tuple[int, int, int] | None) -> None:
    block = Block(claim.start, len(outcomes), *times) if times else None
    ledger.finish(Run(claim.start, list(_checked(claim, outcomes))), block)


def _refuse() -> NoReturn:
    msg = "the callable raised StopIteration"
    raise RuntimeError(msg)


async def _awaiting(made: Any) -> Any:
    return await made


def _raised(error: BaseException, claim: Claim, place: int) -> Raised:
    annotate(error, claim.start + place, claim.items[place])
    return Raised(error)


def _checked(claim: Claim, outcomes: list[Any]) -> Iterable[Any]:
    """The outcomes, an error in the place of each coroutine that nobody awaits."""
    # one look for all where there is none: looks at each would take longer than short calls themselves
    if CoroutineType not in set(map(type, outcomes)):
        return outcomes
    return _checked_singly(claim, outcomes)


def _checked_singly(claim: Claim, outcomes: list[Any]) -> Iterator[Any]:
    for place, outcome in enumerate(outcomes):
        single = Batch(claim.start + place, [outcome])
        checked = unawaited_among(single, claim.items[place : place + 1], tolerant=False)
        yield outcome if checked.error is None else Raised(checked.error)
