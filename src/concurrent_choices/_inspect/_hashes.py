"""What follows hashes, of which each process has its own: the order of sets.

Workers have other hashes of texts than their caller. The secret that it hashes by was drawn when it began,
and is longer than a seed that another process could be started with; set there later, it would come too late
for the texts that have been hashed.
"""

from __future__ import annotations

import os
import sys
from functools import partial

from .._facts._lean import TYPE_CHECKING
from ._asking import attributes_of, of_loaded, of_type, some_of
from ._ownership import is_own_class

if TYPE_CHECKING:
    from typing import Any

__all__ = ["has_own_order", "hashes_are_set"]

_NUMBERS = (bool, complex, float, int, *((type(None),) if sys.version_info >= (3, 12) else ()))
_NUMERIC = (("decimal", "Decimal"), ("fractions", "Fraction"), ("numpy", "number"), ("uuid", "UUID"))
"""Other classes whose hashes are made of numbers, by module and name."""

_SOME = 4
"""Elements of a group that are looked at (guessed: the others are like those)."""

_DEEPEST = 3
"""Levels of groups and objects that are looked into for what a hash is made of (guessed)."""

_SEED = "PYTHONHASHSEED"


def has_own_order(thing: Any) -> bool:
    """Whether it is a set of several things, not numbers, which another process has in another order."""
    # Asked of all that a callable holds: most are no sets, which their type alone tells.
    if not issubclass(type(thing), (frozenset, set)):
        return False
    some = _some_of(thing)
    return len(some) > 1 and not all(_is_numeric(each, _DEEPEST) for each in some)


def _some_of(group: Any) -> list[Any]:
    kind: Any = next(kind for kind in (frozenset, set, tuple) if of_type(group, kind))
    return some_of(partial(kind.__iter__, group), _SOME)


def _is_numeric(thing: object, deepest: int) -> bool:
    """Whether its hash is made of numbers alone."""
    kind = type(thing)
    if kind in _NUMBERS or of_loaded(thing, _NUMERIC):
        return True
    if not deepest:
        return False
    if of_type(thing, frozenset, tuple):
        parts = _some_of(thing)
    elif kind.__hash__ is object.__hash__ or not is_own_class(kind):  # which is where they are in memory
        return False
    else:
        parts = list(attributes_of(thing).values())  # as of a frozen dataclass
    return all(_is_numeric(each, deepest - 1) for each in parts)


def hashes_are_set() -> bool:
    """Whether this process and those it starts hash by a seed, which the environment had when it began."""
    if not sys.flags.hash_randomization:
        return True
    seed = os.environ.get(_SEED, "")
    if sys.flags.ignore_environment or not seed.isdecimal():
        return False
    try:
        with open("/proc/self/environ", "rb") as file:  # noqa: PTH123 - pathlib costs a first run 5 ms
            return f"{_SEED}={seed}".encode() in file.read().split(b"\0")
    except OSError:
        return False
