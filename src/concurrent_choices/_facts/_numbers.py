"""Numbers of other makes, such as NumPy's, as Python's own.

Counts and seconds often come out of arrays. They travel to workers, which should not have to import NumPy to
know how many they are.
"""

from __future__ import annotations

from operator import index
from typing import Any, cast

__all__ = ["plain", "plain_int", "plain_int_or_none"]


def plain(number: Any) -> Any:
    """The `int` that a number is, or the `float`; whatever is no number of either kind stays what it is."""
    kind = type(cast("object", number))
    if kind in {int, float, bool, str, type(None)}:
        return number
    if hasattr(kind, "__index__"):
        return index(number)
    return float(number) if hasattr(kind, "__float__") else number


def plain_int(number: int) -> int:
    """An attrs converter: `plain`, with the type of a field that takes a whole number."""
    whole: int = plain(number)
    return whole


def plain_int_or_none(number: int | None) -> int | None:
    """The same for a field that may hold None too."""
    return None if number is None else plain_int(number)
