"""Whether worker processes earn what they cost: judged on their first items, and now and then later."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from ._first_look import HARDLY
from ._sight import Sight
from ._thresholds import COUNTED, GAINS, HANDED, WAITS

__all__ = ["Finding", "ProcessTrial", "Window"]

CARRIED = 0.5
"""CPU for pickling and sending, per second, from which a slow hand-over is the payload's fault and not a
crowded machine's (guessed)."""

DOUBTS = 3
"""Windows in a row, taken together, that have to show items to be no faster before processes are given up for
good: in one of 20 ms a single long item of many short ones can make it look so (measured with items of 20 ms
among fifteen times as many of 0.5 ms, and of 8 ms among four times as many of 1 ms: one window gave up in 16
of 64 runs, three do in 11)."""

DEAR = 2
"""Windows that have to show carrying to be too dear before processes are given up for good: the first of 20
ms may see little more than workers reading a table that batches of 50 ms share (3 of 5 runs gave up what
would have taken 0.80 of the time)."""


class Window(NamedTuple):
    """What has happened between two sights of a run whose items go to worker processes."""

    began: Sight
    sight: Sight

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.sight.now - self.began.now

    @property
    def items(self) -> int:
        """Items that workers have finished."""
        return self.sight.outside_items - self.began.outside_items

    @property
    def done(self) -> float:
        """Seconds that workers spent at the batches that they have finished."""
        return self.sight.outside_seconds - self.began.outside_seconds

    @property
    def spent(self) -> float:
        """Seconds that they spent at batches, the unfinished ones included.

        Those are long by the time of the second sight and were short at the first, since batches grow: left
        out, what workers compute for them was taken for what carrying costs.
        """
        return self.done + self.sight.outside_held - self.began.outside_held

    @property
    def outside_cpu(self) -> float:
        """CPU seconds of workers."""
        return self.sight.outside_cpu - self.began.outside_cpu


class Finding(NamedTuple):
    """What a window has shown.

    Attributes:
        reason: Why items should come back; empty where they should not.
        for_good: Whether there shall be no processes in this run any more.
        waits: Whether it is that items wait, which more lanes in threads would serve.
        inside: Lanes that each worker should have instead of one then; 0 where that would not help.
    """

    reason: str = ""
    for_good: bool = False
    waits: bool = False
    inside: int = 0


class ProcessTrial:
    """Judges windows of a run whose items go to worker processes.

    Args:
        before: Items a second before the hand-over; 0 where too few were done to tell.

    Attributes:
        processes: Worker processes.
        inside: Lanes in each.
        passed: Whether one window has confirmed it.
    """

    def __init__(self, processes: int, inside: int, before: float) -> None:
        self.processes = processes
        self.inside = inside
        self._before = before
        self.passed = False
        self._doubts = self._dear = 0
        self._first: Sight | None = None

    @property
    def enough(self) -> int:
        """Items from which a window says something."""
        return COUNTED if self.passed else 2 * max(COUNTED, self.processes * self.inside)

    def judge(self, window: Window) -> Finding:
        """Judge a window."""
        if window.sight.starved or window.sight.remaining == 0:
            return Finding()  # whoever gives the items is the slower one, or the workers are at their last
        objection = self._objection(window)
        if objection is not None:
            return objection
        self.passed = True
        computed = self._computed(window)
        if computed >= 1 - WAITS:
            return Finding()
        waited = (1 - computed) * window.spent / window.items
        if waited < HANDED:
            return Finding()
        inside = ceil(1 / computed) + 1 if computed > HARDLY else 0  # else lanes in this process do as well
        return Finding("items have begun to wait", waits=True, inside=inside)

    def _objection(self, window: Window) -> Finding | None:
        """What speaks against processes, if only that another window is wanted; None where nothing does."""
        doubtful = not self.passed and self._is_no_faster(window)
        if self._doubts == DOUBTS:
            # Memory that all share, or neighbours on the cores: more at once makes each the slower.
            return Finding("items are no faster in worker processes", for_good=True)
        if self._speed(window) < GAINS and self._carried(window) >= CARRIED:
            if self.passed:
                return Finding("carrying items and results has become too dear")
            self._dear += 1
            if self._dear == DEAR:
                return Finding("carrying items and results costs more than it saves", for_good=True)
            return Finding()
        return Finding() if doubtful else None

    def _is_no_faster(self, window: Window) -> bool:
        """Whether items are no faster than before the hand-over, by this window and the doubtful ones."""
        self._first = self._first or window.began
        no_faster = self._rate(Window(self._first, window.sight)) < self._before
        self._doubts += no_faster
        return no_faster

    def _rate(self, window: Window) -> float:
        """Items a second, where that is known with what workers have done of their present batches."""
        rate = window.items / window.seconds
        return rate * window.spent / window.done if self.inside == 1 and window.done > 0 else rate

    def _speed(self, window: Window) -> float:
        """How many times one lane's work is done at once."""
        if self.inside > 1 and self._before:
            return self._rate(window) / self._before
        return window.spent / window.seconds

    def _carried(self, window: Window) -> float:
        """CPU a second spent on pickling and sending; with lanes inside nobody knows the workers' part.

        Here it is the calling thread that does so; what others of this process compute is not carrying.
        """
        here, there = window.sight.lane_cpu - window.began.lane_cpu, 0.0
        if self.inside == 1:
            there = max(0.0, window.outside_cpu - window.spent)
        return (here + there) / window.seconds

    def _computed(self, window: Window) -> float:
        """Share of the time workers spend in the callable in which they want a core; 1 where nobody knows."""
        wanted = window.outside_cpu + window.sight.outside_queued - window.began.outside_queued
        return wanted / window.spent if self.inside == 1 and window.spent > 0 else 1.0
