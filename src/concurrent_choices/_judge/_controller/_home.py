"""The way back to one loop, for coroutines that have left it and wait where they are now."""

from __future__ import annotations

from ._process_trial import Window
from ._sight import Arrangement, Sight
from ._thresholds import CALM, COUNTED

__all__ = ["Home", "LoopWatch", "leave_cores_idle"]

SPARE = 0.6
"""Cores that items keep busy at most where one loop could have them all (guessed: below `FULL`, from which it
would be left again)."""

HELD_UP = 0.2
"""The same of loops that items hold up, in threads (guessed: half of `BLOCKS`, from which it would be left
again, since one loop is to do more than those threads: items that wait for 50 ms and block for 1 went to and
fro, and took twice as long)."""

SEEN = 64
"""Lanes looked at in all before what looks show counts (guessed), which are several: at one moment many lanes
may be between two items, as they wait for the GIL."""


class Home:
    """Lanes and workers end once their present items are over; a loop goes on with the rest.

    It finds out anew whether items wait there: what was seen may hold for a few of them only.
    """

    name = "loop"

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def look(self, sight: Sight) -> Home:
        del sight
        return self

    def arrange(self) -> Arrangement:
        return Arrangement(self.name, self.reason, relieved=True, look=CALM)


class LoopWatch:
    """Watches lanes with a loop each, from a sight on."""

    def __init__(self, sight: Sight) -> None:
        self._since = sight
        self._looks = 0

    def frees(self, sight: Sight) -> bool:
        """Whether items hardly hold loops up: all of them together no more than one loop could bear."""
        since = self._since
        self._looks += 1
        seen, inside = sight.glances - since.glances, sight.inside - since.inside
        if seen < SEEN or self._looks < COUNTED:
            return False
        self._since, self._looks = sight, 0
        return sight.calls > since.calls and inside * sight.in_flight <= HELD_UP * seen


def leave_cores_idle(window: Window) -> bool:
    """Whether loops in all worker processes together want no more than one core."""
    sight, began = window.sight, window.began
    wanted = window.outside_cpu + sight.outside_queued - began.outside_queued
    return wanted <= SPARE * window.seconds and not sight.starved and sight.remaining != 0
