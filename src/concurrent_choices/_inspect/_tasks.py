"""What a callable is given to call: items may be functions, bound methods and partials, or hold some.

What these hold is changed by calls as much as what the callable itself does.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from types import FunctionType, MethodType

from .._facts._lean import TYPE_CHECKING
from ._asking import ATOMS, inside_of, of_type, told_by
from ._callables import taken_apart
from ._captured import beneath
from ._ownership import is_own_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = ["tasks_among", "tasks_in"]

WIDEST = 20
"""Elements and attributes of an item that are looked at (guessed: a task has its function and arguments)."""

MOST = 8
"""Different functions that are looked at (guessed: a millisecond)."""

_CALLED = (FunctionType, MethodType, partial)
_GROUPS = (dict, list, set, tuple)


def tasks_in(item: object) -> Iterator[Any]:
    """What may be called of an item: itself, or what a container or an object of the user's own has."""
    if type(item) in ATOMS:
        return
    if of_type(item, *_CALLED):
        yield item
    elif of_type(item, *_GROUPS) or is_own_class(type(item)):
        inside = (each for each in inside_of(item, WIDEST)[:WIDEST] if type(each) not in ATOMS)
        yield from (each for each in inside if of_type(each, *_CALLED))


def tasks_among(items: Iterable[Any]) -> list[Any]:
    """The same of several items, but one alone of those that run the same code."""
    found: dict[object, Any] = {}
    for each in chain.from_iterable(map(tasks_in, items)):
        function = beneath(taken_apart(each, (), {})[0])
        found.setdefault(told_by(function, "__code__") or id(function), each)
        if len(found) == MOST:
            break
    return [*found.values()]
