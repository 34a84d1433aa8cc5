"""Deciding while coroutines run: how many at once, and whether one loop is the right place for them."""

from __future__ import annotations

from math import ceil

from attrs import frozen

from ._climb import Climb
from ._known import Known, worth_starting
from ._sight import Arrangement, Limits, Sight
from ._thresholds import CALM, COUNTED, FULL, GLANCE

__all__ = ["LoopController", "LoopSight"]

FIRST_TASKS = 32
"""Items in flight to begin with: coroutines are cheap (DECISION.md 5.3, S3)."""

BLIND_TASKS = ((0.0, 128), (0.02, 256), (0.08, 1000))
"""Most items in flight while none has come back, by the seconds waited so far (guessed)."""

MOST_TASKS = 1000
"""Items in flight at most: half the files a process may open by default (DECISION.md 5.3, caps)."""

BLOCKS = 0.3
"""Share of the time in which the loop stands still inside the callable, without computing, from which
threads with loops are the better place (DECISION.md 5.1, async-blocking)."""

LOOKS = 8
"""Looks at the loop before what they show counts."""

THREADS = 16
"""Threads with a loop each to begin with, for items that block theirs."""


@frozen(kw_only=True)
class LoopSight:
    """A loop as it stands.

    Attributes:
        run: The run. Its `calls` are the items finished, `flying` those in flight, `lane_cpu` is the CPU
            of the loop's thread.
        looks: How often the loop's thread was looked at.
        inside: How often it was found inside the callable, instead of waiting or switching tasks.
    """

    run: Sight
    looks: int
    inside: int


class LoopController:
    """Decides about one run of an `async def`.

    The stage of its answers is "loop", "starting" (the loop goes on while processes come up), "waiting"
    (over to threads with loops) or "outside" (over to processes with loops).

    Args:
        limits: What the run may use; `threads` is how many threads may have a loop each.
        tasks: Items in flight at most.
        movable: Whether items may leave this loop at all.
    """

    def __init__(self, limits: Limits, tasks: int | None = None, *, movable: bool = True) -> None:
        self._known = Known(limits)
        self._most = tasks or MOST_TASKS
        self._movable = movable
        self._climb: Climb | None = None
        self._window: LoopSight | None = None
        self._stage = "loop"
        self._reason = "coroutines on one loop"
        self._inside = 1

    @property
    def first(self) -> int:
        """Items in flight to begin with."""
        return min(FIRST_TASKS, self._most)

    def bar(self, reason: str) -> None:
        """Learn that processes cannot serve."""
        self._known.barred = reason

    def look(self, sight: LoopSight) -> Arrangement:
        """Learn how the loop stands; what to do until the next look."""
        if self._climb is None or self._window is None:
            self._climb = Climb(sight.run, self._most, self.first, blind=BLIND_TASKS)
            self._window = sight
        lanes = self._climb.look(sight.run)
        if self._stage == "starting":
            self._wait_for_workers(sight.run)
        elif self._movable and sight.looks - self._window.looks >= LOOKS:
            before, self._window = self._window, sight
            self._weigh(sight, before)
        return self._arrangement(lanes)

    def _weigh(self, sight: LoopSight, before: LoopSight) -> None:
        """Whether the loop waits, computes or is blocked."""
        seconds = sight.run.now - before.run.now
        busy = (sight.run.lane_cpu - before.run.lane_cpu) / max(seconds, 1e-9)
        inside = (sight.inside - before.inside) / (sight.looks - before.looks)
        calls = sight.run.calls - before.run.calls
        if inside - busy >= BLOCKS and self._known.limits.threads > 1:
            self._stage, self._reason = "waiting", f"items block their loop {inside - busy:.0%} of the time"
        elif busy >= FULL and calls >= COUNTED:
            self._known.each = seconds / calls
            self._fill(sight.run, busy)

    def _fill(self, sight: Sight, busy: float) -> None:
        """One loop is full: more of them, in processes, if the rest pays for those."""
        known, limits = self._known, self._known.limits
        if known.obstacle:
            self._reason = f"the loop is full, and {known.obstacle}"
            return
        rest = known.rest(sight)
        if worth_starting(rest, limits.process_start, limits.processes):
            flying = max(1, sight.flying)
            self._inside = max(2, min(64, ceil(flying / limits.processes)))
            self._stage = "starting"
            self._reason = f"the loop computes {busy:.0%} of the time, and about {rest:.2g} s are left"

    def _wait_for_workers(self, sight: Sight) -> None:
        if self._known.obstacle:
            self._stage, self._reason = "loop", f"the loop is full, and {self._known.obstacle}"
        elif sight.ready >= min(2, self._known.limits.processes):
            pays = worth_starting(self._known.rest(sight), 0.0, self._known.limits.processes)
            self._stage = "outside" if pays else "loop"
            self._movable = pays

    def _arrangement(self, lanes: int) -> Arrangement:
        assert self._climb is not None
        trip = self._climb.round_trip
        look = max(GLANCE, min(trip / 4, CALM)) if self._climb.settled else GLANCE
        reason = self._reason if self._stage != "loop" else f"{self._reason}; {self._climb.why}"
        return Arrangement(
            stage=self._stage,
            reason=reason,
            threads=lanes,
            relieved=True,
            processes=self._known.limits.processes if self._stage in {"starting", "outside"} else 0,
            outside=self._stage == "outside",
            inside=self._inside,
            look=look,
        )
