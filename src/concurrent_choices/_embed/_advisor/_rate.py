"""Which of many requests are timed."""

from __future__ import annotations

from random import Random

__all__ = ["ROW", "Rate"]

FIRST = 1000
"""Requests that are all timed at first (guessed: 30 ms of computing, once)."""

EACH_SECOND = 2
"""Requests a second that are timed later on, however many come: each costs 70 µs in its own thread and, as it
wakes the sampler, 120 µs there (measured), so together 0.04 % of a core."""

AT_ONCE = 20
"""Requests of a burst that are timed after a rest (guessed: ten seconds' worth)."""

ROW = 64
"""Requests that go by, on average, between looks at the clock while none is to be timed."""


class Rate:
    """Says which requests are timed: the first, and then some a second.

    Where all are timed it costs each 10 to 30 µs, at a thousand a second more than a hundredth of a core.
    """

    def __init__(self) -> None:
        self._chance = Random()  # noqa: S311 - nothing secret: requests of several routes may come in turn
        self._due = float(FIRST)
        self._since = 0.0

    def untimed(self, now: float) -> int:
        """How many requests, from this one on, go by before this is asked again; 0 to time this one."""
        if self._due < AT_ONCE:
            self._due = min(AT_ONCE, self._due + EACH_SECOND * (now - self._since))
        self._since = now
        if self._due < 1:
            return self._chance.randrange(1, 2 * ROW)
        self._due -= 1
        return 0
