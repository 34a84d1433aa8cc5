"""Whether an item has left something in the context that it ran in."""

from __future__ import annotations

from contextvars import Context
from operator import is_

__all__ = ["same"]


def same(context: Context, other: Context) -> bool:
    """Whether two contexts hold the very same values: equal ones may still be changed apart."""
    return len(context) == len(other) and all(map(is_, context.values(), other.values()))
