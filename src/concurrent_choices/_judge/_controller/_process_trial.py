"""Whether worker processes earn what they cost: judged on their first items, and now and then later."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from ._sight import Sight
from ._thresholds import COUNTED, GAINS, HANDED, WAITS

__all__ = ["Finding", "ProcessTrial"]

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

WAITING_INSIDE = 0.1
"""Share of its time that an item in a worker computes, from which it is given more lanes there: below, those
in this process do as well (guessed)."""


class Finding(NamedTuple):
    """What a window has shown.

    Attributes:
        reason: Why items should come back; empty where they should not.
        for_good: Whether there shall be no processes in this run any more.
        inside: Lanes that each worker should have instead of one; 0 where that would not help.
    """

    reason: str = ""
    for_good: bool = False
    inside: int = 0


class ProcessTrial:
    """Judges windows of a run whose items go to worker processes.

    Args:
        before: Items a second before the hand-over; 0 where too few were done to tell.

    Attributes:
        inside: Lanes in each worker.
        passed: Whether one window has confirmed it.
    """

    def __init__(self, processes: int, inside: int, before: float) -> None:
        self._processes = processes
        self.inside = inside
        self._before = before
        self.passed = False
        self._doubts = self._dear = 0
        self._first: Sight | None = None

    @property
    def enough(self) -> int:
        """Items from which a window says something."""
        return COUNTED if self.passed else 2 * max(COUNTED, self._processes * self.inside)

    def judge(self, began: Sight, sight: Sight) -> Finding:
        """Judge the window between two sights."""
        if sight.starved or sight.remaining == 0:
            return Finding()  # whoever gives the items is the slower one, or the workers are at their last
        objection = self._objection(began, sight)
        if objection is not None:
            return objection
        self.passed = True
        computed = self._computed(began, sight)
        if computed >= 1 - WAITS:
            return Finding()
        waited = (1 - computed) * _spent(began, sight) / (sight.outside_items - began.outside_items)
        if waited < HANDED:
            return Finding()
        inside = ceil(1 / computed) + 1 if computed >= WAITING_INSIDE else 0
        return Finding("items have begun to wait", inside=inside)

    def _objection(self, began: Sight, sight: Sight) -> Finding | None:
        """What speaks against processes, if only that another window is wanted; None where nothing does."""
        doubtful = not self.passed and self._is_no_faster(began, sight)
        if self._doubts == DOUBTS:
            # Memory that all share, or neighbours on the cores: more at once makes each the slower.
            return Finding("items are no faster in worker processes", for_good=True)
        if self._speed(began, sight) < GAINS and self._carried(began, sight) >= CARRIED:
            if self.passed:
                return Finding("carrying items and results has become too dear")
            self._dear += 1
            if self._dear == DEAR:
                return Finding("carrying items and results costs more than it saves", for_good=True)
            return Finding()
        return Finding() if doubtful else None

    def _is_no_faster(self, began: Sight, sight: Sight) -> bool:
        """Whether items are no faster than before the hand-over, by this window and the doubtful ones."""
        self._first = self._first or began
        no_faster = self._rate(self._first, sight) < self._before
        self._doubts += no_faster
        return no_faster

    def _rate(self, began: Sight, sight: Sight) -> float:
        """Items a second, where that is known with what workers have done of their present batches."""
        rate = (sight.outside_items - began.outside_items) / (sight.now - began.now)
        done = sight.outside_seconds - began.outside_seconds
        return rate * _spent(began, sight) / done if self.inside == 1 and done > 0 else rate

    def _speed(self, began: Sight, sight: Sight) -> float:
        """How many times one lane's work is done at once."""
        if self.inside > 1 and self._before:
            return self._rate(began, sight) / self._before
        return _spent(began, sight) / (sight.now - began.now)

    def _carried(self, began: Sight, sight: Sight) -> float:
        """CPU a second spent on pickling and sending; with lanes inside nobody knows the workers' part."""
        here, there = sight.cpu - began.cpu, 0.0
        if self.inside == 1:
            there = max(0.0, sight.outside_cpu - began.outside_cpu - _spent(began, sight))
        return (here + there) / (sight.now - began.now)

    def _computed(self, began: Sight, sight: Sight) -> float:
        """Share of the time workers spend in the callable in which they want a core; 1 where nobody knows."""
        spent = _spent(began, sight)
        computed = sight.outside_cpu - began.outside_cpu + sight.outside_queued - began.outside_queued
        return computed / spent if self.inside == 1 and spent > 0 else 1.0


def _spent(began: Sight, sight: Sight) -> float:
    """Seconds between two sights that workers spent at batches, the unfinished ones included.

    Those are long by the time of the second sight and were short at the first, since batches grow: left out,
    what workers compute for them was taken for what carrying costs.
    """
    return sight.outside_seconds + sight.outside_held - began.outside_seconds - began.outside_held
