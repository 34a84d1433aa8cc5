"""The first milliseconds of a run, when looking at it would cost more than it could tell."""

from __future__ import annotations

from .._judge._controller._first_look import FIRST_LOOK, computes, tells
from .._judge._controller._thresholds import PROCESS_START
from .._judge._controller._witness import WITNESSED
from ._lateness import Lateness
from ._tally import Tally

__all__ = ["PRELUDE", "FirstGlances"]

PRELUDE = 0.25e-3
"""Seconds until the observer is made, if the first call sleeps by then: in a process's first run that takes a
millisecond (measured), during which nobody else wants the GIL."""

DOZING = 0.5
"""Share of its time that such a call may have computed (guessed: beginning takes a tenth of a
millisecond)."""

BRIEF = 5e-3
"""Seconds of work that are not worth a look: two lanes take longer to tell the GIL from the cores, and lanes
for calls that wait have to be started first."""


class FirstGlances:
    """Glances at the calling thread's account: no file is read, no call held up, no controller made.

    The first look does all of that, which costs the calls one to three milliseconds: a job of five ends
    before that pays.

    Attributes:
        computed: Whether the calling thread has computed ever since the first call.
    """

    def __init__(self, tally: Tally, lateness: Lateness) -> None:
        self._tally = tally
        self._lateness = lateness
        self._brief = False
        self.computed = False

    @property
    def dozes(self) -> bool:
        """Whether the first call, which is not over, has slept for most of its time."""
        held, cpu = self._tally.held()
        return held > 0.0 and not self._tally.items and cpu <= DOZING * held

    def rest(self, left: int | None) -> float | None:
        """Seconds until there may be something to decide; None if that is now.

        `left` is how many items nobody has claimed; None where the length is unknown.
        """
        rest = self._rest(left)
        if rest is not None:
            self._lateness.glance()
            self._lateness.expect(rest)
        return rest

    def _rest(self, left: int | None) -> float | None:
        tally = self._tally
        held, held_cpu = tally.held()
        wall = tally.wall + held
        if not wall:
            return None
        if left == 0:
            return BRIEF  # somebody may give some back
        if left and not self._brief and 0 < (rest := left * _each(tally)) < BRIEF:
            self._brief = True  # once: what lasts longer than it said is worth a look
            return rest
        self.computed = computes(wall, tally.cpu + held_cpu)
        if self.computed and not tells(wall, tally.items):
            return FIRST_LOOK
        return self._rest_under_gil(left, wall) if self.computed else None

    def _rest_under_gil(self, left: int | None, wall: float) -> float | None:
        """As `rest`, of calls that compute: those under the GIL may be over before there are processes."""
        rest, lateness = (left or 0) * _each(self._tally), self._lateness
        if not (0 < rest < PROCESS_START - wall and 0 < lateness.looks == lateness.late):
            return None
        return max(BRIEF, rest / 2) if lateness.looks >= WITNESSED else FIRST_LOOK


def _each(tally: Tally) -> float:
    """Seconds of an item, without the first where there are others; 0 while none is over."""
    others = tally.items - 1
    return (tally.wall - tally.first[0]) / others if others > 0 else tally.wall
