"""What a fresh worker will have to import for a callable, told from what this process has imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, TypeGuard

from .._inspect._asking import Seen, of_type, told_by, written_in
from .._inspect._callables import defaults_of, enclosed
from .._inspect._code import globals_of
from .._inspect._ownership import MAINS

__all__ = [
    "Imports",
    "goes_by_value",
    "imports_of",
    "is_shared_package",
    "needed_by",
    "preloadable",
    "used_by",
]

_LIBRARY = os.path.dirname(os.__file__) + os.sep  # noqa: PTH120 - compared with what modules call their files

_OURS = "concurrent_choices"

_THERE = frozenset(
    {
        *sys.builtin_module_names,
        *("_compat_pickle", "_contextvars", "_socket", "_struct", "collections", "contextvars", "copyreg"),
        *("encodings", "functools", "keyword", "mmap", "operator", "reprlib", "select", "struct", "types"),
    }
)
"""What each worker has anyway, besides what is part of the interpreter's own file."""

_VALUES = ("attr", "attrs")
"""What some of our modules make their values with; it takes 15 ms, so it is loaded only for those."""

_SHARED = (*_VALUES, "cloudpickle", "numpy")
"""Installed packages that workers may have of one process. NumPy takes each of two workers 150 to 200 ms,
beside a caller that computes on the same cores; its threads end before a fork, and start again where they are
needed (OpenBLAS), and its random numbers a worker draws anew. The standard library's fork server shares all
that the main module imports, from 3.14 on."""

_MOST = 2000
"""Modules, and things, that are looked at (guessed: in 0.1 s; more modules take workers longer than most work
takes)."""

_SOME = 10
"""Parts of a list or a tuple that are looked at: of more, they are alike (guessed)."""

_COLLECTIVE = "importlib"
"""A package whose `__init__` imports none of its modules, though much code holds it by its name."""


class Imports(NamedTuple):
    """How many modules workers import for a callable.

    Attributes:
        shared: Those that one process imports for all workers.
        own: Those that each worker imports.
    """

    shared: int
    own: int


def preloadable(fn: Any) -> list[str]:
    """The names of modules that a worker is going to import with a callable, of those that all may share.

    These are the standard library's, those of `_SHARED` and ours. What else a module imports is each worker's
    own: it may start threads, or hold a state, as Faker's random numbers, that is not to be the same in all.
    """
    if of_type(fn, partial):
        called = filter(callable, _inside(fn, partial))
        return list(dict.fromkeys(name for each in called for name in preloadable(each)))
    homes = dict.fromkeys(_roots([fn]) if goes_by_value(fn) else _beside(fn))
    ours = [name for name in homes if name.startswith(f"{_OURS}.")]
    theirs = [name for name in homes if _is_standard(name) or is_shared_package(name)]
    values = _VALUES if ours and _VALUES[0] in sys.modules else ()
    return [*theirs, *values, *ours]


def is_shared_package(name: str) -> bool:
    """Whether a module is one of an installed package that workers may share."""
    return name.partition(".")[0] in _SHARED


def _beside(fn: Any) -> Iterator[str]:
    """The modules that a callable's own module imports, and that one itself."""
    home = _home_of(fn)
    module = sys.modules.get(home)
    if _is_module(module):
        yield from (_origin_of(value) for value in list(_globals_of(module).values()))
        yield home


def imports_of(fn: object, *carried: object, is_async: bool) -> Imports:
    """How many modules a fresh worker lacks that a callable needs, and some of what is carried for it.

    A module needs those that its globals are, or come from. What it imported and dropped again, or imports
    when called, is not seen: of 20 packages the count was 0.8 to 1.3 times what a fresh interpreter imported.
    """
    shared = _closure([*preloadable(fn), *(["asyncio"] if is_async else [])])
    needed = _closure(_roots([fn, *carried]))
    return Imports(len(shared), len(needed - shared))


def needed_by(things: Iterable[object], counts: Callable[[str], bool]) -> Iterator[str]:
    """The modules that a fresh worker lacks for what it is sent, as they are found: one in 25 µs (measured).

    `counts` tells by its name whether a module counts; what the others need is not looked at.
    """
    return _needed(_roots(things), counts)


def _roots(things: Iterable[object]) -> Iterator[str]:
    """The modules that things need themselves, and what travels within them does."""
    ahead, seen = list(things), Seen()
    while ahead and len(seen) < _MOST:
        thing = ahead.pop()
        if seen.is_new(thing):
            yield "cloudpickle" if _is_sent(thing) else _home_of(thing)
            ahead += _inside(thing, type(thing))


