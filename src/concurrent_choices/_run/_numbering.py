"""Errors of items that were run as part of something larger, told with their place in the whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .._errors import ItemError
from .._work._perform import notes_of

__all__ = ["renumber", "was_raised"]

_NOTE = re.compile(r"raised by item (\d+): ")
"""How `_work._perform.annotate` begins."""


def was_raised(value: object, place: int) -> bool:
    """Whether a value among results was raised by the item at that place, not given back by it.

    It stands at that place in what `run(..., return_exceptions=True)` gave.
    """
    if not isinstance(value, Exception):
        return False
    if isinstance(value, ItemError) and value.index == place:
        return True
    notes = notes_of(value)
    return bool(notes) and notes[-1].startswith(_words(place))


def renumber(error: BaseException, indices: Sequence[int]) -> None:
    """Have an error name the item's index in the whole instead of its place in a part.

    `indices` has the index in the whole of each item of the part.
    """
    notes = notes_of(error)
    last = _NOTE.match(notes[-1]) if notes else None
    if last is not None and int(last[1]) < len(indices):
        notes[-1] = f"{_words(indices[int(last[1])])}{notes[-1][last.end() :]}"
    elif isinstance(error, ItemError) and error.index < len(indices):
        error.index = indices[error.index]
        error.args = (error.index, *error.args[1:])  # which its repr shows


def _words(place: int) -> str:
    return f"raised by item {place}: "
