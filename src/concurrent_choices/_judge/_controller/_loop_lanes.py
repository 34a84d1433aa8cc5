"""How many coroutines are in flight on one loop."""

from __future__ import annotations

from ._climb import FIRST, Climb
from ._sight import LoopSight
from ._thresholds import GLANCE, LEARNING_LOOKS

__all__ = ["REST", "LoopLanes"]

BLIND_TASKS = ((1.5e-3, 64), (4e-3, 128), (0.02, 256), (0.08, 1000))
"""Most items in flight while none has come back, by the seconds waited so far. Items that wait for a short
time and then block the loop do so one after another, however many there are by then: 78 that do after 3 ms
take as long as when there were no more than 16 before 4 ms, 109 ms for 62 where 128 might begin after 1 ms;
74 conversations of 6 ms take 27 ms instead of 30 (benchmarks.regret, async-awaits-blocks and async-echo)."""

FEW_TASKS = 32
"""Items that are all begun at once, as soon as one is seen to wait: 25 that only wait for 20 ms lose a
millisecond (benchmarks.regret, async-sleep-20ms). Of more than these the last must wait all the same."""

MOST_TASKS = 1000
"""Items in flight at most: half the files a process may open by default (DECISION.md 5.3, caps)."""

NEVER_WAITING = 2
"""Items in flight, where lanes are many, that show that none waits: one is at work, one has just ended."""

AT_WORK = 1.5
"""Items in flight on average from which one waits while another is at work (guessed: without, it is 1)."""

HUSHED = 4
"""Lanes for items that never wait: more gain nothing, and each is one item longer until the loop turns."""

REST = 10e-3
"""Longest time between looks: eight of them must show what blocks a loop before it is felt (guessed)."""


class LoopLanes:
    """Lanes on one loop: as many as the delivery rate says, from when an item is seen to wait.

    Args:
        concurrency: Items in flight at most, as the caller said; None for any number.
        items: How many there are; None where nobody knows.
        known: Lanes that an earlier run has found; 0 without one.

    Attributes:
        most: Items in flight at most.
        first: Items in flight once one waits: few enough to be borne if each blocks the loop later.
        wanted: How many there should be.
        hushed: Whether items never wait, though several are begun at once.
        climb: What finds how many; None until an item is seen to wait.
        all_begun: Whether items wait, all are begun, and none is back: there is nothing to decide.
    """

    def __init__(self, concurrency: int | None, items: int | None, known: int) -> None:
        self.most = concurrency or MOST_TASKS
        few = items if items is not None and items <= FEW_TASKS else 0  # all of them, if they are few
        self.first = self.wanted = min(max(FIRST, few, known), self.most)
        self.hushed = self.all_begun = False
        self.climb: Climb | None = None
        self._now = 0.0  # at the last look
        self._in_flight = self._peak = 0  # most items in the present window, and ever
        self._starved = False  # whether lanes lacked items in the present window

    def look(self, sight: LoopSight, before: LoopSight) -> None:
        """Learn how the loop stands, and stood at the last look."""
        self.wanted, self._now = self._wanted(sight, before), sight.run.now
        self.all_begun = not sight.alone and sight.run.remaining == 0 == sight.run.calls
        self._in_flight = max(self._in_flight, sight.run.in_flight)
        self._peak = max(self._peak, self._in_flight)
        self._starved |= sight.run.starved

    def _wanted(self, sight: LoopSight, before: LoopSight) -> int:
        if sight.alone:
            return self.first
        if self.climb is None:
            blind = ((0.0, self.first), *BLIND_TASKS)
            self.climb = Climb(sight.run, self.most, self.first, blind=blind)
        if sight.is_held_up(before):
            return self.climb.lanes  # others would be held up too
        lanes = self.climb.look(sight.run)
        return min(lanes, HUSHED) if self.hushed else lanes

    def judge(self, sight: LoopSight, since: LoopSight) -> None:
        """Find whether items never wait, by a window that ends now."""
        if not sight.alone:
            few = self._in_flight < HUSHED
            self.hushed = few if self.hushed else self._is_idle(sight, since)

    def open_window(self) -> None:
        """What counts is seen from now on."""
        self._in_flight, self._starved = 0, False

    def _is_idle(self, sight: LoopSight, before: LoopSight) -> bool:
        """Whether hardly anything was in flight, though there were lanes and items for more.

        Where looks have the loop turn after each item that is begun, there are two at most in any case: one
        that blocks, and one that waits meanwhile.
        """
        assert self.climb is not None
        run, since = sight.run, before.run
        waits = run.call_seconds - since.call_seconds >= AT_WORK * (run.now - since.now)
        few = self._in_flight <= NEVER_WAITING < self.climb.lanes and not waits
        return few and run.remaining != 0 and not self._starved

    @property
    def found(self) -> int | None:
        """Lanes that the climb has come to, and that have had items; None where there is none."""
        climb = self.climb
        if climb is None:
            return None
        return climb.lanes if climb.settled else min(climb.lanes, self._peak)

    @property
    def why(self) -> str:
        """In words."""
        return "one at a time until one waits" if self.climb is None else self.climb.why

    @property
    def next_look(self) -> float:
        """Seconds until there may be something new about them."""
        if self.climb is None:
            return REST
        if self.all_begun:
            return max(GLANCE, min(self._now / LEARNING_LOOKS, REST))
        return max(GLANCE, min(self.climb.round_trip / 4, REST)) if self.climb.settled else GLANCE
