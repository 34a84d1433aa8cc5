"""Whether what would travel to worker processes and back leaves anything to be gained there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .._judge._controller import worth_carrying
from .._measure._carrying import carrying
from .._work._source import Source
from ._deck import Counts
from ._tally import Tally

__all__ = ["too_dear"]

WEIGHED = 64
"""Items and results, at most, of which it is found out what carrying them costs (guessed)."""


def too_dear(
    source: Source, results: Sequence[Any], accounts: Iterable[Tally | Counts], workers: int
) -> bool:
    """Whether carrying the items that come next costs about as much as computing those that are done.

    Args:
        source: Where the items come from; they stay there.
        results: Some of the results there are.
        accounts: What has been computed so far.
        workers: How many processes there would be.
    """
    known = [*accounts]
    done, cpu = sum(each.items for each in known), sum(each.cpu for each in known)
    if not done:
        return False
    carried = carrying(source.peek(WEIGHED)) + carrying(results[-WEIGHED:])
    return not worth_carrying(cpu / done, carried, workers)
