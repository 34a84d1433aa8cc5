"""What a callable comes to by what it is given: functions that items are or hold, and their own methods.

What these hold is changed by calls as much as what the callable itself does.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from itertools import chain
from operator import attrgetter, methodcaller
from types import FunctionType, MethodType

from .._facts._lean import TYPE_CHECKING
from ._asking import ATOMS, inside_of, of_type, told_by
from ._callables import taken_apart
from ._captured import beneath, data_among, functions_of, reached_from
from ._code import globals_in, imports_in, names_in
from ._ownership import is_own_class, is_own_function

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

__all__ = ["functions_among", "methods_among", "tasks_among", "tasks_in"]

WIDEST = 20
"""Elements and attributes of an item that are looked at (guessed: a task has its function and arguments)."""

DEEPEST, FARTHEST = 2, 100
"""Levels inside an item, and things in all, that are looked at for objects with methods (guessed, too)."""

MOST = 8
"""Different functions, or classes, that are looked at (guessed: a millisecond)."""

_CALLED = (FunctionType, MethodType, partial)
_GROUPS = (dict, list, set, tuple)

_BY_NAME = (attrgetter, methodcaller)
_ANY = "getattr"
"""A name of code that may come to methods of any other name, as these classes do."""

_MAKING = frozenset({"__class_getitem__", "__init__", "__init_subclass__", "__new__", "__set_name__"})
"""Methods with reserved names that make objects and classes; Python may call others at any time."""


def tasks_in(item: object) -> Iterator[Any]:
    """What may be called of an item: itself, or what a container or an object of the user's own has."""
    if type(item) in ATOMS:
        return
    if of_type(item, *_CALLED):
        yield item
    else:
        yield from (each for each in _held_by(item) if of_type(each, *_CALLED))


def functions_among(items: Iterable[Any]) -> list[Any]:
    """The same of several items, but one alone of those that run the same code."""
    found: dict[object, Any] = {}
    for each in chain.from_iterable(map(tasks_in, items)):
        function = beneath(taken_apart(each, (), {})[0])
        found.setdefault(told_by(function, "__code__") or id(function), each)
        if len(found) == MOST:
            break
    return [*found.values()]


def tasks_among(fn: Any, items: Iterable[Any]) -> list[Any]:
    """All that a callable may call of items, and methods of what it holds itself."""
    some = [*items]
    functions = functions_among(some)
    return [*functions, *methods_among(list(reached_from(fn)), functions, some)]


def methods_among(
    reached: Sequence[tuple[str, Any]], functions: Iterable[Any], items: Sequence[Any]
) -> list[FunctionType]:
    """Methods that calls may come to: of the user's own classes of data that is reached, and of items.

    They are those that the code names, of what is reached from a callable and from functions among its items
    and of methods that it comes to, and those that Python itself calls; of these, those that hold or name
    anything beside what they are called with. Items may be classes.
    """
    things = [*items, *(each for _, each in data_among(reached))]
    kinds = _kinds_among(things)
    if not kinds:
        return []
    parts = (part for each in functions for part in reached_from(each))
    names = frozenset[str]().union(*(_names_of(each) for _, each in chain(reached, parts)))
    if any(of_type(each, type) for each in things):
        names |= _MAKING  # its objects, too
    while True:
        found = [each for kind in kinds for each in _named_in(kind, names)]
        more = names.union(*(names_in(each.__code__) for each in found))
        if more == names:
            return [each for each in found if _holds_something(each)]
        names = more


def _holds_something(method: FunctionType) -> bool:
    code = method.__code__
    return bool(method.__closure__ or method.__defaults__ or globals_in(code) or imports_in(code))


def _held_by(item: object) -> list[Any]:
    """What a container or an object of the user's own has, nearest first, and can be something of note."""
    if not (of_type(item, *_GROUPS) or is_own_class(type(item))):
        return []
    return [each for each in inside_of(item, WIDEST)[:WIDEST] if type(each) not in ATOMS]


def _kinds_among(things: Iterable[Any]) -> list[type]:
    """The user's own classes, each once, that things are of, or what they hold, or that they are."""
    found: dict[int, type] = {}
    ahead: deque[tuple[object, int]] = deque((each, DEEPEST) for each in things if type(each) not in ATOMS)
    for _ in range(FARTHEST):
        if not ahead or len(found) >= MOST:
            break
        each, depth = ahead.popleft()
        bases: tuple[type, ...] = told_by(each if of_type(each, type) else type(each), "__mro__")
        found.update((id(base), base) for base in bases if is_own_class(base))
        if depth:
            ahead.extend((inner, depth - 1) for inner in _held_by(each))
    return [*found.values()]


def _names_of(part: Any) -> frozenset[str]:
    """The names that code of the user's own uses to come to something."""
    if of_type(part, *_BY_NAME):
        return frozenset({_ANY})
    return names_in(part.__code__) if is_own_function(part) else frozenset()


def _named_in(kind: type, names: AbstractSet[str]) -> Iterator[FunctionType]:
    """The functions of methods and properties in a class that have such names, or names of Python's."""
    for name, part in [*vars(kind).items()]:
        if _ANY in names or name in names:
            yield from filter(is_own_function, functions_of(part))
        elif name[:2] == "__" and name not in _MAKING and is_own_function(part):
            yield part
