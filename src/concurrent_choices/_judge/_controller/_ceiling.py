"""The most lanes there may be: fewer once calls are turned away, and more again once they are not.

After 64 rounds in which hardly a call was turned away there may be an eighth more lanes, and each further
eighth comes twice as soon. The first that has calls turned away is taken back together with the one before,
and the next try takes twice as many rounds.

Some calls are turned away however few there are, as where some hosts of many are down. Once errors mean no
more that there are too many, twice as many rounds are enough whatever share that is; and a step is too far
only where it is surely more than before the try. In simulation 2,000 calls of 20 ms to a server that lets one
in for a second, and then all but one in fifty, take 10 to 13 s instead of 37 in one lane; all but one in
twenty 15 to 23.

So a limit that has passed is found out within seconds, and one that stays is tried a logarithmic number of
times. In simulation 4,000 calls of 20 ms to a server that lets four in for a second, and then all, take 4 to
6 s instead of 19 to 26; and where eight are let in at a time for good, two to six of 2,000 calls are turned
away by the tries.
"""

from __future__ import annotations

from math import ceil, log

from ._sight import Sight

__all__ = ["CONGESTED_PATIENCE", "Ceiling"]

CONGESTED_PATIENCE = 64
"""Rounds without trouble until more lanes are tried (simulated: after 48, limits of calls a second turn 4 %
more of them away)."""

SOONEST = 2
"""Rounds between two steps at least: what a step brings shows in the round after it."""

STEP = 8
"""Part of the lanes by which there are more (simulated: beyond a limit a sixth has more calls turned away;
steps that double, from one lane on, are faster by half a second, and have more turned away too)."""

HARDLY = 1 / 32
"""Share of calls turned away that is no trouble: a step too far has a tenth turned away (guessed)."""

MORE = 1 / 10
"""Share that a step too far has turned away of those calls that would be served without it."""

SURE = 4.0
"""Logarithm of how much likelier that must have made what was seen: a step that is not too far is taken back
once in 55 times at most, by Wald's bound, and there are some 25 on the way from one lane to 100."""

BELOW_ERRORS = 0.8
"""Share of as many lanes as there were when errors came, which are the most from then on (guessed)."""


class Ceiling:
    """See the module.

    Attributes:
        lanes: The most there may be now.
    """

    def __init__(self, sight: Sight, most: int) -> None:
        self.lanes = self._most = most
        # Rounds without trouble until a try, and until the next step; and those there were.
        self._patience = self._interval = CONGESTED_PATIENCE
        self._quiet = self._rounds = 0
        # Where those without trouble began; and where all did since calls were last too many.
        self._calm = self._before = sight
        # Lanes where this try began, and of its last step, 0 without one; and when that was made.
        self._floor = self._step = 0
        self._raised = sight
        self._share = 0.0  # of calls before it that were turned away

    @property
    def is_lowered(self) -> bool:
        """Whether there may be fewer than if no calls had been turned away."""
        return self.lanes < self._most

    def cut(self, lanes: int) -> None:
        """Learn that so many lanes were too many."""
        self.lanes = max(1, int(BELOW_ERRORS * lanes))
        self._rest()

    def lift(self) -> None:
        """There is no limit, or fewer lanes are no help: allow all."""
        self.lanes, self._patience = self._most, CONGESTED_PATIENCE
        self._rest()

    def allows_more(self, began: Sight, sight: Sight) -> bool:
        """Learn how a round went; whether it is time for more lanes."""
        if not (self._rounds or self._step):
            self._before = began
        if not self._quiet:
            self._calm = began
        self._rounds += 1
        self._quiet = 0 if _has_trouble(self._calm, sight) else self._quiet + 1
        return self.is_lowered and max(self._quiet, self._rounds // 2) >= self._interval

    def rise(self, sight: Sight, lanes: int) -> None:
        """Allow an eighth more than so many lanes."""
        self._floor = self._floor or lanes
        self._step = ceil(lanes / STEP)
        self._interval = max(self._interval // 2, SOONEST)
        self._quiet = self._rounds = 0
        self._share = _share(self._before, sight)
        self.lanes, self._raised = lanes + self._step, sight
        if not self.is_lowered:
            self.lift()

    def is_too_high(self, sight: Sight) -> bool:
        """Whether the last step has more calls turned away: Wald's sequential test."""
        if not self._step:
            return False
        refused, calls = sight.refused - self._raised.refused, sight.calls - self._raised.calls
        likelier = 1.0 + MORE * (1.0 - self._share) / self._share
        return refused * log(likelier) + (calls - refused) * log(1.0 - MORE) >= SURE

    def fall(self) -> None:
        """Take the last two steps back."""
        self.lanes = max(self._floor, self.lanes - 2 * self._step)
        self._patience *= 2
        self._rest()

    def _rest(self) -> None:
        self._interval = self._patience
        self._quiet = self._rounds = 0
        self._floor = self._step = 0


def _has_trouble(since: Sight, sight: Sight) -> bool:
    """Whether more than hardly a call was turned away; one is none yet, as few lanes make few in a round."""
    return sight.refused - since.refused > max(1, HARDLY * (sight.calls - since.calls))


def _share(since: Sight, sight: Sight) -> float:
    """Share of calls turned away, but neither none nor all: that is never known for sure."""
    return (sight.refused - since.refused + 0.5) / (sight.calls - since.calls + 1.0)
