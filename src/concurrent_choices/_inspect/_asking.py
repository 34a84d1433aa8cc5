"""Asking things what they are, where their own hooks may raise anything or answer for another.

A worker may import this, so nothing slow may be imported here.
"""

from __future__ import annotations

import sys
from functools import lru_cache, partial
from itertools import islice
from types import MappingProxyType, MemberDescriptorType, WrapperDescriptorType

from .._facts._lean import TYPE_CHECKING
from .._runtime._interrupted import raise_handlers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeVar

    T = TypeVar("T")

__all__ = [
    "ATOMS",
    "CACHED",
    "Seen",
    "answers",
    "attributes_of",
    "elements_of",
    "inside_of",
    "is_a",
    "is_array",
    "is_frozen",
    "is_logger",
    "is_proxy",
    "is_ufunc",
    "length_of",
    "loaded_class",
    "of_loaded",
    "of_type",
    "one_of_each",
    "slots_of",
    "some_of",
    "told_by",
    "written_in",
]

WIDE, DEEP = 20, 3
"""Parts of a tuple, and tuples inside one another, that are looked at (guessed: a microsecond or two)."""

ATOMS = (bool, bytes, complex, float, int, str, type(None))
"""What holds nothing else, and cannot be changed."""

CACHED = type(lru_cache(len))
"""The class of functions under `functools.cache`."""

_FROZEN_GROUPS = (frozenset, tuple)


class Seen:
    """Things that were met on a walk, by their identity: some have no hash, and equal ones may differ.

    It keeps them alive, so that no other thing gets the `id` of one.
    """

    def __init__(self, *things: object) -> None:
        self._things = {id(thing): thing for thing in things}

    def __len__(self) -> int:
        return len(self._things)

    def is_new(self, thing: object) -> bool:
        """Whether it has not been met before; it has from now on."""
        known = id(thing) in self._things
        self._things[id(thing)] = thing
        return not known


def of_type(thing: object, *kinds: type) -> bool:
    """As `isinstance`, by its own type alone: a proxy of what is gone raises if asked for its `__class__`."""
    try:
        return issubclass(type(thing), kinds)
    except TypeError:  # an abstract class looks types up by their hash, and some have none
        return False


def is_a(thing: object, *kinds: type) -> bool:
    """As `isinstance`, but False where that raises; and type checkers would ask that for type arguments."""
    try:
        return isinstance(thing, kinds)
    except Exception as error:  # noqa: BLE001 - a value's own hook raises anything
        raise_handlers(error)
        return False


def told_by(thing: object, name: str) -> Any:
    """What a thing has under a name; None where it has nothing there, or raises if asked for that."""
    try:
        return getattr(thing, name, None)
    except Exception as error:  # noqa: BLE001 - a value's own hook raises anything
        raise_handlers(error)
        return None


def length_of(thing: object) -> int | None:
    """How many things it holds, where C tells; None where it does not say, or only by code in Python.

    That may take its time, ask a database, or take down that it was called.
    """
    ask = told_by(type(thing), "__len__")
    try:
        return ask(thing) if of_type(ask, WrapperDescriptorType) else None
    except Exception as error:  # noqa: BLE001 - an array without dimensions raises, and a proxy of what is gone
        raise_handlers(error)
        return None


def written_in(function: Any) -> str:
    """The name of the module that a function is written in; empty where it is of none.

    What it says itself is what a decorator has set, or attrs: from Python 3.13 on that gives all its classes
    one `evolve`, and has it say that it is from where the last of them was made.
    """
    name = function.__globals__.get("__name__")
    return name if isinstance(name, str) else ""


def one_of_each(things: Iterable[T]) -> Iterable[T]:
    """One thing of each class."""
    return {id(type(thing)): thing for thing in things}.values()  # a class may have no hash


def attributes_of(thing: object) -> dict[str, Any]:
    """An object's own dictionary; empty where it has none to show."""
    held = told_by(thing, "__dict__")
    return held if is_a(held, dict) else {}


