"""How often to look, so that looking stays cheap for ever, and is thorough at first."""

from __future__ import annotations

__all__ = ["Allowance"]

LOOK = 10e-3
"""Mean seconds between looks at first (guessed: a handler of 20 ms is seen)."""

SHARE = 1e-3
"""Share of a core that looks may cost later on: at a thousand requests a second, each of which computes
0.2 ms as with FastAPI, half a hundredth of that."""

FREE = 30e-3
"""Seconds of computing that looks may take beyond that at first (some 500 looks)."""

NEW_ROUTE = 3e-3
"""Seconds of computing more for each new route (50 looks)."""

LONGEST = 1.0
"""Seconds between looks at most."""


class Allowance:
    """Turns what looks cost into pauses between them."""

    def __init__(self) -> None:
        self._credit = FREE
        self._routes = 0
        self._usual = 0.0

    def pause(self, cost: float, routes: int) -> float:
        """Mean seconds until the next look.

        Args:
            cost: Seconds of computing that the last one took.
            routes: How many routes are known.
        """
        self._credit += NEW_ROUTE * (routes - self._routes) - cost
        self._routes = routes
        self._usual += 0.1 * (cost - self._usual)
        if self._credit > 0:
            return LOOK
        self._credit = 0.0
        return min(LONGEST, max(LOOK, self._usual / SHARE))
