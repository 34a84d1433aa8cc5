"""Trying more lanes now and then, and fewer, once their number has settled."""

from __future__ import annotations

from math import ceil

from ._thresholds import GAINS

__all__ = ["Probing"]

PROBE = 1.5
"""Lanes of a probe for more, as a multiple (guessed: its gain has to show in one round)."""

FEWER = 0.75
"""The same for fewer (DECISION.md 5.3); each such probe that is kept is followed by one for half of them."""

KEPT = 0.98
"""Share of the deliveries for which the fewer lanes of one are kept (DECISION.md 5.3)."""

PATIENCE = 8
"""Rounds between settling and the first probe; twice as many after each probe in vain (guessed)."""


class Probing:
    """When another number of lanes is tried, and whether that is kept.

    It begins with more of them, and takes turns with each probe that was in vain.

    Attributes:
        usual: Lanes there were before the probe that is under way; 0 without one.
    """

    def __init__(self) -> None:
        self._rounds = 0  # since the number has settled, or the last probe
        self._patience = PATIENCE  # as many until the next
        self._fewer = False  # whether that is for fewer
        self.usual = 0
        self._before = 0.0  # deliveries a second of those
        self._mixed = False  # whether calls of the present round may have begun beside others of before

    def rest(self) -> None:
        """The number has settled anew."""
        self._rounds, self.usual, self._mixed = 0, 0, False

    def stop(self) -> None:
        """Whatever is tried is not to be judged."""
        self.usual = 0

    def count_round(self) -> None:
        """One more is over."""
        self._rounds += 1

    def tells(self) -> bool:
        """Whether the round that is over was one of the present lanes alone."""
        mixed, self._mixed = self._mixed, False
        return not mixed

    @property
    def is_due(self) -> bool:
        """Whether it is time to try."""
        return self._rounds >= self._patience

    def wanted(self, lanes: int, most: int, *, queued: bool) -> int:
        """How many to try: more and fewer by turns; but fewer if calls queue, and there may be no more."""
        more = min(ceil(PROBE * lanes), most)
        if lanes > 1 and (self._fewer or (queued and more == lanes)):
            return int(FEWER * lanes)
        return more

    def begin(self, lanes: int, rate: float) -> None:
        """There are others for a round from now on, instead of so many that deliver at such a rate."""
        self.usual, self._before, self._mixed = lanes, rate, True

    def end(self, lanes: int, rate: float) -> int:
        """Judge so many that were tried by what they delivered; how many there are to be."""
        usual, self.usual, self._rounds = self.usual, 0, 0
        if rate >= (KEPT if lanes < usual else GAINS) * self._before:
            return lanes
        self._mixed, self._fewer = True, lanes > usual
        self._patience *= 2  # probing stays logarithmic
        return usual
