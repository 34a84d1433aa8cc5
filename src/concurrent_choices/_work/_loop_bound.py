"""Whether a callable holds what serves one event loop only: a client, a lock, a limiter of coroutines.

Called on a second loop, in another thread, it may be spoilt; copied to a process, a limit holds twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, cast

from ._captured import attributes_of, is_own, of_type, reached_from

__all__ = ["is_loop_bound"]

_ASYNCIO = frozenset({"asyncio", "_asyncio"})

MOST = 1000
"""Things that are looked at (guessed: a millisecond)."""

WIDEST = 50
"""Things inside another that are looked at (guessed: one thing must not take all the looks)."""

DEEPEST = 3
"""Levels that are looked at: bound arguments stand in a tuple, inside another one, and may hold a client."""


def is_loop_bound(fn: Any) -> bool:
    """Whether something that the callable holds, or that is held by that, is made for an event loop."""
    return any(map(_is_for_loops, islice(_held(fn), MOST)))


def _is_for_loops(value: object) -> bool:
    """Whether it is of asyncio, or one enters it by `async with`, as all clients and locks for coroutines.

    Of asyncio is what derives from something of it, too, and what a library has for it, such as an engine of
    `sqlalchemy.ext.asyncio`, which opens its connections itself.
    """
    return any(map(_is_kind_for_loops, type(value).__mro__))


def _is_kind_for_loops(kind: type) -> bool:
    # Not by `hasattr`, which a user's own metaclass may answer, or raise in: `async with` does not ask that.
    return "__aenter__" in vars(kind) or not _ASYNCIO.isdisjoint(str(kind.__module__).split("."))


def _held(fn: Any) -> Iterator[Any]:
    """What a callable holds, then what that holds, and so on."""
    ahead = deque((part, DEEPEST) for _, part in reached_from(fn))
    kinds: dict[int, type] = {}
    while ahead:
        value, depth = ahead.popleft()
        yield value
        if depth:
            ahead.extend((each, depth - 1) for each in _inside(value, kinds))


def _inside(value: object, kinds: dict[int, type]) -> list[Any]:
    """What stands in a thing, taken at once: other threads may add to it. A class is looked into once."""
    kind, seen = type(value), cast("Any", value)
    if kind in {list, tuple}:
        return list(seen[:WIDEST])
    held: dict[Any, Any] = seen if kind is dict else attributes_of(value)
    shared: type = seen if of_type(value, type) else kind
    if id(shared) in kinds:
        return list(islice(held.values(), WIDEST))
    kinds[id(shared)] = shared
    return [*islice(held.values(), WIDEST), *islice(_of_class(shared), WIDEST)]


def _of_class(kind: type) -> Iterator[Any]:
    """What all objects of a class share, as far as it is the user's own."""
    return chain.from_iterable(list(vars(each).values()) for each in kind.__mro__ if is_own(each))
