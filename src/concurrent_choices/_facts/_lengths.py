"""How many items there are, as far as that can be told without taking any."""

from __future__ import annotations

from collections import deque
from collections.abc import Sized
from operator import length_hint

from ._lean import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = ["count_of", "left_in", "length_of"]

_TABLE: dict[object, object] = {}

_CONTAINERS: tuple[Iterable[object], ...] = (
    *([*_TABLE], tuple(_TABLE), "", "é", b"", bytearray(), range(0), set(_TABLE), deque(_TABLE)),
    *(_TABLE, _TABLE.values(), _TABLE.items()),
)

_PLAIN: frozenset[type[object]] = frozenset(type(iter(each)) for each in _CONTAINERS)
"""Iterators of Python's own containers, which know how much they have left."""


def length_of(items: object) -> int | None:
    """How many items there are; None where nobody can say, as of a `range` beyond what `len` can tell."""
    if not isinstance(items, Sized):
        return None
    try:
        return len(items)
    except Exception:  # noqa: BLE001 - whatever a user's own length raises, they may be iterated over
        return None


def count_of(items: object) -> int | None:
    """The same, or what an `enumerate` or a `zip` has left; None where it takes all of them to tell."""
    length = length_of(items)
    return left_in(items) if length is None else length


def left_in(items: object) -> int | None:
    """How many items an `enumerate` or a `zip` of Python's own containers has left; None for all else.

    They take no time to advance either. What they go through is among what they would be pickled as, so that
    nothing is taken from it.
    """
    kind = type(items)
    if kind is not enumerate and kind is not zip:
        return None
    around: Any = items.__reduce__()[1]
    counts = [_left_in(each) for each in (around[:1] if kind is enumerate else around)]
    known = [each for each in counts if each is not None]
    return min(known, default=0) if known == counts else None


def _left_in(iterator: object) -> int | None:
    return length_hint(iterator) if type(iterator) in _PLAIN else left_in(iterator)
