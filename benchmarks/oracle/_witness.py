"""What looking costs: the same calls with all instruments running, and with none, in turn."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import Any

from benchmarks.oracle._zygote import Answer
from concurrent_choices._facts._batch import Claim
from concurrent_choices._measure._calls import PlainCalls, cut
from concurrent_choices._measure._clock import SystemClock
from concurrent_choices._measure._ledger import Ledger
from concurrent_choices._measure._witness import WitnessThread

__all__ = ["watched"]

PAIRS = 11
BLOCK = 0.06
"""Seconds of calls on either side of a pair: some twelve looks of the witness each millisecond or so."""

TIMED = 200e-6
"""Seconds of a timed block of calls, as in `_measure._rounds`."""


def watched(fn: Callable[[Any], Any], items: Sequence[Any]) -> Answer:
    """How many times as long calls take under the witness and the stopwatch: the median of pairs."""
    fn(items[0])
    each = _plain(fn, items[:5]) / len(items[:5])
    part = items[: max(1, int(BLOCK / each))]
    size = max(1, int(TIMED / each))
    ratios = [_pair(fn, part, size, first=number % 2) for number in range(PAIRS)]
    return {"ratio": statistics.median(ratios), "ratios": ratios, "calls": len(part)}


def _pair(fn: Callable[[Any], Any], part: Sequence[Any], size: int, *, first: int) -> float:
    if first:
        plain = _plain(fn, part)
        return _looked_at(fn, part, size) / plain
    return _looked_at(fn, part, size) / _plain(fn, part)


def _plain(fn: Callable[[Any], Any], part: Sequence[Any]) -> float:
    start = time.perf_counter()
    for item in part:
        fn(item)
    return time.perf_counter() - start


def _looked_at(fn: Callable[[Any], Any], part: Sequence[Any], size: int) -> float:
    clock = SystemClock()
    calls, claims = PlainCalls(fn, copy_context(), clock), cut([Claim(0, list(part))], size)
    with WitnessThread(clock):
        start = time.perf_counter()
        calls.round(claims, Ledger())
        return time.perf_counter() - start
