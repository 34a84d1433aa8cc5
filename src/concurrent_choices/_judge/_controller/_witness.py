"""What looks that come late tell of the GIL: whoever wants it waits for those who hold it."""

from __future__ import annotations

from ._sight import Sight
from ._thresholds import MANY, WAITS

__all__ = ["WITNESSED", "gil_free", "gil_held", "in_turns"]

HELD = 0.9
"""Share of looks that come late from which the GIL is held (guessed: a look in ten may find the moment in
which a call lets go of it)."""

WITNESSED = 3
"""Looks before that counts (guessed)."""


def gil_held(since: Sight, sight: Sight) -> bool | None:
    """Whether lanes hold the GIL, by the looks since then that came late; None where some more would tell."""
    looks, late = sight.looks - since.looks, sight.late - since.late
    if 0 < looks == late < WITNESSED:
        return None
    return looks > 0 and late >= HELD * looks


def gil_free(since: Sight, sight: Sight) -> bool:
    """Whether lanes leave the GIL free: enough looks since then, and none of them late."""
    return sight.looks - since.looks >= WITNESSED and sight.late == since.late


def in_turns(since: Sight, sight: Sight, lanes: int, busy: float) -> bool:
    """Whether so many lanes wait for one another, as items need the GIL for a part of their time.

    One of them has it then, and computes: where all use less, somebody else has it, or they sleep.

    Args:
        since: When all of them were there.
        sight: The run.
        lanes: How many; of fewer than four, the trial of two has shown it already.
        busy: Cores that they use.
    """
    looks, late = sight.looks - since.looks, sight.late - since.late
    held = looks >= WITNESSED and late >= looks / 2
    return held and lanes >= MANY and 1 - WAITS <= busy < (1 - WAITS) * lanes
