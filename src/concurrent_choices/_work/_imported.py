"""Whether what a callable uses of modules is in another process what it is here.

Functions, classes and modules travel by name: a worker imports them, and finds what the modules themselves
set, not what was set in them since, such as an option of the command line. Who names a strategy of processes
must know that; one that chooses them by itself must not give other results for it.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from importlib import import_module
from operator import attrgetter
from types import FunctionType, ModuleType
from typing import Any
from zlib import crc32

from ._captured import (
    names_in,
    of_libraries,
    parts_of_class,
    parts_of_module,
    reached_from,
    travels_by_name,
)

__all__ = ["Imported"]

MOST = 1 << 18
"""Bytes of one value's pickle that are looked at (guessed: half a millisecond)."""

_SETS = (b"\x8f", b"\x91")
"""The pickler's codes for sets, which order strings differently in each process."""


class Imported:
    """What a callable uses of modules; unpickled in another process, it raises unless all is the same there.

    Args:
        fn: The callable.
    """

    def __init__(self, fn: Any) -> None:
        self._marks: dict[tuple[str, str], int] = {}
        for module, path, value in _imported(fn):
            mark = _mark(value)
            if mark is not None:
                self._marks[module, path] = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return _compare, (self._marks,)


def _compare(marks: dict[tuple[str, str], int]) -> None:
    for (module, path), mark in marks.items():
        if _mark(attrgetter(path)(import_module(module))) not in {mark, None}:
            msg = f"{module}.{path} is not there what was made of it here"
            raise ValueError(msg)


def _imported(fn: Any) -> Iterator[tuple[str, str, Any]]:
    """Data that a worker imports: its module, its name there, and the data."""
    yield from _of_classes(type(getattr(fn, "__self__", fn)).__mro__)
    for _, thing in reached_from(fn):
        if isinstance(thing, FunctionType) and not of_libraries(thing.__code__):
            yield from _of_function(thing)


def _of_function(fn: FunctionType) -> Iterator[tuple[str, str, Any]]:
    names = names_in(fn.__code__)
    held = {name: fn.__globals__[name] for name in sorted(names) if name in fn.__globals__}
    for value in held.values():
        if isinstance(value, type):
            yield from _of_classes(value.__mro__)
        elif isinstance(value, ModuleType):
            yield from _data(value.__name__, parts_of_module(value, names))
    if held and travels_by_name(fn):
        yield from _data(fn.__module__, held.items())


def _of_classes(kinds: Iterable[type]) -> Iterator[tuple[str, str, Any]]:
    for kind in kinds:
        parts = [(f"{kind.__qualname__}.{name}", value) for name, value in parts_of_class(kind)]
        if parts and travels_by_name(kind):
            yield from _data(kind.__module__, parts)


def _data(module: str, parts: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str, Any]]:
    return ((module, path, value) for path, value in parts if not isinstance(value, (type, ModuleType)))


def _mark(value: Any) -> int | None:
    """A sum of what a value holds, the same in every process; None where there is none."""
    file = _Sum()
    try:
        pickle.Pickler(file, 5).dump(value)
    except _FullError:
        pass
    except Exception:  # noqa: BLE001 - picklers raise anything
        return None
    return _mark_of_parts(value) if file.may_hold_sets else file.total


def _mark_of_parts(value: Any) -> int | None:
    """The same for what may hold sets."""
    if type(value) not in {dict, frozenset, list, set, tuple}:
        return None
    marks = list(map(_mark, value.items() if hasattr(value, "items") else value))
    if None in marks:
        return None
    if type(value) in {frozenset, set}:
        marks.sort(key=str)
    return crc32(repr(marks).encode())


class _FullError(Exception):
    """Enough has been looked at."""


class _Sum:
    """A file that sums up what is written, up to a limit."""

    def __init__(self) -> None:
        self.total = 0
        self.may_hold_sets = False
        self._left = MOST

    def write(self, data: Any) -> int:
        some = bytes(data[: self._left])
        self.total = crc32(some, self.total)
        self.may_hold_sets = self.may_hold_sets or any(code in some for code in _SETS)
        self._left -= len(some)
        if not self._left:
            raise _FullError
        return len(data)
