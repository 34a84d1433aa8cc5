"""Making sampled calls of coroutines under a stopwatch, on an event loop of their own."""

from __future__ import annotations

import asyncio
import inspect
from contextvars import copy_context
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any, TypeVar

from .._facts._batch import Claim
from .._runtime._contexts import same
from ._calls import enter, raised
from ._figures import Block, Lane
from ._ledger import calls_of, turned_away
from ._sample_loop import SampleLoop
from ._steps import StepMeter, isolated
from ._stopwatch import Stopwatch

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Iterator
    from contextvars import Context

    from .._facts._clock import Clock
    from ._ledger import Ledger, Raised

__all__ = ["AwaitedCalls"]

T = TypeVar("T")

STEPPED = 8
"""Coroutines whose steps are timed though they are short (DECISION.md 5.3: the first 8 calls)."""

SHORT_STEP = 100_000
"""Nanoseconds of a coroutine for each of its steps below which timing them would take a good part of it
(guessed: each takes 6 µs)."""


class AwaitedCalls:
    """Calls an `async def` on an event loop of its own, which starts with the first call.

    Attributes:
        meter: The steps of the coroutines that were watched step by step.
        loop: Where they run.
    """

    def __init__(self, fn: Callable[[Any], Any], context: Context, clock: Clock) -> None:
        self._fn = fn
        self._context = context
        self._clock = clock
        self.loop = SampleLoop(clock)
        self._each = 0
        self._leaves = False
        self.meter = StepMeter(clock)

    def round(self, claims: Iterable[Claim], ledger: Ledger) -> None:
        """Call and await each item, a timed block a claim; write everything into the ledger."""
        self._run(self._round(claims, ledger))

    def lanes(
        self, claims: Iterable[Claim], ledger: Ledger, count: int, *, settles: bool = False
    ) -> list[Lane]:
        """The same with `count` calls in flight at once; answers what each lane did.

        Where it settles, a lane's first block is apart, if a second is served, and calls that were turned
        away do not count, and are the lane's last.
        """
        return self._run(self._lanes(iter(claims), ledger, count, settles=settles))

    def close(self) -> None:
        """End the loop, and what the callables left on it."""
        self.loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run(work, self._context.copy())

    async def _round(self, claims: Iterable[Claim], ledger: Ledger) -> None:
        watch = Stopwatch(self._clock)
        for claim in claims:
            if not ledger.begin(claim):
                return
            watch.start()
            stepped = self._each >= SHORT_STEP * self._steps() or self.meter.coroutines < STEPPED
            outcomes = await (self._apart(claim, self.meter.timed) if stepped else self._together(claim))
            times = watch.passed()
            enter(ledger, claim, outcomes, times)
            self._each = times[0] // len(claim.items)

    def _steps(self) -> float:
        """Steps of a coroutine, the last one included."""
        return 1.0 + self.meter.steps / max(1, self.meter.coroutines)

    async def _lanes(
        self, source: Iterator[Claim], ledger: Ledger, count: int, *, settles: bool
    ) -> list[Lane]:
        whole, done = Stopwatch(self._clock), len(ledger.runs)
        whole.start()
        lanes = await asyncio.gather(*(self._lane(source, ledger, settles=settles) for _ in range(count)))
        _, cpu, queued = whole.passed()
        calls = max(1, calls_of(ledger.runs[done:]))

        def told(block: Block) -> Block:
            """With its part of what the thread computed, which they share."""
            part = block._replace(cpu=min(block.wall, int(block.calls * cpu / calls)))
            return _queueing(part, queued / calls) if settles else part

        return [lane._replace(first=told(lane.first), rest=told(lane.rest)) for lane in lanes]

    async def _lane(self, source: Iterator[Claim], ledger: Ledger, *, settles: bool) -> Lane:
        watch, calls, settled = Stopwatch(self._clock), 0, not settles
        first = Block(0, 0, 0, 0, 0)
        watch.start()
        for claim in source:
            if not ledger.begin(claim):
                break
            if calls and not settled:
                first, calls, settled = Block(0, calls, *watch.passed()), 0, True
                watch.start()
            # timing steps would tell nothing more, and takes a third of what short ones do
            outcomes = await self._together(claim)
            enter(ledger, claim, outcomes, None)
            refused = turned_away(outcomes) if settles else 0
            calls += len(claim.items) - refused
            if refused:  # as of plain calls
                break
        return Lane(first, Block(0, calls, *watch.passed()), apart=calls > 0 and first.calls > 0)

    async def _together(self, claim: Claim) -> list[Any]:
        """Await items as a lane of a strategy does, in one context, until one leaves something there.

        A context of its own for each takes a microsecond, a quarter of what the shortest take.
        """
        outcomes: list[Any] = []
        for item in () if self._leaves else claim.items:
            try:
                outcomes.append(await self._fn(item))
            except BaseException as error:  # noqa: BLE001 - as for plain calls
                outcomes.append(_outcome(error, claim, len(outcomes)))
            if not same(copy_context(), self._context):
                self._leaves = True
                break
        return outcomes + await self._apart(claim.after(len(outcomes)), isolated)

    async def _apart(self, claim: Claim, through: Callable[..., Any]) -> list[Any]:
        """Await each item in a context of its own."""
        outcomes: list[Any] = []
        for item in claim.items:
            context = self._context.copy()
            try:
                made = context.run(self._fn, item)
                coroutine = made if inspect.iscoroutine(made) else _awaiting(made)
                outcomes.append(await through(coroutine, context))
            except BaseException as error:  # noqa: BLE001 - as for plain calls
                outcomes.append(_outcome(error, claim, len(outcomes)))
        return outcomes


def _queueing(lane: Block, each: float) -> Block:
    """A lane that mostly waits, with its own part of what its thread queued for a core, `each` ns a call.

    While the thread queues to go on with one of them, the others wait as they would anyway.
    """
    return lane._replace(queued=min(lane.wall - lane.cpu, int(lane.calls * each)))


def _outcome(error: BaseException, claim: Claim, place: int) -> Raised:
    """As of plain calls; what asyncio has made of Ctrl-C goes on, too."""
    if isinstance(error, asyncio.CancelledError) and _interrupted():
        raise error
    return raised(error, claim, place)


def _interrupted() -> bool:
    """Whether asyncio has made a cancellation of Ctrl-C, as it does in the main thread."""
    task = asyncio.current_task()
    return current_thread() is main_thread() and task is not None and task.cancelling() > 0


async def _awaiting(made: Any) -> Any:
    return await made
