"""What it costs to bring things to another process, weighed before there is one."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from .._work._pickling import dump, size_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["carrying"]

AT_FIRST = 4
"""Things that are weighed in any case: sizes may differ."""

ENOUGH = 200_000
"""Nanoseconds of pickling that say enough; after fewer, four times as many things are weighed."""

BYTE = 1e-9
"""Seconds to move a pickled byte between processes (DECISION.md 5.2)."""


def carrying(things: Sequence[Any]) -> float:
    """CPU seconds of both processes to carry one of these things from one to the other.

    They are weighed as they would travel, together in a message. Unpickling is taken to cost what pickling
    does, for nothing may be made twice here.

    Returns:
        The mean; 0 where there are none, or some cannot travel: that will be said where they are sent.
    """
    count = min(AT_FIRST, len(things))
    while count:
        try:
            took, size = _packed(things[:count])
        except Exception:  # noqa: BLE001 - picklers, and a thing's own hooks, raise anything
            return 0.0
        if count == len(things) or took > ENOUGH:
            return (2e-9 * took + BYTE * size) / count
        count = min(4 * count, len(things))
    return 0.0


def _packed(things: Sequence[Any]) -> tuple[int, int]:
    """Nanoseconds and bytes of a message. It is CPU time: pickling waits for nothing but a core.

    The first that takes cloudpickle has it imported, which no other does: it is weighed once more.
    """
    known = "cloudpickle" in sys.modules
    began = time.thread_time_ns()
    frames = dump([*things])
    took = time.thread_time_ns() - began
    return (took, size_of(frames)) if known or "cloudpickle" not in sys.modules else _packed(things)
