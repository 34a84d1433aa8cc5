"""What is inside a value: its attributes and elements, found without running a line of its own code."""

from __future__ import annotations

from _thread import _local as local  # pyright: ignore[reportPrivateUsage] - threading has it, and takes a worker 3 ms
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from io import BytesIO, StringIO
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)

from .._facts._lean import TYPE_CHECKING
from .._inspect._asking import attributes_of, is_array, is_logger, is_ufunc, of_type
from .._inspect._ownership import is_own_class, is_own_module
from .._runtime._interrupted import raise_handlers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = [
    "FIRST_CHANGERS",
    "LOOPED",
    "Attributes",
    "Giving",
    "attribute",
    "changes_its_first",
    "element",
    "getter_of",
    "given_by",
    "gone_through",
    "has_array",
    "has_attribute",
    "has_method",
    "inherited",
    "is_container",
    "is_filled",
    "is_kind_of_container",
    "is_shared",
    "is_view",
    "named_in",
    "unpacked",
]

_CONTAINERS = (
    *(list, dict, set, bytearray, deque, BytesIO, ChainMap, StringIO, UserDict, UserList),
    GeneratorType,  # which is sent things
)

_SEQUENCES: tuple[type, ...] = (list, tuple, deque)
_DICT: Any = dict
"""Python's own, as a subclass may have other methods; and checkers would ask for what it holds."""

_MADE = (list, dict, set, bytearray, deque, defaultdict, Counter, OrderedDict)
"""Factories of a `defaultdict` that may be called to see what its elements are."""

_FIRST_CHANGERS = {
    "_bisect": {"insort_left", "insort_right"},
    "_heapq": {"heapify", "heappop", "heappush", "heappushpop", "heapreplace"}
    | {"heapify_max", "heappop_max", "heappush_max", "heappushpop_max", "heapreplace_max"},
    "_operator": {"delitem", "iadd", "iconcat", "ior", "setitem"},
    "numpy": {"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"},
    "numpy.random": {"RandomState.shuffle"},
    "numpy.random._generator": {"Generator.shuffle"},
    "random": {"Random.shuffle"},
}
"""Functions that change the container they are given first, by the modules that they are written in."""

FIRST_CHANGERS = frozenset(
    {"at", "insort", "shuffle"}
    | {name for names in _FIRST_CHANGERS.values() for name in names if "." not in name}
)
"""How code names them."""


_PAIRING = (enumerate, zip)
LOOPED = (*_PAIRING, iter, list, reversed, sorted, tuple)
"""What of Python's own gives a loop what stands in a container."""

_VIEWS = frozenset({"get", "items", "values"})
_SHOWN = frozenset({"T", "flat", "imag", "real"})
_SHOWING = frozenset({"ravel", "reshape", "squeeze", "swapaxes", "transpose", "view"})
"""Attributes and methods of NumPy's arrays that are, or give, one that shows what is in them."""


class Attributes:
    """An object's own dictionary, of `__dict__` or `vars`: to set an item there binds an attribute anew."""

    def __init__(self, of: Any) -> None:
        self.of = of


class Giving:
    """A method that gives something of what its object holds."""

    def __init__(self, value: Any) -> None:
        self.value = value


def is_kind_of_container(value: Any) -> bool:
    """Whether it is a class of Python's own whose objects are such: a method may be taken from there."""
    return any(value is kind for kind in _MADE)


def is_container(value: Any) -> bool:
    """Whether it is a container that can be changed, and whose methods and items mean what Python says."""
    return of_type(value, *_CONTAINERS) or is_array(value)


def is_view(container: Any) -> bool:
    """Whether a slice of it shows what is in it, as of NumPy's arrays; of Python's own it is a copy."""
    return is_array(container) and has_method(container, "base")


def is_filled(function: Any, place: int) -> bool:
    """Whether a function of NumPy's fills the argument of that place."""
    return is_ufunc(function) and place >= function.nin


