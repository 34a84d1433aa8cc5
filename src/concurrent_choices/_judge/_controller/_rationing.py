"""Whether calls are turned away because there are so many at once, or would be however few there are.

Of `n` lanes let a call that is served take `S` seconds and one that is turned away `R`. Where

- a share of calls is turned away whatever else is called, as by hosts that are down, the odds of that are the
  same for all `n`;
- `k` calls are let in at a time, `k` lanes are served and the others turned away again and again: the odds
  are `(n - k) S / (k R)`;
- `r` calls a second are let in, it is the same with `k = r S`.

So half the lanes at least halve the odds in the last two cases, whatever `R` is, and in the first they do not
change them. The logarithm of the odds has a slope of 1 or more against that of the number of lanes, or else
of 0. How many are served in a second tells less: where calls compute, more lanes make each of them longer.

One look at it is not enough. A limit of calls a second often lets many in at first, so that fewer lanes that
come later have worse odds. So a slope of 0 only ends the halving. Then the lanes are doubled again, step by
step, as long as that leaves the share that is served: beyond a limit each step halves it, if `R` is no longer
than `S`, and in any case soon exceeds what is borne.
"""

from __future__ import annotations

from math import log, sqrt

from ._sight import Sight

__all__ = ["Rationing"]

SLOPE = 0.5
"""Half way between the slopes of both cases. One far below 0 is of neither: something else has changed."""

SURE = 8.0
"""Information about the slope from which it counts: its standard error is one by the root of that, 0.35."""

SERVED = 16
"""Calls that twice the lanes should have served before they are judged. All of them and half of them are told
apart nine times in ten; with 32 of them the lanes were back later by half (simulated)."""

WINDOW = 64
"""Calls among which what is turned away beyond what is borne may be chance, as for a first alarm; and so many
at least are remembered until that (guessed: twice those of a first alarm, which is sooner mended). One lane
makes as many before two are tried, and twice as many after each time in vain."""

CALM = 512
"""Calls without an alarm after which another one has nothing to do with those before (guessed)."""


