"""Deciding while coroutines run: how many at once, and whether one loop is the right place for them."""

from __future__ import annotations

from ._loop_known import LoopKnown
from ._loop_lanes import LoopLanes
from ._loop_stages import LoopStage, OnLoop, StartingBeside
from ._sight import Arrangement, Limits, LoopSight, Prior
from ._thresholds import GAINS

__all__ = ["LoopController"]


class LoopController:
    """Decides about one run of an `async def`.

    The stage of its answers is "loop", "starting" (the loop goes on while processes come up), "waiting"
    (over to so many threads with loops), "pair" (over to two, and to more if those compute side by side) or
    "outside" (over to processes with loops).

    Args:
        limits: What the run may use, as far as that is known; `threads` may have a loop each.
        prior: What an earlier run has learnt; None where there was none.
        bound: Whether items may use what belongs to this loop. Then only those leave that were never seen to
            wait for it: what never waits for a loop needs nothing of it.
        items: How many there are; None where nobody knows.
        reason: Why they are on one loop.

    Attributes:
        prior: As given.
    """

    def __init__(
        self,
        limits: Limits,
        prior: Prior | None = None,
        *,
        bound: bool = False,
        items: int | None = None,
        reason: str = "coroutines on one loop",
    ) -> None:
        self.prior = prior
        self._lanes = LoopLanes(limits.concurrency, items, prior.lanes if prior and self.waits else 0)
        self._known = LoopKnown(limits, self._lanes, bound=bound, each=prior.each if prior else 0.0)
        self._known.expected, self._known.forgone = (prior.items, prior.forgone) if prior else (0, 0.0)
        self._stage: LoopStage = OnLoop(self._known, reason)
        self._begun = False  # whether the loop was looked at

    @property
    def first(self) -> int:
        """Items in flight once one waits."""
        return self._lanes.first

    @property
    def weighed(self) -> bool:
        """Whether nothing urgent is left to be found out."""
        return self._known.weighed

    @property
    def waits(self) -> bool:
        """Whether items are known to wait, so that none need go ahead."""
        return self.prior is not None and self.prior.stage == "loop"

    @property
    def blocks(self) -> bool:
        """Whether items are known to hold their loop up, so that none need begin on one here."""
        held_up = self.prior is not None and self.prior.stage in {"waiting", "parallel"}
        return held_up and self._known.movable and not self._known.bound and self._known.limits.threads > 1

    @property
    def learnt(self) -> Prior | None:
        """What another run of the same callable may begin with; None where that is nothing."""
        known, run, lanes = self._known, self._known.last, self._lanes.found
        if lanes is not None:
            each = run.now / max(1, run.calls)
            if self.prior is not None and self.waits and each > self.prior.each / GAINS:
                lanes = min(lanes, self.prior.lanes)  # more of them delivered no more
            return Prior(stage="loop", lanes=lanes, each=each, items=run.done)
        if known.each == (self.prior.each if self.prior else 0.0):
            return None  # nothing of its own, so that what an earlier run has learnt stands
        forgone = known.forgone_so_far
        return Prior("gil", lanes=1, each=known.each, inside=known.inside, items=run.done, forgone=forgone)

    def anew(self, reason: str, barred: str) -> LoopController:
        """Who decides about the rest of the run, once others have come back for a reason."""
        following = LoopController(self._known.limits, bound=self._known.bound, reason=reason)
        following.bar(barred)
        return following

    def allow(self, limits: Limits) -> None:
        """Learn all that the run may use; before the first look."""
        self._known.limits = limits

    def bar(self, reason: str) -> None:
        """Learn that processes cannot serve."""
        self._known.barred = reason

    def stay(self, why: str) -> None:
        """Learn that nothing but this loop can serve."""
        self._known.movable = False
        self._stage = OnLoop(self._known, why)

    def look(self, sight: LoopSight) -> Arrangement:
        """Learn how the loop stands; what to do until the next look."""
        if not self._begun:
            self._begun = True
            self._known.begin(sight)
            self._resume(sight)
        self._known.look(sight)
        self._stage = self._stage.look(sight)
        return self._stage.arrange()

    def _resume(self, sight: LoopSight) -> None:
        """Have processes come up where an earlier run computed, if this one is worth it."""
        prior, known = self.prior, self._known
        if prior is None or prior.stage not in {"gil", "outside"} or known.obstacle or not known.movable:
            return
        known.inside = prior.inside
        if known.processes_pay(known.rest(sight.run)):
            self._stage = StartingBeside(known, prior.reason, plain=prior.inside == 1)