def slots_of(thing: object, kinds: Iterable[type] | None = None) -> Iterator[tuple[str, Any]]:
    """What an object has in places of its own, by `__slots__` of its classes or of some; with names."""
    for kind in type(thing).__mro__ if kinds is None else kinds:
        body = vars(kind)
        for name, place in list(body.items()) if "__slots__" in body else ():
            if type(place) is MemberDescriptorType:
                try:
                    yield name, place.__get__(thing, kind)
                except AttributeError:  # nothing has been put there
                    continue


def elements_of(thing: Any) -> Iterable[Any]:
    """What a container holds, asked as what it derives from: its own methods may raise."""
    if of_type(thing, dict):
        return dict[object, object].values(thing)
    if of_type(thing, list):
        return list[object].__iter__(thing)
    if of_type(thing, set):
        return set[object].__iter__(thing)
    if of_type(thing, MappingProxyType):
        return elements_of({**thing})
    return tuple[object, ...].__iter__(thing) if of_type(thing, tuple) else ()


def some_of(ask: Callable[[], Iterable[T]], most: int) -> list[T]:
    """The first things that a container gives, taken at once: other threads may add to it.

    Without the GIL they may do so in between, which raises. Then fewer are taken, in less time.
    """
    while most:
        try:
            return list(islice(ask(), most))
        except RuntimeError:
            most //= 2
    return []


def inside_of(thing: object, most: int) -> list[Any]:
    """So many attributes of an object at most, what is in its slots, and as many elements of a container."""
    held = some_of(attributes_of(thing).values, most)
    held += [each for _, each in slots_of(thing)]
    return held + some_of(partial(elements_of, thing), most)


def answers(thing: object) -> bool:
    """Whether it says what it is: a proxy of what is gone, or is not there yet, raises instead."""
    try:
        for each in ("__class__", "__dict__"):
            getattr(thing, each, None)
    except Exception as error:  # noqa: BLE001 - a value's own hook raises anything
        raise_handlers(error)
        return False
    return True


def is_logger(thing: object) -> bool:
    """Whether it is a logger: what one caches with its first message is no change."""
    return _is_from("logging", "Logger", thing)


def is_proxy(thing: object) -> bool:
    """Whether it is a proxy of a `multiprocessing.Manager`, whose server holds what all processes share."""
    return _is_from("multiprocessing.managers", "BaseProxy", thing)


def is_array(thing: object) -> bool:
    """Whether it is an array of numbers: NumPy's, or Python's own."""
    return _is_from("numpy", "ndarray", thing) or _is_from("array", "array", thing)


def is_ufunc(thing: object) -> bool:
    """Whether it is one of NumPy's functions that work element by element, and have methods."""
    return _is_from("numpy", "ufunc", thing)


def of_loaded(thing: object, kinds: Iterable[tuple[str, str]]) -> bool:
    """Whether it is of one of some classes, each given by its module and name, as far as those are loaded."""
    return any(_is_from(module, kind, thing) for module, kind in kinds)


def _is_from(module: str, kind: str, thing: object) -> bool:
    """Whether it is of a module's class; not so where none has been imported."""
    found = loaded_class(module, kind)
    return found is not None and of_type(thing, found)


def loaded_class(module: str, name: str) -> type[Any] | None:
    """A class of a module; None where that has not been imported, or only begun to be."""
    found = getattr(sys.modules.get(module), name, None)
    return found if isinstance(found, type) else None


def is_frozen(thing: Any, deep: int = DEEP) -> bool:
    """Whether nothing can change it: a number, a text, or a few of such in a tuple or a frozen set."""
    if type(thing) not in _FROZEN_GROUPS:
        return type(thing) in ATOMS
    return deep > 0 and len(thing) <= WIDE and all(is_frozen(each, deep - 1) for each in thing)
