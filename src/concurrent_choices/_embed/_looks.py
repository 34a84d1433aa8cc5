"""How often what a callable holds is looked at once its calls are away: each time, unless that costs much."""

from __future__ import annotations

import time

from ._held import Held, held_by

__all__ = ["Looks"]

SELDOM = 16
"""Of calls whose look costs much, one in so many is looked at."""

MUCH = 0.05
"""Share of a call's length that a look may cost (guessed: a trip costs 200 µs, a look at one global 10)."""


class Looks:
    """Says of each call whether it is looked at, and looks."""

    def __init__(self) -> None:
        self._calls = 0
        self._cost = 0.0

    def due(self, wall: float) -> bool:
        """Whether the next call is looked at, if one takes so many seconds."""
        self._calls += 1
        return self._cost <= MUCH * wall or self._calls % SELDOM == 0

    def at(self, fn: object) -> Held:
        """What a callable holds.

        The cheapest look counts, by the thread's own clock: others include what a crowded machine, or cold
        memory, made of them.
        """
        began = time.thread_time()
        held = held_by(fn)
        cost = time.thread_time() - began
        self._cost = min(self._cost or cost, cost)
        return held
