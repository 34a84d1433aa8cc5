"""How much travels with a callable to worker processes, which each read it: what it names or is bound to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from operator import length_hint
from types import FunctionType, MethodType, ModuleType
from typing import Any

from .._inspect._asking import ATOMS, Seen, attributes_of, elements_of, of_type, some_of
from ._imports import goes_by_value, used_by

__all__ = ["count_pickled"]

_MOST = 200
"""Things that are looked at, besides numbers and texts (guessed: a millisecond)."""

_ALIKE = 4
"""How many things of a container, or of an object, are looked at; these stand for all (guessed)."""


def count_pickled(fn: Any) -> float:
    """Things that are pickled with a callable, about: what workers import is none of them."""
    ahead, seen, count = [fn], Seen(), 0.0
    while ahead and len(seen) < _MOST:
        thing = ahead.pop()
        called = _inside(thing)
        if called is None:
            count += _count(thing, seen)
        elif seen.is_new(thing):
            ahead += called
    return count


def _inside(thing: Any) -> Iterable[object] | None:
    """What travels with a callable that is followed; None for another object."""
    if of_type(thing, partial):
        return (thing.func, *thing.args, *thing.keywords.values())
    if of_type(thing, MethodType):
        return (thing.__func__, thing.__self__)
    if of_type(thing, FunctionType):
        return used_by(thing) if goes_by_value(thing) else ()
    return None


def _count(thing: Any, seen: Seen) -> float:
    whole = type(thing) in ATOMS or of_type(thing, type, ModuleType, FunctionType)
    if whole or len(seen) >= _MOST or not seen.is_new(thing):
        return 1.0
    inside = attributes_of(thing).values, partial(elements_of, thing)
    return 1.0 + sum(_count_among(ask, seen) for ask in inside)


def _count_among(ask: Callable[[], Iterable[object]], seen: Seen) -> float:
    some = some_of(ask, _ALIKE)
    return sum(_count(each, seen) for each in some) * length_hint(ask()) / len(some) if some else 0.0
