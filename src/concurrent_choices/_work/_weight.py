"""How much memory a result takes, about: no more should wait for a slow caller than there is room for."""

from __future__ import annotations

import gc
import sys
from collections.abc import Collection, Iterator
from itertools import islice
from operator import length_hint
from types import FunctionType, MethodDescriptorType, ModuleType
from typing import Any, cast

from .._inspect._asking import ATOMS, Seen, elements_of, of_type
from .._runtime._interrupted import raise_handlers

__all__ = ["weight_of"]

LOOKS = 16
"""Things that are looked at, the nearest first, besides numbers and texts (guessed)."""

WIDE = 32
"""How many of those that one of them holds are looked at; if it has more, these stand for all (guessed)."""

ALIKE = 4
"""How many of those in a list, which are of one kind, as a rule (guessed)."""

_OF_ALL = (type, FunctionType, ModuleType)


def weight_of(value: Any, beside: Any = None) -> int:
    """Bytes of a value with what it holds; 0 where it raises as it is asked.

    What another value `beside` it holds too is left out: it is taken for what all of them share.
    """
    try:
        shared = {place for place, _ in _walked(beside, ())}
        return sum(weight for _, weight in _walked(value, shared))
    except Exception as error:  # noqa: BLE001 - a value's own hooks raise anything
        raise_handlers(error)
        return 0


def _walked(value: Any, shared: Collection[int]) -> Iterator[tuple[int, int]]:
    """Where things are that a value holds, besides those that are shared, and their bytes."""
    seen, rest = Seen(), [(value, 1)]
    for thing, times in rest:  # which grows meanwhile
        if id(thing) in shared:
            continue
        if type(thing) in ATOMS:
            yield id(thing), times * sys.getsizeof(thing)
        elif not of_type(thing, *_OF_ALL) and seen.is_new(thing):
            if len(seen) > LOOKS:
                return
            own, parts, among = _looked_at(thing)
            rest += [(part, times * among) for part in parts]
            yield id(thing), times * own


def _looked_at(thing: Any) -> tuple[int, list[Any], int]:
    """The bytes of a thing by itself, what it holds, and of how many each of those is one."""
    kind = cast("Any", type(thing))
    if hasattr(kind, "nbytes"):  # an array, which may be a view of another
        return int(thing.nbytes), [], 1
    # An own method may take its time: that of a data frame looks at each text.
    own = sys.getsizeof(thing) if isinstance(kind.__sizeof__, MethodDescriptorType) else 0
    few = ALIKE if of_type(thing, list, set) else WIDE
    held = elements_of(thing)
    count = length_hint(held)  # its own `__len__` may take its time as well
    if elements := [*islice(held, few)]:
        return own, elements, max(1, count // few)
    # From CPython 3.14 on a file in memory refers to the bytes that its own size tells of.
    parts = [each for each in gc.get_referents(thing) if type(each) is not bytes or len(each) > own]
    return own, parts[:few], 1
