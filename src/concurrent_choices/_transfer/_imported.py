"""Whether what a callable uses of modules is in another process what it is here.

Functions, classes and modules travel by name: a worker imports them, and finds what the modules themselves
set, not what was set in them since, such as an option of the command line. Whoever names a strategy of
processes must know that; one that chooses processes by itself must not give other results because of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

from .._inspect._asking import ATOMS, Seen, attributes_of, is_frozen, of_type, some_of, told_by, written_in
from .._inspect._captured import (
    builtins_of,
    classes_of,
    data_among,
    functions_of,
    modules_of,
    parts_of_class,
    parts_of_module,
    reached_from,
)
from .._inspect._code import globals_of, names_in
from .._inspect._ownership import is_own_class, is_own_function, of_libraries
from .._inspect._strangers import strangers_in
from .._mutation._filled import filled_in
from .._mutation._kept_by_caches import data_kept
from .._mutation._marks import compare, is_compared, mark_of, value_at
from .._runtime._interrupted import raise_handlers
from ._pickling import travels_by_name

__all__ = ["Imported"]

_MOST = 500
"""Things that are looked at (guessed: two milliseconds)."""

_CALLED_UNNAMED = frozenset(
    {
        *("__bool__", "__call__", "__contains__", "__enter__", "__exit__", "__getattr__", "__getattribute__"),
        *("__getitem__", "__iter__", "__len__", "__missing__", "__next__"),
    }
)
"""Methods that code may come to without naming them."""


class Imported:
    """What callables use of modules; unpickled in another process, it raises unless all is the same there.

    Attributes:
        marks: By the names of a module and of a value in it, its mark, for `compare`.
    """

    def __init__(self, *called: Any) -> None:
        places = (place for fn in called for place in _imported(fn))
        self.marks = dict(_marked(dict.fromkeys(places)))  # each once, whoever names it

    def __len__(self) -> int:
        return len(self.marks)

    def __reduce__(self) -> tuple[Any, ...]:
        return compare, (self.marks,)


def _marked(places: Iterable[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], int]]:
    """Places with their marks, but for those that cannot be asked for here either: a class may raise."""
    for place in places:
        try:
            yield place, mark_of(value_at(*place))
        except Exception as error:  # noqa: BLE001 - see above
            raise_handlers(error)


def _imported(fn: Any) -> Iterator[tuple[str, str]]:
    """What a worker imports for a callable: each value's module, and its name there."""
    held = told_by(fn, "__self__")
    yield from _of_classes(type(fn if held is None else held).__mro__)
    reached = _reached(fn)
    yield from _of_classes([each for _, thing in reached if of_type(thing, type) for each in thing.__mro__])
    functions = [thing for _, thing in reached if of_type(thing, FunctionType)]
    named = _named_by(functions)
    for function in functions:
        if not of_libraries(function.__code__):
            yield from _of_function(function)
        if travels_by_name(function):
            yield from _data(function.__module__, _kept_by(function, named))
    caches = (cache for _, cache in data_kept(reached) if travels_by_name(cache))
    yield from ((cache.__module__, f"{cache.__qualname__}()") for cache in caches)


def _reached(fn: Any) -> list[tuple[str, Any]]:
    """All that hangs on a callable, and on methods that it may call of the user's objects among that."""
    reached = list(reached_from(fn))
    seen, at = Seen(*(each for _, each in reached)), 0
    while at < len(reached) < _MOST:
        ahead, at = reached[at:], len(reached)
        named = _named_by(each for _, each in reached)
        for thing in _named_among(ahead, named):
            methods = [
                part for kind in type(thing).__mro__ for name, part in parts_of_class(kind) if name in named
            ]
            for method in filter(seen.is_new, methods):
                reached += reached_from(method)
    return reached


def _named_by(things: Iterable[Any]) -> frozenset[str]:
    """The names in the user's own functions, and those by which Python calls methods."""
    return _CALLED_UNNAMED.union(*(names_in(each.__code__) for each in things if is_own_function(each)))


