"""How far a median can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

__all__ = ["interval"]


def interval(seen: Sequence[float]) -> tuple[float, float]:
    """Between which the median lies with 95 % confidence, whatever the distribution: two of the numbers.

    Of fewer than six, the least and the most, which is less sure.
    """
    ordered, most = sorted(seen), len(seen)
    left_out, chance = 0, 1 / 2**most
    while chance + comb(most, left_out + 1) / 2**most <= 0.025:
        left_out += 1
        chance += comb(most, left_out) / 2**most
    return ordered[left_out], ordered[-1 - left_out]
