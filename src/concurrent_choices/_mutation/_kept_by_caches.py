"""What functions under `functools.cache` keep, as settings that are made once, and changed since.

A worker process makes them anew. Where a function takes nothing, what it keeps is like a global of its name.
But a client, a model or a directory is there so that each process has one of its own.
"""

from __future__ import annotations

from functools import cached_property
from types import FunctionType

from .._facts._lean import TYPE_CHECKING
from .._inspect._asking import ATOMS, of_type
from .._inspect._captured import reached_from
from .._inspect._code import names_in
from .._inspect._ownership import is_own_class, is_own_function
from ._marks import CONTAINERS, keeps_one, mark_of
from ._stores import stores_beyond

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = ["data_kept", "keeping"]

_USED_UNNAMED = ("__call__", "__contains__", "__getattr__", "__getitem__", "__iter__", "__missing__")


def data_kept(reached: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Cached functions, among what hangs on a callable, of which each process should keep the same data."""
    things = list(reached)
    caches = [each for each in things if _keeps_data(each[1])]
    if caches:
        functions = [each for _, each in things if is_own_function(each)]
        named = frozenset(_USED_UNNAMED).union(*(names_in(each.__code__) for each in functions))
        yield from (each for each in caches if not _changes_itself(each[1](), named))


def keeping(fn: object) -> list[int]:
    """Marks of what cached functions keep that take nothing, among what hangs on a callable."""
    return [mark_of(each()) for _, each in reached_from(fn) if keeps_one(each)]


def _keeps_data(value: Any) -> bool:
    """Whether it is a cached function of the user's own that keeps data, or an object of their own class."""
    if not keeps_one(value) or not is_own_function(value.__wrapped__):
        return False
    kept: object = value()
    kind = type(kept)
    return kind in CONTAINERS or (not of_type(kept, *ATOMS, type) and is_own_class(kind))


def _changes_itself(kept: object, named: frozenset[str]) -> bool:
    """Whether what is used of an object's class, by name, stores anything, as a client does that counts."""
    kinds = filter(is_own_class, type(kept).__mro__)
    for name, part in [part for each in kinds for part in list(vars(each).items())]:
        if name in named:
            fn = getattr(part, "fget", part)
            if of_type(part, cached_property) or (of_type(fn, FunctionType) and stores_beyond(fn.__code__)):
                return True
    return False
