"""What the controller of coroutines knows across its stages: how many lanes, and whether items may leave."""

from __future__ import annotations

from ._known import Known, worth_carrying
from ._loop_lanes import LoopLanes
from ._sight import Limits, LoopSight, Sight
from ._thresholds import COUNTED, FULL

__all__ = ["LoopKnown", "served"]

PLAIN_LOOKS = 4
"""Looks before what its clock shows counts (guessed: one more than tell of the GIL)."""

WEIGHED = 2
"""Times they have counted, after which nothing urgent is left: in the first the run itself still begins."""

CARRIED = 60e-6
"""CPU seconds to carry an item that waits to a loop in a worker process, and its result back (measured: 45 µs
there and 15 here; a task that sleeps once takes 9 in all, so that 20,000 took 1.2 s instead of 0.4)."""


class LoopKnown(Known):
    """What is known of coroutines, beside what is known of any callable.

    A loop is judged in windows of some looks each.

    Args:
        limits: What the run may use.
        lanes: Those on the loop.
        bound: As for the controller.
        each: Seconds an item takes, as far as that is known.

    Attributes:
        lanes: As given.
        bound: Whether items may use what belongs to this loop.
        movable: Whether others than this loop can serve.
        inside: Lanes in each worker process.
        since: Where the present window began.
        turned_away: Whether calls were, in the present window.
    """

    def __init__(self, limits: Limits, lanes: LoopLanes, *, bound: bool, each: float) -> None:
        super().__init__(limits, each)
        self.lanes = lanes
        self.bound = bound
        self.movable = True
        self.inside = 1
        self.since = self._last = LoopSight(Sight(now=0.0), looks=0, inside=0)
        self.turned_away = False
        self._windows = 0  # those that are over

    @property
    def weighed(self) -> bool:
        """Whether nothing urgent is left to be found out."""
        return self._windows >= WEIGHED or self.lanes.all_begun

    @property
    def last(self) -> Sight:
        """The run as it was last seen."""
        return self._last.run

    # Windows

    def begin(self, sight: LoopSight) -> None:
        """Learn where the first window begins."""
        self.since = self._last = sight

    def look(self, sight: LoopSight) -> None:
        """Learn how the loop stands."""
        self.turned_away |= sight.run.errors > self._last.run.errors
        self.lanes.look(sight, self._last)
        self._last = sight

    def tells(self, sight: LoopSight) -> bool:
        """Whether the present window shows enough."""
        return sight.looks - self.since.looks >= COUNTED or self._plainly_computes(sight)

    def _plainly_computes(self, sight: LoopSight) -> bool:
        """Whether items that never wait fill the loop, so that nothing blocks it that others would show."""
        since = self.since
        enough = sight.looks - since.looks >= PLAIN_LOOKS and sight.run.calls > since.run.calls
        return sight.alone and enough and sight.run.busy(since.run) >= FULL

    def close_window(self, sight: LoopSight) -> LoopSight:
        """The present window is over, and the next one begins; where the one that is over began."""
        since = self.since
        self._windows += 1
        self.lanes.judge(sight, since)
        self.open_window(sight)
        return since

    def open_window(self, sight: LoopSight) -> None:
        """What counts is seen from now on."""
        self.since = sight
        self.lanes.open_window()

    # Whether items may leave, and gain by that

    def never_wait(self, sight: LoopSight) -> bool:
        """Whether items need nothing of their loop: one at a time is begun, and over before the next."""
        return sight.alone or self.lanes.hushed

    def may_leave(self, sight: LoopSight) -> bool:
        """Whether items may go elsewhere; what one needs of its loop is not known until it is over.

        Not while calls are turned away: those take no time, so that asking again and again fills the loop,
        and there would be more of them from several loops.
        """
        needless = self.never_wait(sight) and sight.run.calls > 0 and not sight.needs_loop
        return self.movable and (needless or not self.bound) and not self.turned_away

    def is_worth_carrying(self, sight: LoopSight, since: LoopSight) -> bool:
        """Whether items that wait compute so much that carrying them gains anything; also where few tell."""
        run, before = sight.run, since.run
        cpu = (run.lane_cpu - before.lane_cpu) / max(served(run, before), 0.5)
        return run.calls - before.calls < COUNTED or worth_carrying(cpu, CARRIED, self.limits.processes)

    def lanes_inside(self, in_flight: int) -> int:
        """Items in flight in each process, of those that wait; no more in all than there are now."""
        return max(1, min(self.limits.share(in_flight), self.lanes.most // self.limits.processes))


def served(run: Sight, before: Sight) -> float:
    """Items done since then, those that were begun and are not over as if they were half done."""
    return run.calls - before.calls + max(0, run.in_flight - before.in_flight) / 2
