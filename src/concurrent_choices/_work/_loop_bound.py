"""Whether a callable holds what serves one event loop only: a client, a lock, a limiter of coroutines.

Called on a second loop, in another thread, it may be spoilt; copied to a process, a limit holds twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, cast

from ._captured import parts_of

__all__ = ["is_loop_bound"]

WIDEST = 50
"""Things inside another that are looked at (guessed: a tenth of a millisecond)."""

DEEPEST = 2
"""Levels that are looked at: bound arguments stand in a tuple, inside another one."""


def is_loop_bound(fn: Any) -> bool:
    """Whether something that the callable holds, or that is held by that, is made for an event loop."""
    return any(_is_for_loops(each) for _, part in parts_of(fn) for each in _within(part, DEEPEST))


def _is_for_loops(value: object) -> bool:
    """Whether it is of asyncio, or one enters it by `async with`, as all clients and locks for coroutines."""
    kind = type(value)
    return hasattr(kind, "__aenter__") or kind.__module__.partition(".")[0] in {"asyncio", "_asyncio"}


def _within(value: Any, depth: int) -> Iterator[Any]:
    yield value
    if depth:
        for each in islice(_held_by(value), WIDEST):
            yield from _within(each, depth - 1)


def _held_by(value: object) -> Iterable[Any]:
    kind, seen = type(value), cast("Any", value)
    if kind in {list, tuple}:
        items: Iterable[Any] = seen
        return items
    held: dict[str, Any] = seen if kind is dict else getattr(value, "__dict__", {})
    return held.values()
