"""Whether what a callable uses of modules is in another process what it is here.

Functions, classes and modules travel by name: a worker imports them, and finds what the modules themselves
set, not what was set in them since, such as an option of the command line. Whoever names a strategy of
processes must know that; one that chooses processes by itself must not give other results because of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from .._inspect._asking import attributes_of, of_type, told_by, written_in
from .._inspect._captured import builtins_of, modules_of, parts_of_class, parts_of_module, reached_from
from .._inspect._code import globals_of, names_in
from .._inspect._ownership import of_libraries
from .._mutation._filled import filled_in
from .._mutation._marks import compare, is_compared, mark_of, value_at
from .._runtime._interrupted import raise_handlers
from ._kept_by_caches import kept_by_caches
from ._pickling import travels_by_name

__all__ = ["Imported"]


class Imported:
    """What a callable uses of modules; unpickled in another process, it raises unless all is the same there.

    If `only_caches`, it is no more than what cached functions keep.

    Attributes:
        marks: By the names of a module and of a value in it, its mark, for `compare`.
    """

    def __init__(self, fn: Any, *, only_caches: bool = False) -> None:
        places = kept_by_caches(reached_from(fn)) if only_caches else _imported(fn)
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
    reached = list(reached_from(fn))
    for _, thing in reached:
        if isinstance(thing, FunctionType) and not of_libraries(thing.__code__):
            yield from _of_function(thing)
    yield from kept_by_caches(reached)


def _of_function(fn: FunctionType) -> Iterator[tuple[str, str]]:
    names = names_in(fn.__code__)
    held = dict(globals_of(fn))
    kinds = [value if isinstance(value, type) else type(value) for value in held.values()]
    yield from _of_classes(dict.fromkeys(each for kind in kinds for each in kind.__mro__))
    for _, module in modules_of(fn):
        yield from _data(module.__name__, parts_of_module(module, names))
    yield from _data("builtins", builtins_of(fn))
    if held and travels_by_name(fn):  # what attrs compiles is of no module
        yield from _data(written_in(fn), [*held.items(), *_named_within(held, names)])


def _named_within(held: dict[str, Any], names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """What a function names of a library's objects that have no pickle, as the `config` of an application."""
    for path, value in held.items():
        some = {name: each for name, each in attributes_of(value).items() if name in names}
        if some and not (of_type(value, type, FunctionType, ModuleType) or is_compared(value)):
            yield from ((f"{path}.{name}", each) for name, each in some.items())


def _of_classes(kinds: Iterable[type]) -> Iterator[tuple[str, str]]:
    for kind in kinds:
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