class Rationing:
    """Decides whether calls that are turned away are a reason for fewer lanes.

    Attributes:
        lanes: How many there are to be while they are doubled again; 0 while they are not.
    """

    def __init__(self, sight: Sight) -> None:
        self.lanes = 0
        # The last look; and since when all calls that come back were begun by as many lanes as there are now.
        self._last = self._stretch = sight
        # Calls of which the last ones were begun by other lanes; and how many of those there were.
        self._before = (0, 0)
        self._trend = _Trend()
        self._top = 0  # lanes before the first halving that the trend knows of
        self._calm = CALM  # calls since the last alarm
        self._needed = SURE
        self._borne = 0.0  # share of calls turned away up to which that is no alarm
        self._excess = 0.0  # how many more there were than that, since there was none
        self._yield = 0.0  # share of calls that were served before lanes were doubled

    def look(self, sight: Sight, lanes: int) -> bool:
        """Learn how the run stands with so many lanes; whether those should be halved."""
        last, self._last = self._last, sight
        self._count(sight, last)
        if self.lanes:
            return self._ascend(sight)
        if not (self._exceeds if self._borne else sight.errors > last.errors):
            if self._calm >= CALM and self._trend.calls >= max(WINDOW, lanes):
                self._restart()
            return False
        self._calm, self._excess = 0, 0.0
        if not self._is_in_vain(sight, lanes):
            return True
        self._bear(lanes)
        return False

    def halved(self, sight: Sight, lanes: int) -> None:
        """Learn that half of so many lanes are to go."""
        if lanes == 1:
            return  # it stays
        if self._trend.is_steep(self._needed):
            self._restart()  # below a limit it may be another matter
        self._top = self._top or lanes
        self._change(sight)

    @property
    def _exceeds(self) -> bool:
        """Whether more calls are turned away than are borne, and not by chance."""
        return self._excess >= self._borne * (1 - self._borne) * WINDOW

    def _count(self, sight: Sight, last: Sight) -> None:
        calls, refused = sight.calls - last.calls, sight.refused - last.refused
        lanes = (last.in_flight + sight.in_flight) / 2
        until, before = self._before
        if sight.calls < until:
            self._stretch, lanes = sight, before
        if _served(sight):  # the first ones that come back are those that were turned away
            self._trend.add(calls, refused, lanes)
        self._calm += calls
        self._excess = max(0.0, self._excess + refused - self._borne * calls)

    def _is_in_vain(self, sight: Sight, lanes: int) -> bool:
        """Whether fewer lanes are no help.

        One cannot be halved, so that nothing would make it much surer. Where it is turned away as well, and
        the halving has only by chance seemed to help, it would stay for good: it takes two to learn more.
        """
        if lanes > 1:
            return self._trend.is_flat(self._needed)
        until, _ = self._before
        long = sight.calls - until >= WINDOW * self._needed / SURE
        return long or self._trend.is_flat(self._needed / 4)

    def _bear(self, lanes: int) -> None:
        """Fewer lanes were no help: bear what twice the odds would be, and double the lanes again."""
        share = self._trend.share
        self._borne = 2 * share / (1 + share)
        self.lanes, self._yield = lanes, 0.0

    def _ascend(self, sight: Sight) -> bool:
        """Go on doubling once that has not changed how many are served; whether it has."""
        served = _served(sight) - _served(self._stretch)
        calls = sight.calls - self._stretch.calls
        expected = self._yield * calls if self._yield else served
        if self._exceeds or (expected >= SERVED and served < expected / sqrt(2)):
            self._give_up()
            return True
        if expected >= SERVED:
            self._yield = self._yield or served / calls
            self._double(sight)
        return False

    def _double(self, sight: Sight) -> None:
        if self.lanes >= self._top:
            self.lanes, self._excess = 0, 0.0
            self._restart()
            return
        self.lanes = min(2 * self.lanes, self._top)
        self._change(sight)

    def _give_up(self) -> None:
        self.lanes, self._borne, self._excess = 0, 0.0, 0.0
        self._needed *= 2
        if self._needed > 2 * SURE:  # the first time it may have been chance
            self._restart()

    def _change(self, sight: Sight) -> None:
        self._stretch = sight
        self._before = (sight.calls + sight.in_flight, sight.in_flight)

    def _restart(self) -> None:
        self._trend, self._top = _Trend(), 0


class _Trend:
    """The odds that a call is turned away, against the number of lanes, by a line through their logarithms.

    Its slope is told by one step from 0, as a score test does, which needs sums only.
    """

    def __init__(self) -> None:
        self.calls = self._refused = 0
        self._places = self._squares = self._products = 0.0

    def add(self, calls: int, refused: int, lanes: float) -> None:
        """Count calls that so many lanes have made, and those of them that were turned away."""
        place = log(max(1.0, lanes))
        self.calls += calls
        self._refused += refused
        self._places += calls * place
        self._squares += calls * place**2
        self._products += refused * place

    @property
    def share(self) -> float:
        """Share of calls that were turned away."""
        return self._refused / max(1, self.calls)

    def is_flat(self, needed: float) -> bool:
        """Whether the number of lanes surely changes nothing."""
        score, known = self._score()
        return known >= needed and abs(score) < SLOPE * known

    def is_steep(self, needed: float) -> bool:
        """Whether more lanes are surely turned away more often."""
        score, known = self._score()
        return known >= needed and score >= SLOPE * known

    def _score(self) -> tuple[float, float]:
        """The slope times what is known of it, and how much that is."""
        mean = self._places / max(1, self.calls)
        spread = self._squares - self.calls * mean**2
        return self._products - self._refused * mean, self.share * (1 - self.share) * spread


def _served(sight: Sight) -> int:
    return sight.calls - sight.refused
