"""When a run is looked at for the first time: the rules that the engine and the simulator share."""

from __future__ import annotations

from ._sight import Sight
from ._thresholds import COMPUTED, FROM_ONE

__all__ = ["BUSY", "FIRST_LOOK", "HARDLY", "sleeps", "tells"]

FIRST_LOOK = 1e-3
"""Seconds until the first glance at a run, and from the first reading of a run-queue delay, which has nothing
to be compared with, to the next look (guessed)."""

HARDLY = 0.1
"""Share of its time that a call may have computed, and count as asleep since it began (guessed: beginning
takes some of it)."""

BUSY = 0.8
"""Part of its time that a thread which computes spends on a core, at the least (guessed)."""


def sleeps(sight: Sight) -> bool:
    """Whether a call sleeps: it is not queueing for a core now, and has hardly had one since it began."""
    return sight.held >= FIRST_LOOK and sight.held_cpu <= HARDLY * sight.held


def tells(seconds: float, items: int) -> bool:
    """Whether so many seconds of computing count, in which so many items have ended."""
    return seconds >= (COMPUTED if items else FROM_ONE * COMPUTED)
