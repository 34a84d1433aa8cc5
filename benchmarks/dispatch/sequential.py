"""`run` in the calling thread beside a list comprehension."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from benchmarks.dispatch._callables import calling, nothing
from benchmarks.dispatch._case import Group, Row, Size, Timed
from benchmarks.dispatch._peers import ours, ours_streamed

__all__ = ["groups"]


@contextmanager
def comprehension(fn: Any) -> Iterator[Callable[[Any], Any]]:
    """The plainest way there is."""
    yield lambda items: [fn(item) for item in items]


@contextmanager
def built_in_map(fn: Any) -> Iterator[Callable[[Any], Any]]:
    """The loop inside C."""
    yield lambda items: list(map(fn, items))


def groups(size: Size) -> list[Group]:
    """A million items, of a callable that does nothing and of one that calls another."""
    rows = [
        _row("sequential", "Sequential, no-op", nothing, size),
        _row("sequential, calling", "Sequential, a callable that calls abs()", calling, size),
    ]
    return [Group("sequential", rows)]


def _row(name: str, title: str, fn: Any, size: Size) -> Row:
    count = size(1_000_000, 10_000)
    contestants = [
        Timed("ours", count, partial(ours, "SequentialStrategy", fn), ours=True),
        Timed("ours, streamed", count, partial(ours_streamed, "SequentialStrategy", fn), ours=True),
        Timed("list comprehension", count, partial(comprehension, fn)),
        Timed("list(map())", count, partial(built_in_map, fn)),
    ]
    return Row(name, title, contestants)
