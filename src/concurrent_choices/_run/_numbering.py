"""Errors of items that were run as part of something larger, told with their place in the whole."""

from __future__ import annotations

from collections.abc import Sequence

from .._errors import ItemError
from .._work._notes import index_noted, note_index

__all__ = ["renumber", "was_raised"]


def was_raised(value: object, place: int) -> bool:
    """Whether a value among results was raised by the item at that place, and not returned by it.

    It stands at that place in what `run(..., return_exceptions=True)` gave.
    """
    if not isinstance(value, Exception):
        return False
    return index_noted(value) == place or (isinstance(value, ItemError) and value.index == place)


def renumber(error: BaseException, indices: Sequence[int]) -> None:
    """Have an error name the item's index in the whole instead of its place in a part.

    `indices` has the index in the whole of each item of the part.
    """
    place = index_noted(error)
    if place is not None and place < len(indices):
        note_index(error, indices[place])
    elif isinstance(error, ItemError) and error.index < len(indices):
        error.index = indices[error.index]
        error.args = (error.index, *error.args[1:])  # which its repr shows
