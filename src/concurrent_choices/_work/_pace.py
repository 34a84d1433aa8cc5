"""How many items a lane claims at a time.

A batch costs its lane a few microseconds, so it should last a good part of a millisecond; and it holds
back its results and its unstarted items, so it should not last several, unless it is dear to send.
"""

from __future__ import annotations

__all__ = [
    "AIM",
    "LOAD",
    "MOST",
    "REPAID",
    "TAIL",
    "TRIP",
    "Load",
    "Pace",
    "share_of_rest",
    "travelling",
    "trip",
]

AIM = 1e-3
"""Seconds a batch should take: half a per cent of overhead at 5 µs a batch (benchmarks.dispatch, threads),
and 3 % at the 30 µs that a batch costs beside calls that fill the caches (benchmarks/results/regret)."""

MOST = 1 << 14
"""Largest batch: beyond it nothing is gained (benchmarks.dispatch, sequential)."""

TRIP = 8e-3
"""Seconds a batch should take that travels to a worker process: its trip costs the caller 100 µs of the cores
that the workers share with it (5 % of their time in batches of 2 ms, measured on two)."""

LOAD = 1 << 22
"""Bytes that items, or results, may add to such a batch, all together (guessed: where a batch of a few
milliseconds carries more, carrying is what takes the time)."""

REPAID = 64
"""Times as long as it takes to pickle what the items of a message share that such a batch should last: a
large table that all name is paid once in each. To send, read and let go of it takes five times as long again
(measured with a list of 20,000 floats), so that this is a tenth."""

LONGEST = 0.25
"""Seconds it should take for that at most: progress shows by batches, and what a worker has finished of one
is lost if it dies (guessed)."""

CAREFUL = 4
"""How many times shorter a first batch is than it should be, where items' time is known from others
(guessed)."""

TAIL = 4
"""How many times longer a batch may be than those near the end, where what they share is dear: each costs as
much as a long one does (measured: 600 items of 0.8 ms that name 200,000 floats take two workers 0.45 s with 8
times, 0.40 with 4, 0.39 with 2, which would wait longer for the last of uneven items)."""


class Pace:
    """The batch size of one lane: doubles while batches are short, follows the time when they are long.

    `fixed` is a size to keep to instead, `aim` the seconds that a batch should take.
    """

    __slots__ = ("_fixed", "aim", "size")

    def __init__(self, fixed: int | None = None, aim: float = AIM) -> None:
        self._fixed = fixed
        self.aim = aim
        self.size = fixed or 1

    @property
    def is_fixed(self) -> bool:
        """Whether it keeps to a size."""
        return self._fixed is not None

    def took(self, seconds: float, count: int) -> None:
        """Learn that a batch of `count` items took `seconds`."""
        if count and self._fixed is None:
            fitting = int(self.aim * count / seconds) if seconds > 0 else MOST
            self.size = max(1, min(2 * self.size, fitting, MOST))


def travelling(each: float, shared: float) -> Pace:
    """The pace of batches to a worker process, where items are known from others.

    To begin with one, and to double, would have those that share a large table carry it once for few of them.

    Args:
        each: Seconds that an item takes; 0 where nobody knows.
        shared: Seconds to pickle what is in each message once.
    """
    pace = Pace(None, trip(shared))
    if each > 0:
        pace.size = max(1, min(int(pace.aim / each / CAREFUL), MOST))
    return pace


class Load:
    """How many items or results a message may hold: as many as add `LOAD` to what one or few of them take.

    What they share, as a table that all items name, is in a message once, however large it is.

    Attributes:
        most: How many.
        shared: Bytes that a message holds once, whatever the number of its things.
    """

    __slots__ = ("_count", "_size", "most", "shared")

    def __init__(self) -> None:
        self._count = self._size = 0
        self.most = MOST
        self.shared = 0.0

    def weighed(self, size: int, count: int) -> None:
        """Learn that a message of `count` of them took `size` bytes."""
        if count > self._count > 0 and size >= self._size:
            more = (size - self._size) / (count - self._count)
            self.shared = max(0.0, self._size - more * self._count)
            self.most = max(1, min(2 * self.most, int(LOAD / max(1.0, more)), MOST))
        else:
            self._count, self._size = count, size
            self.most = max(self.most, min(2 * self.most, LOAD * count // max(1, size), MOST))


def trip(shared: float) -> float:
    """Seconds a batch should take that travels, where what its items share takes so many to pickle."""
    return max(TRIP, min(REPAID * shared, LONGEST))


def share_of_rest(size: int, remaining: int | None, lanes: int) -> int:
    """A batch size that leaves no lane with a long tail: at most half of its share of what is left."""
    if remaining is None:
        return size
    return max(1, min(size, remaining // (2 * lanes or 2)))
