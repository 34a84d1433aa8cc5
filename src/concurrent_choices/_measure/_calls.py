"""Making sampled calls under a stopwatch: blocks of plain calls; those of coroutines are in `_awaited_calls`.

Calls follow the rules of all others: each item in a copy of the caller's context, its error noted
with the item, a coroutine nobody awaits an error. Clock readings stand outside the block they
time, the wall clock innermost.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from .._facts._batch import Batch, Claim
from .._inspect._callables import touches_nothing
from .._work._notes import annotate
from .._work._perform import call_each, unawaited_among
from ._figures import Block, Lane
from ._ledger import Raised, Run, turned_away
from ._stopwatch import Stopwatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextvars import Context

    from .._facts._clock import Clock
    from ._ledger import Ledger

__all__ = ["PlainCalls", "cut", "enter", "raised"]

FOLLOWING = 2
"""Blocks of a lane after its first from which they speak for themselves: of one alone, half may be a wait for
the GIL."""


class PlainCalls:
    """Calls a `def`."""

    def __init__(self, fn: Callable[[Any], Any], context: Context, clock: Clock) -> None:
        self._fn = fn
        self._context = context
        self._clock = clock
        self._call = self._all_at_once if touches_nothing(fn) else self._one_by_one

    def round(self, claims: Iterable[Claim], ledger: Ledger) -> None:
        """Call each item, a timed block a claim, and write everything into the ledger."""
        watch = Stopwatch(self._clock)
        for claim in claims:
            if not ledger.begin(claim):
                return
            watch.start()
            outcomes = self._call(claim)
            enter(ledger, claim, outcomes, watch.passed())

    def lane(self, claims: Iterable[Claim], ledger: Ledger, start: int, *, settles: bool = False) -> Lane:
        """The same, timed only as a whole.

        What a thread does first may take longer than what follows: it is apart where enough follows, and
        a single block is enough where that `settles` it; then calls that were turned away do not count, and
        are the lane's last. The thread was ready to call from `start` on, and may have waited for the GIL.
        """
        source = iter(claims)
        _, first = self._stretch(islice(source, 1), ledger, start, wary=settles)
        if not first.calls:
            return Lane(first, Block(0, 0, 0, 0, 0), apart=False)
        count, rest = self._stretch(source, ledger, wary=settles)
        return Lane(first, rest, apart=count >= (1 if settles else FOLLOWING))

    def close(self) -> None:
        """Nothing is held."""

    def _stretch(
        self, claims: Iterable[Claim], ledger: Ledger, start: int | None = None, *, wary: bool
    ) -> tuple[int, Block]:
        """Call the items of one claim after another: how many claims were served, and their totals."""
        count = calls = 0
        watch = Stopwatch(self._clock)
        watch.start(start)
        for claim in claims:
            if not ledger.begin(claim):
                break
            outcomes = self._call(claim)
            enter(ledger, claim, outcomes, None)
            refused = turned_away(outcomes) if wary else 0
            calls += len(claim.items) - refused
            if refused:  # that takes no time: going on would use up all items
                break
            count += 1
        times = watch.passed()
        return count, Block(0, calls, *times, watch.slept)

    def _one_by_one(self, claim: Claim) -> list[Any]:
        fn, fresh = self._fn, self._context.copy
        outcomes: list[Any] = []
        for item in claim.items:
            try:
                outcomes.append(fresh().run(fn, item))
            except BaseException as error:  # noqa: BLE001 - whatever an item raises is its outcome
                outcomes.append(raised(error, claim, len(outcomes)))
        return outcomes

    def _all_at_once(self, claim: Claim) -> list[Any]:
        outcomes: list[Any] = []
        while len(outcomes) < len(claim.items):
            try:
                call_each(self._fn, claim.items[len(outcomes) :], outcomes)
            except BaseException as error:  # noqa: BLE001 - as above
                outcomes.append(raised(error, claim, len(outcomes)))
        return outcomes


def cut(claims: Iterable[Claim], size: int) -> list[Claim]:
    """Claims of at most `size` items each, of the same items."""
    return [
        Claim(claim.start + at, claim.items[at : at + size])
        for claim in claims
        for at in range(0, len(claim.items), size)
    ]


def enter(ledger: Ledger, claim: Claim, outcomes: list[Any], times: tuple[int, int, int] | None) -> None:
    """Write into the ledger what came of a claim, and its times if it was timed by itself."""
    block = Block(claim.start, len(outcomes), *times) if times else None
    ledger.finish(Run(claim.start, _checked(claim, outcomes)), block)


def raised(error: BaseException, claim: Claim, place: int) -> Raised:
    """The outcome of the item at a place of a claim that raised.

    Ctrl-C, which calls made in the caller's own thread may meet, is raised again: it ends everything.
    """
    if isinstance(error, KeyboardInterrupt):
        raise error
    annotate(error, claim.start + place, claim.items[place])
    return Raised(error)


def _checked(claim: Claim, outcomes: list[Any]) -> list[Any]:
    """The outcomes, an error in the place of each coroutine that nobody awaits."""
    batch = Batch(claim.start, outcomes)
    checked = unawaited_among(batch, claim.items, tolerant=True)
    if checked is batch:  # there is none: to look at each would take longer than short calls themselves
        return outcomes
    return [new if new is old else Raised(new) for new, old in zip(checked.values, outcomes, strict=True)]
