"""The workbench: a callable, its items, somebody to make the calls, the ledger of what was done."""

from __future__ import annotations

from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from .._inspect._bonds import is_loop_bound
from .._runtime._hand import OwnHand
from ._awaited_calls import AwaitedCalls
from ._calls import PlainCalls
from ._feed import Feed
from ._ledger import Ledger
from ._sample_loop import KeptLoop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .._facts._batch import Claim
    from .._facts._clock import Clock
    from .._runtime._hand import Hand
    from ._ledger import InFlight

__all__ = ["Bench"]

_FAREWELL = 0.1
"""Seconds that an idle hand is given to end its loop (guessed)."""


class Bench:
    """Holds together what sampling needs, and keeps account when a call does not come back.

    Args:
        is_async: Whether the calls give coroutines.
        hand: Makes a hand, which is what makes the calls: a thread of its own, or the caller's.

    Attributes:
        fn: The callable.
        is_async: As given.
        feed: The items not called yet.
        clock: What time is read from.
        another_hand: Makes one more hand.
        hand: The one that makes the calls.
        calls: How they are made.
        ledger: The calls made.
        gave_up: Whether nobody waits any longer: no call is begun any more.
        in_flight: Those that were under way then.
        missing: What could not be measured, each as "field: reason".
        binding: Why the calls have to be made in the caller's own thread; empty where they need not.
        turned_away: Share of the lanes of a trial that were turned away at once, in two trials alike; else 0.
    """

    def __init__(
        self,
        fn: Callable[[Any], Any],
        items: Iterable[Any],
        *,
        clock: Clock,
        is_async: bool,
        hand: Callable[[], Hand],
    ) -> None:
        self.fn = fn
        self.is_async = is_async
        self.feed = Feed(items, clock.wall)
        self.clock = clock
        self.another_hand = hand
        self.hand = hand()
        self.calls = (AwaitedCalls if is_async else PlainCalls)(fn, copy_context(), clock)
        self.ledger = Ledger()
        self.gave_up = False
        self.in_flight: tuple[InFlight, ...] = ()
        self.missing = list(clock.missing)
        self.binding = ""
        self.turned_away = 0.0
        self._keeps = False

    def bind(self, binding: str) -> None:
        """Have the calls made in the caller's own thread, for that reason."""
        self.hand.close()
        self.another_hand = OwnHand
        self.hand = OwnHand()
        self.binding = binding
        self.missing.append(f"pair_speedup: not tried, because {binding}")

    def left(self, deadline: int) -> float:
        """Seconds until a wall time of the clock; not negative."""
        return max(0.0, (deadline - self.clock.wall()) / 1e9)

    def do(self, work: Callable[[], None], claims: Sequence[Claim], deadline: int) -> bool:
        """Have calls of these claims made, as the ledger has them; whether all came back before the deadline.

        That is in ns, as the clock's wall time. What was not begun goes back to the feed.
        """
        ended = False
        try:
            ended = self.hand.do(work, self.left(deadline))
        finally:
            if not ended:
                self.give_up(claims)
        return ended

    def give_up(self, claims: Sequence[Claim]) -> None:
        """Wait no longer: nothing more is begun, and what was not begun goes back."""
        self.gave_up = True
        self.in_flight = self.ledger.abandon()
        self.feed.give_back(self.ledger.unbegun(claims))

    def keep_loop(self) -> KeptLoop | None:
        """The loop that coroutines were called on, if others will not do; else None."""
        if isinstance(self.calls, AwaitedCalls) and is_loop_bound(self.fn):
            self._keeps = True
            return KeptLoop(self.hand, self.calls.loop)
        return None

    def close(self) -> None:
        """End what was started and is not kept; a call that does not come back is left behind."""
        if not self._keeps:
            self.hand.do(self.calls.close, 0.0 if self.in_flight else _FAREWELL)
        self.hand.close()