def _inside(thing: Any, kind: type[object]) -> Iterable[object]:
    """What travels within a thing of some kind; of what is long, some."""
    if issubclass(kind, partial):
        return (thing.func, *thing.args, *thing.keywords.values())
    if issubclass(kind, MethodType):
        return (thing.__func__, thing.__self__)
    if kind is list or kind is tuple:
        some: Iterable[object] = thing[:_SOME]
        return some
    if not _is_sent(thing):
        return (kind,) if _is_sent(kind) else ()
    return (kind, *thing.__bases__, *thing.__dict__.values()) if issubclass(kind, type) else used_by(thing)


def _is_sent(thing: object) -> bool:
    """Whether it is a function or a class that a worker is sent, instead of importing it."""
    return of_type(thing, FunctionType, type) and goes_by_value(thing)


def goes_by_value(fn: object) -> bool:
    """Whether a function cannot be imported by a worker, so that both ends will need cloudpickle.

    Not all that cannot is seen, as this does not look inside: objects and partials find it out later.
    """
    return told_by(fn, "__module__") in MAINS or "<" in (told_by(fn, "__qualname__") or "")


def used_by(fn: FunctionType) -> Iterator[object]:
    """What a function uses of those around it, its defaults, and of the globals."""
    return (value for _, value in chain(enclosed(fn), defaults_of(fn), globals_of(fn)))


def _closure(names: Iterable[str]) -> set[str]:
    return set(islice(_needed(names, bool), _MOST))


def _needed(names: Iterable[str], counts: Callable[[str], bool]) -> Iterator[str]:
    """Modules and, in turn, all that they need, without what a worker has anyway."""
    whole: dict[str, bool] = {}  # whether a package was asked for itself, not for a module in it
    waiting = [(name, True) for name in names]
    while waiting:
        name, itself = waiting.pop()
        module = sys.modules.get(name)
        looked_at = name in whole and (whole[name] or not itself)
        if not _is_module(module) or looked_at or _is_there(name, module) or not counts(name):
            continue
        if name not in whole:
            yield name
        whole[name] = itself
        waiting += [(needed, True) for needed in set(_needs(name, module, itself=itself))]
        waiting.append((name.rpartition(".")[0], False))


def _is_module(value: object) -> TypeGuard[ModuleType]:
    return issubclass(type(value), ModuleType)  # not asked for `__class__`: it may be a proxy of anything


def _needs(name: str, module: ModuleType, *, itself: bool) -> Iterator[str]:
    """The modules that a module's globals are, or come from.

    A package's modules are attributes of it, whoever imported them. So they tell nothing about a package that
    was imported only on the way to one of them.
    """
    told = itself and name != _COLLECTIVE
    for key, value in list(_globals_of(module).items()):
        if not key.startswith("__") and (told or not _is_within(name, key, value)):
            yield _origin_of(value)


def _is_within(package: str, key: str, value: object) -> bool:
    return _is_module(value) and _home_of(value) == f"{package}.{key}"


def _is_there(name: str, module: ModuleType) -> bool:
    frozen = getattr(_globals_of(module).get("__spec__"), "origin", None) == "frozen"
    return frozen or name in _THERE or name.partition(".")[0] in {_OURS, "__main__"}


def _globals_of(module: object) -> dict[str, Any]:
    """What a module holds, without asking it: one that is lazy would load itself."""
    held: dict[str, Any] = object.__getattribute__(module, "__dict__")
    return held


def _home_of(value: object) -> str:
    """The module that a value is, comes from, or has its class from; empty where it says none."""
    kind = type(value)  # not asked for `__class__`, nor for more than must be: it may be a proxy of anything
    if issubclass(kind, ModuleType):
        name = _globals_of(value).get("__name__")
    elif kind is FunctionType or kind is BuiltinFunctionType or issubclass(kind, type):
        name = getattr(value, "__module__", None)
    else:
        name = kind.__module__
    return name if isinstance(name, str) else ""


def _origin_of(value: object) -> str:
    """The same; of a function the module that it is written in, whichever it says it is from.

    With the one that attrs' own `evolve` says half of what a process has imported seemed to be needed.
    """
    return written_in(value) if type(value) is FunctionType else _home_of(value)


def _is_standard(name: str) -> bool:
    """Whether a module is the standard library's, and not somebody's of the same name."""
    if name.partition(".")[0] not in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(name), "__file__", None)
    return isinstance(file, str) and file.startswith(_LIBRARY) and "site-packages" not in file