def _named_among(reached: Iterable[tuple[str, Any]], named: frozenset[str]) -> Iterator[Any]:
    """Objects, and those that code names of their attributes, and so on."""
    ahead, seen = [thing for _, thing in data_among(reached)], Seen()
    while ahead and len(seen) < _MOST:
        thing = ahead.pop()
        if not of_type(thing, *ATOMS) and seen.is_new(thing):
            yield thing
            ahead += [each for name, each in some_of(attributes_of(thing).items, _MOST) if name in named]


def _kept_by(function: FunctionType, named: frozenset[str]) -> Iterator[tuple[str, Any]]:
    """What a function keeps itself, by the names that lead there.

    That is what stands for its arguments, attributes of its own, and the kinds that it was told to dispatch.
    """
    name, own = function.__qualname__, attributes_of(function)
    if not is_frozen(function.__defaults__ or ()):
        yield f"{name}.__defaults__", function.__defaults__
    if not all(map(is_frozen, (function.__kwdefaults__ or {}).values())):
        yield f"{name}.__kwdefaults__", function.__kwdefaults__
    yield from ((f"{name}.{each}", own[each]) for each in sorted(named.intersection(own)))
    if of_type(own.get("registry"), MappingProxyType):
        yield f"{name}.registry", own["registry"]


def _of_function(fn: FunctionType) -> Iterator[tuple[str, str]]:
    names = names_in(fn.__code__)
    held = dict(globals_of(fn))
    kinds = [value if isinstance(value, type) else type(value) for value in held.values()]
    lines = dict.fromkeys(each for kind in kinds for each in kind.__mro__)
    yield from _of_classes(lines)
    for kind in lines:
        if not is_own_class(kind):  # as a logger's, for a level of the program's own
            put = [(f"{kind.__qualname__}.{at}", each) for at, each in strangers_in(kind, names)]
            yield from _data(kind.__module__, put)
    if "__subclasses__" in names:
        yield from ((kind.__module__, f"{kind.__qualname__}.__subclasses__()") for kind in _own(kinds))
    for _, module in modules_of(fn):
        yield from _data(module.__name__, parts_of_module(module, names))
    yield from _data("builtins", builtins_of(fn))
    if held and _comes_by_name(fn):  # what attrs compiles is of no module
        yield from _data(written_in(fn), [*held.items(), *_named_within(held, names)])


def _comes_by_name(fn: FunctionType) -> bool:
    """Whether a worker imports a function: by its own name, or with a class in which a property has it."""
    if travels_by_name(fn):
        return True
    home, _, name = fn.__qualname__.rpartition(".")
    try:
        kind = value_at(written_in(fn), home)
        return travels_by_name(kind) and any(each is fn for each in functions_of(getattr(kind, name)))
    except Exception as error:  # noqa: BLE001 - it may be nowhere, and classes raise anything
        raise_handlers(error)
        return False


def _own(kinds: Iterable[type]) -> list[type]:
    """Classes of the user's own that a worker can import."""
    return [kind for kind in dict.fromkeys(kinds) if is_own_class(kind) and travels_by_name(kind)]


def _named_within(held: dict[str, Any], names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """What a function names of a library's objects that have no pickle, as the `config` of an application."""
    for path, value in held.items():
        some = {name: each for name, each in attributes_of(value).items() if name in names}
        if some and not (of_type(value, type, FunctionType, ModuleType) or is_compared(value)):
            yield from ((f"{path}.{name}", each) for name, each in some.items())


def _of_classes(kinds: Iterable[type]) -> Iterator[tuple[str, str]]:
    for kind in dict.fromkeys(each for one in kinds for each in (one, *classes_of(one))):
        parts = [(f"{kind.__qualname__}.{name}", value) for name, value in parts_of_class(kind)]
        if parts and travels_by_name(kind):
            yield from _data(kind.__module__, parts)


def _data(module: str, parts: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str]]:
    """Places of values, each after those that it has computed and keeps: so a worker computes them, too."""
    for path, value in parts:
        if not isinstance(value, ModuleType):
            filled = filled_in(value)
            if filled and is_compared(value):  # else no more than its class is compared
                yield from ((module, f"{path}.{name}") for name in filled)
            yield module, path
