"""How many items of a workload make a job of so many seconds, done one after another."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from benchmarks.catalogue.all import Entry
from benchmarks.oracle._grid import loop, one_by_one
from benchmarks.oracle._zygote import Answer

__all__ = ["Mark", "count_for", "few", "paced"]

ENOUGH = 0.1
"""Seconds of a stretch after which no longer one is tried; longer jobs are reckoned from it."""

MOST = 2_000_000
"""Items of a job at most: lists of more would measure memory."""

DEAREST = 1.5
"""A single item that takes more than this many times a job's seconds makes no such job."""

_DOZENS = 8
"""Some workloads make their items by so many at a time."""

Mark = Sequence[float]
"""A number of items, and the seconds they took."""


def few(entry: Entry, count: int) -> Sequence[Any]:
    """Exactly so many items of a workload."""
    return entry.items(-(-count // _DOZENS) * _DOZENS)[:count]


def paced(entry: Entry) -> Answer:
    """Marks of stretches that double; a first call, with what it sets up, is made before."""
    alone = one_by_one if entry.is_async else loop
    alone(entry.fn, few(entry, 1))
    marks: list[Mark] = []
    count, seconds = 1, 0.0
    while seconds < ENOUGH and count <= MOST:
        items = few(entry, count)
        start = time.perf_counter()
        alone(entry.fn, items)
        seconds = time.perf_counter() - start
        marks.append((count, seconds))
        count *= 2
    return {"marks": marks}


def count_for(marks: Sequence[Mark], seconds: float) -> int | None:
    """The items of a job of so many seconds, between two marks or beyond the last; None for no such job."""
    if marks[0][1] > DEAREST * seconds:
        return None
    (fewer, shorter), (more, longer) = (0.0, 0.0), marks[-1]
    for count, took in marks:
        if took >= seconds:
            more, longer = count, took
            break
        fewer, shorter = count, took
    if longer < seconds:
        fewer, shorter = 0.0, 0.0
    count = round(fewer + (more - fewer) * (seconds - shorter) / (longer - shorter))
    return max(1, count) if count <= MOST else None
