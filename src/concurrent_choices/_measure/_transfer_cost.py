"""What it costs to bring things to another process, weighed before there is one."""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from .._inspect._asking import ATOMS
from .._transfer._pickling import dump, size_of
from .._work._pace import LOAD, MOST, trip

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["TransferCost", "Weight", "in_messages", "transfer_cost"]

ENOUGH = 2_000_000
"""Nanoseconds of pickling that say enough while there is work to be done (guessed)."""

AGAIN = 4
"""Factor by which that may be longer for things that share much, and so may be worth carrying (guessed)."""

_FEW = 4
"""Things that are weighed together where they share much and one takes long. With fewer, what each adds would
be little beside what two weighings differ by (guessed)."""

_FIRST = 10
"""Parts of a thing that are looked at (guessed: a table comes with few others)."""

BYTE = 1e-9
"""Seconds to move a pickled byte between processes (DECISION.md 5.2)."""


class Weight(NamedTuple):
    """Nanoseconds to pickle something, and the bytes it takes."""

    took: float = 0.0
    size: float = 0.0


class TransferCost(NamedTuple):
    """What it costs to carry things.

    Attributes:
        each: CPU seconds of both processes for one of them.
        shared: Seconds to pickle what is in each message once.
    """

    each: float = 0.0
    shared: float = 0.0


def transfer_cost(things: Sequence[Any], each: float) -> TransferCost:
    """What it costs to carry one of these things, of `each` so many seconds of work, to another process.

    Unpickling is taken to cost what pickling does, for nothing may be made twice here. It is the mean; 0
    where there are none, or some cannot travel: that will be said where they are sent.
    """
    try:
        weight, once = in_messages(things, _packed, each, ENOUGH)
    except Exception:  # noqa: BLE001 - picklers, and a thing's own hooks, raise anything
        return TransferCost()
    return TransferCost(2e-9 * weight.took + BYTE * weight.size, 1e-9 * once.took)


def in_messages(
    things: Sequence[Any], weigh: Callable[[Sequence[Any]], Weight], each: float, enough: float
) -> tuple[Weight, Weight]:
    """What one of these things weighs in a message of as many as a worker is sent at a time.

    And what those of a message share, which it holds once: a table, or their class where a worker cannot
    import it. That is what one weighs alone, without what each of several adds. Once `enough` nanoseconds are
    spent, no more are weighed alone, and a few together only where they are seen to share something.
    """
    alone = _alone(things, weigh, enough)
    together = _together(things, alone, enough)
    if len(together) < 2:  # noqa: PLR2004 - one adds nothing to another
        return alone, Weight()
    all_, added = weigh(together), len(together) - 1
    more = Weight(*(max(0.0, (whole - one) / added) for whole, one in zip(all_, alone, strict=True)))
    once = Weight(*(max(0.0, one - another) for one, another in zip(alone, more, strict=True)))
    held = _held(each, trip(1e-9 * once.took + BYTE * once.size), more.size)
    return Weight(more.took + once.took / held, more.size + once.size / held), once


def _together(things: Sequence[Any], alone: Weight, enough: float) -> Sequence[Any]:
    """Those to weigh in one message, where one weighs so much `alone`; none where it would take too long."""
    if alone.took > enough:
        some = things[:_FEW]
        return some if alone.took <= AGAIN * enough and _overlap(some) else ()
    return things[: max(2, int(min(LOAD / max(1.0, alone.size), enough / max(1.0, alone.took))))]


def _overlap(things: Sequence[Any]) -> bool:
    """Whether things are all the same, or tuples or lists that hold the same."""
    parts = [thing[:_FIRST] if type(thing) in {tuple, list} else [thing] for thing in things]
    held = ({id(part) for part in each if type(part) not in ATOMS} for each in parts)  # those are anywhere
    return bool(set[int].intersection(*held))


def _alone(things: Sequence[Any], weigh: Callable[[Sequence[Any]], Weight], enough: float) -> Weight:
    """The mean of a few messages of one thing each."""
    took = size = 0.0
    count = 0
    for place in sorted({0, len(things) // 2, len(things) - 1} if things else ()):
        one = weigh(things[place : place + 1])
        took, size, count = took + one.took, size + one.size, count + 1
        if took > enough:
            break
    return Weight(took / max(1, count), size / max(1, count))


def _held(each: float, aim: float, more: float) -> float:
    """How many things a worker is sent in a message, by their time and by the bytes that each adds."""
    timely = aim / each if each > 0 else math.inf
    fitting = LOAD / more if more > 0 else math.inf
    return max(1.0, min(timely, fitting, MOST))


def _packed(things: Sequence[Any]) -> Weight:
    """A message's weight. It is CPU time: pickling waits for nothing but a core.

    The first that takes cloudpickle has it imported, which no other does: it is weighed once more.
    """
    known = "cloudpickle" in sys.modules
    began = time.thread_time_ns()
    frames = dump([*things])
    took = time.thread_time_ns() - began
    return Weight(took, size_of(frames)) if known or "cloudpickle" not in sys.modules else _packed(things)
