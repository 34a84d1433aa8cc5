"""How much memory a result takes, about: no more should wait for a slow caller than there is room for."""

from __future__ import annotations

import gc
import sys
from itertools import islice
from operator import length_hint
from types import FunctionType, MethodDescriptorType, ModuleType
from typing import Any, cast

from ._asking import ATOMS, Seen, elements_of, of_type

__all__ = ["weight_of"]

LOOKS = 16
"""Things that are looked at, the nearest first, besides numbers and texts (guessed)."""

WIDE = 32
"""How many of those that one of them holds are looked at; if it has more, these stand for all (guessed)."""

ALIKE = 4
"""How many of those in a list, which are of one kind, as a rule (guessed)."""

_OF_ALL = (type, FunctionType, ModuleType)


def weight_of(value: Any) -> int:
    """Bytes of a value with what it holds, shared or not; of what raises where it is asked, none."""
    try:
        return sys.getsizeof(value) if type(value) in ATOMS else _walked(value)
    except Exception:  # noqa: BLE001 - a value's own hooks raise anything
        return 0


def _walked(value: Any) -> int:
    seen, weight, rest = Seen(), 0, [(value, 1)]
    for thing, times in rest:  # which grows meanwhile
        if type(thing) in ATOMS:
            weight += times * sys.getsizeof(thing)
        elif not of_type(thing, *_OF_ALL) and seen.is_new(thing):
            if len(seen) > LOOKS:
                break
            own, parts, among = _looked_at(thing)
            weight += times * own
            rest += [(part, times * among) for part in parts]
    return weight


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
    return own, gc.get_referents(thing)[:few], 1
