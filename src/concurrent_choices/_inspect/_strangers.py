"""What was put into a library's modules and classes from outside: by tests, `patch("time.time")`, or by hand.

Another process has the library's own. A worker may import this, so nothing slow may be imported here.
"""

from __future__ import annotations

import sys
from types import BuiltinFunctionType, FunctionType, ModuleType

from .._facts._lean import TYPE_CHECKING
from ._asking import Seen, told_by, written_in
from ._ownership import MAINS, is_own_class, of_libraries

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

__all__ = ["is_mock", "strangers_in"]

_DEEPEST = 2
"""Levels of submodules and classes below a module (guessed: `os.path.exists` and `http.client.HTTP.send`)."""


def strangers_in(outermost: ModuleType | type, names: frozenset[str]) -> Iterator[tuple[str, Any]]:
    """What of a library's module or class code names and others wrote, by the path that leads to it."""
    ahead: list[tuple[str, Any, int]] = [("", outermost, _DEEPEST)]
    seen = Seen(outermost)
    for path, holder, deepest in ahead:
        for name, value, kind in _named(holder, names):
            if _is_stranger(value, kind, holder):
                yield path + name, value
            elif deepest and (kind is ModuleType or issubclass(kind, type)) and seen.is_new(value):
                ahead.append((f"{path}{name}.", value, deepest - 1))


def _named(holder: Any, names: frozenset[str]) -> list[tuple[str, Any, type]]:
    """What of it is named, except functions written in C, which nobody puts there."""
    # A lazy module is imported when it is asked, and may not be there to be imported.
    held: Mapping[str, object] = told_by(holder, "__dict__") or {}
    # Of their own type alone: there are proxies, which stand for anything or raise.
    values = [(name, held.get(name)) for name in names if name in held]
    return [(name, value, type(value)) for name, value in values if type(value) is not BuiltinFunctionType]


def _is_stranger(value: Any, kind: type, holder: Any) -> bool:
    if kind is FunctionType:
        if value.__globals__ is vars(holder):
            return False
        home = written_in(value)
        return is_mock(value) or not (_is_at_home(home, holder) or _is_of_library(value, home))
    if issubclass(kind, type):
        return not _is_at_home(str(value.__module__), holder) and is_own_class(value)
    return kind is not ModuleType and is_mock(value)


def _is_at_home(module: str, holder: Any) -> bool:
    """Whether a module belongs to the package of what holds something of it."""
    name = str(holder.__module__ if isinstance(holder, type) else holder.__name__)
    return module.partition(".")[0] == name.partition(".")[0]


def _is_of_library(fn: FunctionType, home: str) -> bool:
    """Whether a library wrote it, or had it written, as some that decorate functions do."""
    written = fn.__code__.co_filename.startswith("<") and home not in MAINS
    return written or of_libraries(fn.__code__)


def is_mock(value: object) -> bool:
    """Whether something stands there for a test, and keeps account of how it is called."""
    if type(value) is FunctionType:
        return is_mock(vars(value).get("mock"))  # of `autospec`
    return "unittest.mock" in sys.modules and any(
        each.__module__ == "unittest.mock" for each in type(value).__mro__
    )
