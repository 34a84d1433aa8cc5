"""How often what a callable holds is looked at once its calls are away: each time, unless that costs much."""

from __future__ import annotations

import time
from itertools import islice
from typing import Any

from .._work._asking import attributes_of, of_type
from .._work._captured import parts_of
from ._held import held_by

__all__ = ["Looks"]

SELDOM = 16
"""Of calls whose look costs much, one in so many is looked at, whatever its surface shows."""

MUCH = 0.005
"""Share of a call's length that a look may cost (measured: a look at 55 KB takes 120 to 250 µs, and with one
at each call of 12 ms `offload` lost 1 % to a process pool)."""

WIDEST = 1000
"""Members of one thing that make its surface (guessed: 50 µs)."""

# Asked for members by these names, not by what a class of the user's makes of them.
_GROUPS: tuple[Any, ...] = (list, set, tuple)
_DICT: Any = dict

_ATOMS = {int, float, complex, bool, str, bytes}


class Looks:
    """Looks at what a callable holds, whole or at its surface."""

    def __init__(self) -> None:
        self._calls = 0
        self._cost = 0.0
        self._surface: list[Any] | None = None  # as it was when the whole was looked at

    def digest(self, fn: object, wall: float) -> bytes | None:
        """What a callable holds before its next call, which takes so many seconds.

        Returns:
            The digest of `_held`; None where the whole was not looked at, as the surface is what it was.
        """
        self._calls += 1
        # Taken first: what changes meanwhile is seen the next time.
        surface = None if self._cost <= MUCH * wall else _surface(fn)
        if surface is not None and self._calls % SELDOM and surface == self._surface:
            return None
        self._surface = surface
        return self._whole(fn)

    def _whole(self, fn: object) -> bytes:
        """Look at all of it.

        The cheapest look counts, by the thread's own clock: others include what a crowded machine, or cold
        memory, made of them.
        """
        began = time.thread_time()
        held = held_by(fn)
        cost = time.thread_time() - began
        self._cost = min(self._cost or cost, cost)
        return held.digest


def _surface(fn: object) -> list[Any]:
    """What a callable holds and the members of that, without what those hold in turn.

    Atoms are there themselves: of one that comes and goes, another may lie in the same place. All else is
    there by its number alone, lest it live on here when nobody else has it any more.
    """
    things: list[Any] = []
    for _, value in parts_of(fn):
        if type(value) is not tuple:  # some are made for each look
            things.append(value)
        things += _members(value)
    return [each if type(each) in _ATOMS else id(each) for each in things]


def _members(value: Any) -> list[Any]:
    """Some of what a thing consists of: enough to see an entry set, added or taken away."""
    for kind in _GROUPS:
        if of_type(value, kind):
            return list(islice(kind.__iter__(value), WIDEST))
    mapping = value if of_type(value, _DICT) else attributes_of(value)
    return [*islice(_DICT.keys(mapping), WIDEST), *islice(_DICT.values(mapping), WIDEST)]
