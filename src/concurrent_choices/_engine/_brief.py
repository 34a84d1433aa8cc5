"""Runs that are over before a look at them would be worth it."""

from __future__ import annotations

from ._tally import Tally

__all__ = ["brief_rest"]

BRIEF = 5e-3
"""Seconds of computing that are not worth a look: two lanes take longer to tell the GIL from the cores."""

BUSY = 0.8
"""Part of its time that a thread which computes spends on a core, at the least (guessed)."""


def brief_rest(tally: Tally, left: int | None) -> float | None:
    """Seconds that the rest takes, where it computes and takes few; None where it may be worth a look.

    Args:
        tally: What the calling thread has done.
        left: Items that nobody has claimed; None where the length is unknown.
    """
    if not (left and tally.items and tally.cpu > BUSY * tally.wall):
        return None
    rest = left * tally.wall / tally.items
    return rest if rest < BRIEF else None