def changes_its_first(value: Any) -> bool:
    """Whether it is a function that is known to change the container it is given first."""
    function: Any = value.__func__ if of_type(value, MethodType) else value
    if of_type(function, BuiltinFunctionType) and is_ufunc(function.__self__):
        return bool(function.__name__ == "at")
    if not (of_type(function, BuiltinFunctionType, FunctionType) or _is_of_numpy(function)):
        return False
    return function.__qualname__ in _FIRST_CHANGERS.get(function.__module__, ())


def _is_of_numpy(function: object) -> bool:
    """Whether it is one of NumPy's functions as most are from 1.25 on, or of its generators: by Cython."""
    kind = type(function)
    is_dispatcher = kind.__module__ == "numpy" and kind.__name__ == "_ArrayFunctionDispatcher"
    return is_dispatcher or kind.__name__ == "cython_function_or_method"


def attribute(value: Any, name: str) -> Any:
    """What a value has under a name; None where it has nothing, or something that has to be run to tell.

    What is in a class or a module is looked up only if that is the user's own.
    """
    if name == "__dict__":
        return Attributes(value) if _held_by(value) else None
    found = next(named_in(value, frozenset({name})), None)
    return _of_library(value, name) if found is None else found


def getter_of(value: Any, name: str) -> MethodType | None:
    """What gives an object's property of a name; None where it has no such."""
    found = _first_in(type(value).__mro__, name)
    is_getter = of_type(found, property) and of_type(found.fget, FunctionType)
    return MethodType(found.fget, value) if is_getter else None


def has_array(value: Any) -> bool:
    """Whether it is an array, or a tuple of such, in which NumPy's functions may be given what they fill."""
    return any(map(is_array, value)) if of_type(value, tuple) else is_array(value)


def has_attribute(value: Any, name: str) -> bool:
    """Whether a value has anything under a name, be it None or something that has to be run to tell."""
    return any(True for _ in _found(value, frozenset({name})))


def has_method(container: Any, name: str) -> bool:
    """Whether a container's class has anything under a name."""
    return any(name in vars(kind) for kind in type(container).__mro__)


def is_shared(value: object) -> bool:
    """Whether others see what is set in a value: what is kept for a thread, or by loggers, is no result."""
    return not (of_type(value, local) or is_logger(value))


def inherited(above: Any, name: str) -> Any:
    """The method that a `super()` finds under a name; None where there is none of the user's own."""
    members = vars(super)  # not by itself, which would look for these names above, too
    kind, itself = (members[each].__get__(above) for each in ("__thisclass__", "__self__"))
    order: list[type] = [*type(itself).__mro__]
    behind = next(order[at:] for at, each in enumerate(order, 1) if each is kind)
    found = _first_in(behind, name)
    return MethodType(found, itself) if of_type(found, FunctionType) else None


def _first_in(kinds: Iterable[type], name: str) -> Any:
    """What the first of some classes that has anything under a name has there; None where none has."""
    return next((vars(kind)[name] for kind in kinds if name in vars(kind)), None)


def _of_library(value: Any, name: str) -> Any:
    """What of a library it has there, if that changes what it is given first or has what does."""
    if of_type(value, dict):
        return _viewed(value, name) if name in _VIEWS else None
    if (name in _SHOWN or name in _SHOWING) and is_view(value):
        return value if name in _SHOWN else Giving(value)
    if of_type(value, ModuleType):
        found = value.__dict__.get(name)
        if is_ufunc(found) or of_type(found, ModuleType):
            return found
    elif is_ufunc(value):
        found = value.at if name == "at" else None
    elif name not in FIRST_CHANGERS:
        found = None
    else:
        found = _first_in(type(value).__mro__, name)
    return found if changes_its_first(found) else None


def named_in(value: Any, names: frozenset[str]) -> Iterator[Any]:
    """What code that uses these names may find in a value."""
    return (each for each in _found(value, names) if each is not None)


