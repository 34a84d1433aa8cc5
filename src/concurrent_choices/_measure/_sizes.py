"""Calls that take longer the larger their items are: then all items tell how long all calls will take.

A few calls show little of a heavy tail. Of 120 naps, most of 2 ms and the longest of 0.1 s, the longest of a
sample of twelve was one of 27 ms, so that what they take together, side by side, was predicted to be half of
what it is (benchmarks.oracle, sleep-uneven).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ._figures import line, variation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ._figures import Block

__all__ = ["Foretold", "foretold"]

FEWEST = 8
"""Blocks of calls that show what sizes have to do with times (guessed: where they have nothing to do with
each other, eight seem to lie on such a line once in 4,000 times)."""

TELLING = 0.9
"""Share of the variance of their times that sizes have to account for (guessed)."""

MOST = 20_000
"""Items that are asked for their size (guessed: 4 ms)."""

_MEASURES: dict[type, Callable[[Any], float]] = {
    **dict.fromkeys((int, float), float),
    **dict.fromkeys((str, bytes, bytearray, list, tuple, dict, set, frozenset), len),
}
"""What tells the size of an item, by its class."""

_WHOLE = (list, tuple, range)


class Foretold(NamedTuple):
    """What all calls will take, in terms of the mean of those in the sample.

    Attributes:
        mean: Their mean.
        deviation: Their standard deviation.
        longest: The longest of them.
        share: The share of the variance of times that sizes account for.
    """

    mean: float
    deviation: float
    longest: float
    share: float


def foretold(blocks: Sequence[Block], items: Any) -> Foretold | None:
    """What all calls will take, by the sizes of all items; None where those do not tell.

    Args:
        blocks: The timed calls, which have begun at places among the items.
        items: All items. Of what is more than a list, as a data set that reads each one from a file when it
            is asked for it, none is looked at.
    """
    if type(items) not in _WHOLE or len(blocks) < FEWEST:
        return None
    sizes = [_sizes_of(items[block.start : block.start + block.calls]) for block in blocks]
    if not all(sizes):
        return None
    found = line(blocks, [math.fsum(each) / len(each) for each in sizes])
    if found.slope <= 0 or found.share < TELLING:
        return None
    some = _sizes_of(items[:: math.ceil(len(items) / MOST)])
    quickest = min(block.wall / block.calls for block in blocks)
    expected = [max(quickest, found.at(size)) / found.mean for size in some]
    error = math.sqrt(1.0 - found.share) * variation(blocks)
    return _of_all(expected, error, found.share) if expected else None


def _of_all(expected: Sequence[float], error: float, share: float) -> Foretold:
    """What is foretold by what calls are expected to take, each with a standard error of chance."""
    mean = math.fsum(expected) / len(expected)
    variance = math.fsum((each - mean) ** 2 for each in expected) / len(expected)
    return Foretold(mean, math.hypot(math.sqrt(variance), error), max(expected), share)


def _sizes_of(items: Sequence[Any]) -> list[float]:
    """How large each of some items is: a number itself, or the length of a container or a text.

    Empty where they are not all of one such kind.
    """
    kinds = set(map(type, items))
    measure = _MEASURES.get(kinds.pop()) if len(kinds) == 1 else None
    if measure is None:
        return []
    try:
        sizes = [float(measure(each)) for each in items]
    except OverflowError:
        return []
    return sizes if all(map(math.isfinite, sizes)) else []
