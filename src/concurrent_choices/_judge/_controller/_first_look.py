"""When a run is looked at for the first time: the rules that the engine and the simulator share."""

from __future__ import annotations

from ._sight import Sight
from ._thresholds import COMPUTED, FROM_ONE, FULL

__all__ = ["FIRST_LOOK", "HARDLY", "at_call_start", "computes", "sleeps", "tells"]

FIRST_LOOK = 1e-3
"""Seconds until the first glance at a run, from one to the next, and from the first reading of a run-queue
delay, which has nothing to be compared with, to the next look; and between looks at a loop until it has been
weighed (guessed)."""

HARDLY = 0.1
"""Share of its time that a call may have computed, and count as asleep since it began, or since the last look
whatever it did before (guessed: beginning takes some of it, and clocks are read within a tenth). An item in a
worker that hardly computes is no worse off here."""


def sleeps(sight: Sight) -> bool:
    """Whether a call sleeps: it is not queueing for a core now, and has hardly had one since it began."""
    return sight.held >= FIRST_LOOK and sight.held_cpu <= HARDLY * sight.held


def computes(seconds: float, cpu: float) -> bool:
    """Whether a thread has computed all along that has worked for so long, `cpu` seconds of it on a core."""
    return cpu >= FULL * seconds


def tells(seconds: float, items: int) -> bool:
    """Whether so many seconds of computing count, in which so many items have ended."""
    return seconds >= (COMPUTED if items else FROM_ONE * COMPUTED)


def at_call_start(sight: Sight) -> Sight:
    """The run as it stood when the present call began: one in flight counts from its own start."""
    return sight._replace(now=sight.now - sight.held, held=0.0, held_cpu=0.0)
