"""Whether a callable holds the very items that it is given: elsewhere either would be a copy of its own.

A node that is looked up in a graph is told by its identity, and a worker would not find it there.
"""

from __future__ import annotations

from opcode import opmap
from types import (
    BuiltinFunctionType,
    EllipsisType,
    FunctionType,
    MethodType,
    ModuleType,
    NoneType,
    NotImplementedType,
)
from typing import TYPE_CHECKING, Any

from .._runtime._interrupted import raise_handlers
from ._asking import of_type
from ._code import codes_in, names_in
from ._one_process import held_within
from ._ownership import is_own_function

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["holds_items"]

_NAMED = (
    *(BuiltinFunctionType, FunctionType, MethodType, ModuleType, type),
    *(EllipsisType, NoneType, NotImplementedType),
)
"""What travels by name, and is the same there."""

_PICKLED = ("__reduce__", "__reduce_ex__")
_KEYED: tuple[type[Any], ...] = (dict, set, frozenset)
_LISTED: tuple[type[Any], ...] = (list, tuple)

_MANY = 10_000
"""Elements of a list (guessed: a quarter of a millisecond)."""

_COMPARING = frozenset({opmap["CONTAINS_OP"], opmap["IS_OP"]})
_FINDING = frozenset({"count", "id", "index", "remove"})
"""Methods of a list that compare what they are given with what is in it; and `id`."""


def holds_items(reached: Iterable[tuple[str, Any]], items: Sequence[Any]) -> str:
    """What, of all that hangs on a callable, holds some of these items, in a sentence; empty for nothing.

    A list counts only if the code looks for something in one: it may as well go through all of them.
    """
    sought = list(filter(_is_told_by_identity, _apart(items)))
    if not sought:
        return ""
    reached = list(reached)
    kinds = _KEYED
    if any(_compares(function) for _, function in reached if is_own_function(function)):
        kinds += _LISTED
    for name, _, thing in held_within(reached):
        if of_type(thing, *kinds) and any(_is_in(thing, item) for item in sought):
            return f"{name} holds its items themselves, and another process would have copies of them"
    return ""


def _apart(items: Sequence[Any]) -> Iterator[Any]:
    """Items, and what stands in those that are tuples."""
    for item in items:
        yield from item if type(item) is tuple else (item,)


def _is_told_by_identity(item: object) -> bool:
    """Whether it is equal to itself alone, and not the same once it has been pickled."""
    kind = type(item)
    if of_type(item, *_NAMED) or kind.__eq__ is not object.__eq__:
        return False
    return all(getattr(kind, name) is getattr(object, name) for name in _PICKLED)


def _compares(function: Any) -> bool:
    """Whether a function asks if something is the same as another, or is in a list."""
    code = function.__code__
    if not _FINDING.isdisjoint(names_in(code)):
        return True
    return any(not _COMPARING.isdisjoint(each.co_code[::2]) for each in codes_in(code))


def _is_in(container: Any, item: object) -> bool:
    """Whether an item is in there, asked as what the container derives from."""
    kind = next(each for each in (*_KEYED, *_LISTED) if of_type(container, each))
    try:
        if kind in _KEYED:
            return bool(kind.__contains__(container, item))
        return any(each is item for each in kind.__getitem__(container, slice(_MANY)))
    except Exception as error:  # noqa: BLE001 - an item's own hash raises anything
        raise_handlers(error)
        return False
