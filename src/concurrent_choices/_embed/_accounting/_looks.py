"""How often what a callable holds is looked at once its calls are away: each time, unless that costs much."""

from __future__ import annotations

import time

from ._held import Held, held_by

__all__ = ["FIRST", "Looks"]

CHEAP = 50e-6
"""Seconds up to which a look costs nothing worth saving (guessed: a quarter of a trip)."""

MUCH = 0.005
"""Share of the calls' time that dearer looks may cost (measured: one at 55 KB takes 90 to 190 µs, and at each
call of 12 ms `offload` lost 1 % to a process pool by them)."""

SELDOM = 16
"""Of calls, one in so many is looked at whatever that costs."""

FIRST = 8
"""Looks before it counts what they cost: in cold memory one takes up to ten times as long (measured)."""


class Looks:
    """Says of each call whether it is looked at, and looks."""

    def __init__(self) -> None:
        self._unseen = 0  # calls since the last look
        self._cost = 0.0
        self._looks = 0

    def due(self, wall: float) -> bool:
        """Whether the next call is looked at, if one takes so many seconds."""
        self._unseen += 1
        affordable = self._cost <= max(CHEAP, self._unseen * MUCH * wall)
        due = affordable or self._looks < FIRST or self._unseen >= SELDOM
        if due:
            self._unseen = 0
        return due

    def at(self, fn: object) -> Held:
        """What a callable holds.

        The cheapest look counts, by the thread's own clock: others include what a crowded machine, or cold
        memory, made of them.
        """
        began = time.thread_time()
        held = held_by(fn)
        cost = time.thread_time() - began
        self._cost = min(self._cost or cost, cost)
        self._looks += 1
        return held
