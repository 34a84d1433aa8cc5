"""How long sampling may take: a fixed time, or a twentieth of the work where the work is long."""

from __future__ import annotations

from typing import NamedTuple, Self

__all__ = ["AFTERWARDS", "SHARE", "Allowance"]

SHARE = 0.05
"""Part of the time of the whole work that looking at it may take (a choice, told in docs/choosing.md)."""

AFTERWARDS = 25e-3
"""Seconds kept for what follows sampling: to weigh what travels, and to judge (measured: 12 to 25 ms)."""

_ALONE = 0.6
"""Part of the time after which one lane has been watched long enough: the rest is for trials of several
(guessed)."""

_MOSTLY = 0.5
"""What is left, as a part of what the first call took to begin, up to which that took most of the time
(guessed)."""


class Allowance(NamedTuple):
    """Times are the clock's, in nanoseconds.

    Attributes:
        began: When sampling began.
        least: What it may take in any case.
        most: What it may take at most.
        items: How many items there are; None where unknown.
    """

    began: int
    least: int
    most: int
    items: int | None

    @classmethod
    def of(cls, began: int, least: float, most: float | None, items: int | None) -> Self:
        """The same from seconds."""
        longest = least if most is None else max(least, most)
        return cls(began, int(least * 1e9), int(longest * 1e9), items)

    def first(self, now: int) -> int:
        """When to give up the first call, if it begins now. Of many items it may take long: a small part.

        On a busy machine all that comes before may take so long that nothing was left for a call.
        """
        last = self.began + self.most
        many = self.items is not None and self.items * SHARE >= 1.0
        return last if many else min(now + self.least, last)

    def after(self, first: int) -> int:
        """When to stop, once the first call is known to take so many nanoseconds."""
        share = int(SHARE * (self.items or 0) * first - AFTERWARDS * 1e9)
        return self.began + min(max(self.least, share), self.most)

    def alone(self, deadline: int, beginning: int = 0) -> int:
        """When one lane has been watched long enough, if everything has to stop at the deadline.

        The first call took the `beginning` longer than others do, ns: in that time nothing was seen of those.
        A trial's lanes may begin as slowly, so where that took most, one lane is watched to the end. Where a
        host had to find new memory, as for three quarters of the time, two more calls were made, too few to
        see who holds the GIL, and a trial did not come back.
        """
        began = self.began + beginning
        left = max(0, deadline - began)
        return began + (int(_ALONE * left) if left > _MOSTLY * beginning else left)