def element(container: Any, index: Any) -> Any:
    """What stands at an index, or anywhere, as most hold things of a kind; None where that is unknown.

    Args:
        container: What is looked into.
        index: The index if it is a constant, else None.
    """
    if of_type(container, defaultdict):
        factory = vars(defaultdict)["default_factory"].__get__(container)
        if any(factory is kind for kind in _MADE):
            return factory()
    try:
        return _element(container, index)
    except Exception as error:  # noqa: BLE001 - there is none, or others are at it, or a key's own hook raises anything
        raise_handlers(error)
        return None


def given_by(container: Any) -> Any:
    """What a loop over a container is given, as most hold things of a kind; None where that is unknown.

    The keys of a dictionary are nothing that could be changed.
    """
    if is_view(container):
        return container if container.ndim > 1 else None
    return None if of_type(container, dict) else element(container, None)


def unpacked(container: Any, before: int, after: int | None) -> Iterator[Any]:
    """What so many names, perhaps one with a star and so many more, get of a container; None as above."""
    places = [*range(before), *range(-(after or 0), 0)]
    parts = [None if of_type(container, dict) else element(container, place) for place in places]
    yield from parts[:before]
    if after is not None:
        # A list of its own, of which a tuple can only be read, too.
        yield None if (one := given_by(container)) is None else (one,)
        yield from parts[before:]


def gone_through(container: Any, function: Any, place: int) -> Any:
    """What a loop goes through that is over `enumerate`, `zip` or the like of a container at that place.

    One element stands for all, in a tuple, which could not be changed itself; None where nothing is known.
    """
    one = given_by(container) if any(function is each for each in LOOPED) else None
    if one is not None and any(function is each for each in _PAIRING):
        one = (*[None] * (place + (function is enumerate)), one)
    return None if one is None else (one,)


def _viewed(container: Any, name: str) -> Any:
    """A dictionary's method, for what it gives: one value, or what a loop goes through."""
    one = element(container, None)
    if one is None:
        return None
    return Giving(one if name == "get" else ((None, one) if name == "items" else one,))


def _element(container: Any, index: Any) -> Any:
    if type(container) is Attributes:
        return attribute(container.of, index)
    if of_type(container, dict):
        found = None if index is None else _DICT.get(container, index)
        return next(iter(_DICT.values(container))) if found is None else found
    kind: Any = next((kind for kind in _SEQUENCES if of_type(container, kind)), None)
    if kind is None:
        return container if index is not None and is_view(container) and container.ndim > 1 else None
    if type(index) is int:
        return kind.__getitem__(container, index)
    return next(each for each in kind.__iter__(container) if each is not None)


def _found(value: object, names: frozenset[str]) -> Iterator[Any]:
    held = _held_by(value)
    yield from (_DICT.get(held, name) for name in names if _DICT.__contains__(held, name))
    is_class = of_type(value, type)
    itself: Any = value if is_class else type(value)
    for kind in itself.__mro__:
        if is_own_class(kind):
            body: dict[str, Any] = kind.__dict__
            yield from (_bound(body.get(name), value, is_class=is_class) for name in names if name in body)


def _held_by(value: Any) -> dict[str, Any]:
    """An object's own attributes, where these are seen by others."""
    if of_type(value, ModuleType):
        return value.__dict__ if is_own_module(value) else {}
    return attributes_of(value) if is_shared(value) else {}


def _bound(found: Any, value: object, *, is_class: bool) -> Any:
    """What stands in a class, as an object, or the class itself, has it."""
    if of_type(found, staticmethod):
        return found.__func__ if of_type(found.__func__, FunctionType) else None
    if of_type(found, FunctionType):
        return found if is_class else MethodType(found, value)
    if of_type(found, classmethod) and of_type(found.__func__, FunctionType):
        return MethodType(found.__func__, value if is_class else type(value))
    if of_type(found, MemberDescriptorType):
        return None if is_class else _slot(found, value)
    is_descriptor = any("__get__" in vars(kind) for kind in type(found).__mro__)
    return None if is_descriptor else found


def _slot(slot: MemberDescriptorType, value: object) -> Any:
    try:
        return slot.__get__(value, type(value))
    except AttributeError:  # nothing has been put there
        return None
