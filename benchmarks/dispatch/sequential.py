"""`run` in the calling thread beside a list comprehension."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from benchmarks.dispatch._callables import nothing
from benchmarks.dispatch._case import Group, Row, Size, Timed
from benchmarks.dispatch._peers import ours, ours_streamed

__all__ = ["groups"]


@contextmanager
def comprehension() -> Iterator[Callable[[Any], Any]]:
    """The plainest way there is."""
    yield lambda items: [nothing(item) for item in items]


@contextmanager
def built_in_map() -> Iterator[Callable[[Any], Any]]:
    """The loop inside C."""
    yield lambda items: list(map(nothing, items))


def groups(size: Size) -> list[Group]:
    """One row: a million items."""
    count = size(1_000_000, 10_000)
    contestants = [
        Timed("ours", count, partial(ours, "SequentialStrategy", nothing), ours=True),
        Timed("ours, streamed", count, partial(ours_streamed, "SequentialStrategy", nothing)),
        Timed("list comprehension", count, comprehension),
        Timed("list(map())", count, built_in_map),
    ]
    return [Group("sequential", [Row("sequential", "Sequential, no-op", contestants)])]
