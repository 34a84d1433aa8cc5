"""What looking costs: the same calls with all instruments running, and with none, in turn."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from typing import Any

from benchmarks.oracle._zygote import Answer
from concurrent_choices._facts._batch import Claim
from concurrent_choices._measure._calls import PlainCalls, cut
from concurrent_choices._measure._clock import SystemClock
from concurrent_choices._measure._ledger import Ledger
from concurrent_choices._measure._rounds import BLOCK as TIMED
from concurrent_choices._measure._witness import WitnessThread

__all__ = ["watched"]

PAIRS = 21
"""Of eleven, the median of python-200us lay between -4 and +15 %; of 61 it was +1.8 %."""

BLOCK = 0.08
"""Seconds of calls on either side of a pair: as many as sampling makes before it may be content."""


def watched(fn: Callable[[Any], Any], items: Sequence[Any]) -> Answer:
    """How many times as long calls take under the witness and the stopwatch, in each pair.

    Calls are made and entered in the same way on either side; without instruments the clocks are read at the
    beginning and at the end.
    """
    fn(items[0])
    each = _seconds(lambda: [fn(item) for item in items[:5]]) / len(items[:5])
    part = items[: max(1, int(BLOCK / each))]
    clock = SystemClock()
    calls = PlainCalls(fn, copy_context(), clock)
    claims = cut([Claim(0, list(part))], math.ceil(TIMED / 1e9 / each))

    def plain() -> float:
        return _seconds(lambda: calls.lane(claims, Ledger(), clock.wall()))

    def looked_at() -> float:
        return _seconds(lambda: calls.round(claims, Ledger()), WitnessThread(clock))

    ratios = [_ratio(looked_at, plain, first=number % 2) for number in range(PAIRS)]
    return {"ratios": ratios, "calls": len(part)}


def _ratio(looked_at: Callable[[], float], plain: Callable[[], float], *, first: int) -> float:
    if first:
        alone = plain()
        return looked_at() / alone
    return looked_at() / plain()


def _seconds(work: Callable[[], object], within: AbstractContextManager[Any] | None = None) -> float:
    with within or nullcontext():
        start = time.perf_counter()
        work()
        return time.perf_counter() - start
