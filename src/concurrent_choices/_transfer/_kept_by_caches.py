"""What functions under `functools.cache` keep, as settings that are made once, and changed since.

A worker process makes them anew. Where a function takes nothing, what it keeps is like a global of its name.
But a client, a model or a directory is there so that each process has one of its own.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from types import FunctionType

from .._facts._lean import TYPE_CHECKING
from .._inspect._asking import ATOMS, of_type
from .._inspect._captured import reached_from
from .._inspect._code import names_in
from .._inspect._ownership import is_own_class, is_own_function
from .._mutation._marks import CONTAINERS, keeps_one, mark_of
from ._pickling import travels_by_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = ["keeping", "kept_by_caches"]

_WRAPPER = type(lru_cache(len))
_USED_UNNAMED = ("__call__", "__contains__", "__getattr__", "__getitem__", "__iter__", "__missing__")


def kept_by_caches(reached: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str]]:
    """Calls of cached functions, among what hangs on a callable, whose results must be the same elsewhere."""
    things = [each for _, each in reached]
    caches = [each for each in things if type(each) is _WRAPPER and _may_have_changed(each)]
    if caches:
        functions = [each for each in things if is_own_function(each)]
        named = frozenset(_USED_UNNAMED).union(*(names_in(each.__code__) for each in functions))
        for each in caches:
            if travels_by_name(each) and not _changes_itself(type(each()), named):
                yield each.__module__, f"{each.__qualname__}()"


def keeping(fn: object) -> list[int]:
    """Marks of what cached functions keep that take nothing, among what hangs on a callable."""
    return [mark_of(each()) for _, each in reached_from(fn) if type(each) is _WRAPPER and keeps_one(each)]


def _may_have_changed(wrapper: Any) -> bool:
    """Whether it is the user's own, and keeps what can be changed: data, or an object of their own class."""
    if not is_own_function(wrapper.__wrapped__) or not keeps_one(wrapper):
        return False
    kept: object = wrapper()
    kind = type(kept)
    return kind in CONTAINERS or (not of_type(kept, *ATOMS, type) and is_own_class(kind))


def _changes_itself(kind: type, named: frozenset[str]) -> bool:
    """Whether what is used of a class, by its name, stores anything, as a client does that counts."""
    from .._mutation._stores import stores_beyond  # noqa: PLC0415 - takes code apart, and is seldom needed

    kinds = filter(is_own_class, kind.__mro__)
    for name, part in [part for each in kinds for part in list(vars(each).items())]:
        if name in named:
            fn = getattr(part, "fget", part)
            if of_type(part, cached_property) or (of_type(fn, FunctionType) and stores_beyond(fn.__code__)):
                return True
    return False
