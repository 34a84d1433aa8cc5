"""How many items a lane claims at a time.

A batch costs its lane a few microseconds, so it should last a good part of a millisecond; and it holds
back its results and its unstarted items, so it should not last several.
"""

from __future__ import annotations

__all__ = ["AIM", "LOAD", "MOST", "TRIP", "Pace", "share_of_rest"]

AIM = 0.5e-3
"""Seconds a batch should take: 1 % of overhead at 5 µs a batch (benchmarks.dispatch, threads)."""

MOST = 1 << 14
"""Largest batch: beyond it nothing is gained (benchmarks.dispatch, sequential)."""

TRIP = 8e-3
"""Seconds a batch should take that travels to a worker process: its trip costs the caller 100 µs of the cores
that the workers share with it (5 % of their time in batches of 2 ms, measured on two)."""

LOAD = 1 << 18
"""Bytes of items or results that such a batch should carry at most (guessed: a socket's buffer)."""


class Pace:
    """The batch size of one lane: doubles while batches are short, follows the time when they are long.

    `fixed` is a size to keep to instead, `aim` the seconds that a batch should take.
    """

    __slots__ = ("_aim", "_fixed", "size")

    def __init__(self, fixed: int | None = None, aim: float = AIM) -> None:
        self._fixed = fixed
        self._aim = aim
        self.size = fixed or 1

    def took(self, seconds: float, count: int) -> None:
        """Learn that a batch of `count` items took `seconds`."""
        if self._fixed is not None:
            return
        if count:
            fitting = int(self._aim * count / seconds) if seconds > 0 else MOST
            self.size = max(1, min(2 * self.size, fitting, MOST))


def share_of_rest(size: int, remaining: int | None, lanes: int) -> int:
    """A batch size that leaves no lane with a long tail: at most half of its share of what is left."""
    if remaining is None:
        return size
    return max(1, min(size, remaining // (2 * lanes or 2)))
