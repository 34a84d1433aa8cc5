"""Deciding while coroutines run: how many at once, and whether one loop is the right place for them."""

from __future__ import annotations

from math import ceil

from attrs import frozen

from ._climb import Climb
from ._known import Known, worth_starting
from ._sight import Arrangement, Limits, Sight
from ._thresholds import COUNTED, FULL, GLANCE, MOST_INSIDE

__all__ = ["LoopController", "LoopSight"]

FIRST_TASKS = 32
"""Items in flight to begin with: coroutines are cheap (DECISION.md 5.3, S3)."""

BLIND_TASKS = ((0.0, 128), (0.02, 256), (0.08, 1000))
"""Most items in flight while none has come back, by the seconds waited so far (guessed)."""

MOST_TASKS = 1000
"""Items in flight at most: half the files a process may open by default (DECISION.md 5.3, caps)."""

BLOCKS = 0.4
"""Share of the time in which the loop stands still inside the callable, without computing, from which
threads with loops are the better place (DECISION.md 5.1, async-blocking)."""

NEVER_WAITING = 2
"""Items in flight, where lanes are many, that show that none waits: one is at work, one has just ended."""

REST = 10e-3
"""Longest time between looks: eight of them must show what blocks a loop before it is felt (guessed)."""

HUSHED = 4
"""Lanes for items that never wait: more gain nothing, and each is one item longer until the loop turns."""

LOOKS = 8
"""Looks at the loop before what they show counts."""


@frozen(kw_only=True)
class LoopSight:
    """A loop as it stands.

    Attributes:
        run: The run. Its `calls` are the items finished, `flying` those in flight, `lane_cpu` is the CPU
            of the loop's thread.
        looks: How often the loop's thread was looked at.
        inside: How often it was found inside the callable, instead of waiting or switching tasks.
        queued: Seconds that thread was ready to run and found no core.
    """

    run: Sight
    looks: int
    inside: int
    queued: float = 0.0


class LoopController:
    """Decides about one run of an `async def`.

    The stage of its answers is "loop", "starting" (the loop goes on while processes come up), "waiting"
    (over to threads with loops) or "outside" (over to processes with loops).

    Args:
        limits: What the run may use; `threads` is how many threads may have a loop each.
        movable: Whether items may leave this loop at all.
        bound: Whether they may use what belongs to this loop. Then only those leave that were never seen to
            wait for it: what never waits for a loop needs nothing of it.

    Attributes:
        weighed: Whether nothing urgent is left to be found out.
    """

    def __init__(self, limits: Limits, *, movable: bool = True, bound: bool = False) -> None:
        self._known = Known(limits)
        self._most = limits.flying or MOST_TASKS
        self._movable = movable
        self._bound = bound
        self._climb: Climb | None = None
        self._window: LoopSight | None = None
        self._stage = "loop"
        self._reason = "coroutines on one loop"
        self._inside = 1
        self._most_flying = 0
        self._hushed = False
        self.weighed = False

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
        self._most_flying = max(self._most_flying, sight.run.flying)
        if self._stage == "starting":
            self._wait_for_workers(sight.run)
        elif sight.looks - self._window.looks >= LOOKS:
            self.weighed = True
            self._close_window(sight)
        return self._arrangement(min(lanes, HUSHED) if self._hushed else lanes)

    def _close_window(self, sight: LoopSight) -> None:
        assert self._window is not None
        before, self._window = self._window, sight
        most, self._most_flying = self._most_flying, 0
        self._hushed = most < HUSHED if self._hushed else most <= NEVER_WAITING
        if self._movable and (self._hushed or not self._bound):
            self._weigh(sight, before)

    def _weigh(self, sight: LoopSight, before: LoopSight) -> None:
        """Whether the loop waits, computes or is blocked."""
        seconds = sight.run.now - before.run.now
        cpu = sight.run.lane_cpu - before.run.lane_cpu + sight.queued - before.queued
        busy = cpu / max(seconds, 1e-9)
        inside = (sight.inside - before.inside) / (sight.looks - before.looks)
        calls = sight.run.calls - before.run.calls
        if inside - busy >= BLOCKS and self._known.limits.threads > 1:
            self._stage, self._reason = "waiting", f"items block their loop {inside - busy:.0%} of the time"
        elif busy >= FULL and (calls >= COUNTED or self._hushed):
            self._known.each = seconds / calls if calls >= COUNTED else self._each_so_far(sight.run)
            self._fill(sight.run, busy)

    @staticmethod
    def _each_so_far(sight: Sight) -> float:
        """Seconds of an item that never waits, where few are over: half of one, until the first is."""
        return sight.now / max(sight.calls, 0.5)

    def _fill(self, sight: Sight, busy: float) -> None:
        """One loop is full: more of them, in processes, if the rest pays for those."""
        known, limits = self._known, self._known.limits
        if known.obstacle:
            self._reason = f"the loop is full, and {known.obstacle}"
            return
        rest = known.rest(sight)
        if worth_starting(rest, limits.process_start, limits.processes):
            self._inside = 1 if self._hushed else self._lanes_inside(sight.flying)
            self._stage = "starting"
            self._reason = f"the loop computes {busy:.0%} of the time, and about {rest:.2g} s are left"

    def _lanes_inside(self, flying: int) -> int:
        """Items in flight in each process, of those that wait; no more in all than there are now."""
        processes = self._known.limits.processes
        return max(1, min(MOST_INSIDE, ceil(flying / processes), self._most // processes))

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
        look = max(GLANCE, min(trip / 4, REST)) if self._climb.settled else GLANCE
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
