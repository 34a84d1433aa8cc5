"""How often to look, so that looking is thorough where there is something to see, and cheap for ever."""

from __future__ import annotations

__all__ = ["FREE", "LONGEST", "LOOK", "QUIET", "SHARE", "Pauses"]

LOOK = 10e-3
"""Mean seconds between looks while there is something to see (guessed: a handler of 20 ms is seen)."""

QUIET = 100e-3
"""Mean seconds between looks, at most, after many that saw nothing. An empty look takes 40 to 90 µs with
waking up, so at a thousand requests a second it costs each of them less than 1 µs."""

WANING = 1.1
"""Factor by which a look that saw nothing puts off the next (guessed: from `LOOK` to `QUIET` in 25)."""

SHARE = 1e-3
"""Share of a core that looks may cost in the long run: at a thousand requests a second, each of which
computes 0.2 ms as with FastAPI, half a hundredth of that."""

FREE = 0.1
"""Seconds of computing that looks may take beyond that at first (guessed: some 300 looks at busy threads)."""

NEW_ROUTE = 0.03
"""Seconds of computing more for each new route (guessed)."""

LONGEST = 1.0
"""Seconds between looks at most (guessed)."""

NEWEST = 0.1
"""Weight of the latest look in what one usually costs (guessed)."""


class Pauses:
    """Turns what looks cost into pauses between them."""

    def __init__(self) -> None:
        self._credit = FREE
        self._routes = 0
        self._usual = 0.0
        self._pause = LOOK

    def pause(self, cost: float, routes: int, *, found: bool) -> float:
        """Mean seconds until the next look.

        The last one took `cost` seconds of computing, and may have found something to see.
        """
        self._credit = max(0.0, self._credit + NEW_ROUTE * (routes - self._routes) - cost)
        self._pause = LOOK if found or routes > self._routes else min(QUIET, self._pause * WANING)
        self._routes = routes
        self._usual += NEWEST * (cost - self._usual)
        if self._credit > 0:
            return self._pause
        return min(LONGEST, max(self._pause, self._usual / SHARE))
