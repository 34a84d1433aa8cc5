"""The memory that small results take: a process that keeps many of them has to get it from the system anew.

Of 300,000 calls of `abs` in a loop half of the time is spent on that (2 µs for each page). What the sample's
few found at hand, and what they got anew, is counted: `profile_of` takes the latter off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._work._weight import weight_of
from ._ledger import Raised

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["result_memory"]

SMALL = 512
"""Bytes of an object up to which CPython takes it from arenas (`Objects/obmalloc.c`). A larger one's memory
costs its call time, in a sample too."""

PLACE = 9
"""Bytes of a result's place in a list that grows: a pointer, and an eighth of it ahead of need
(`list_resize` in `Objects/listobject.c`)."""


def result_memory(samples: Sequence[tuple[Any, Any]]) -> float:
    """Bytes that keeping a result takes on average, by items and their outcomes; 0 where none is known."""
    results = [outcome for _, outcome in samples if not isinstance(outcome, Raised)]
    if not results:
        return 0.0
    weights = [weight_of(each) for each in {id(each): each for each in results}.values()]
    return PLACE + sum(weight for weight in weights if weight <= SMALL) / len(results)
