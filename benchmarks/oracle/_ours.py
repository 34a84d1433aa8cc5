"""Our strategies at the plans of a verdict, and `recommend` itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

from benchmarks.oracle._zygote import Answer
from concurrent_choices import Recommendation, recommend, run
from concurrent_choices._facts._plan import Plan
from concurrent_choices._strategies._registry import strategy_for

__all__ = ["by_plan", "checksum", "judged", "timed", "told"]

_LOOKED_AT = 16


def checksum(values: Sequence[Any], count: int) -> int:
    """A number that agrees where results do: of some of them, and of how many there are."""
    step = max(1, len(values) // _LOOKED_AT)
    return crc32(repr((len(values), count, list(values[::step]))).encode())


def timed(runner: Callable[..., list[Any]], fn: Callable[[Any], Any], items: Sequence[Any]) -> Answer:
    """Seconds that a runner takes for all items, and the checksum of its results."""
    start = time.perf_counter()
    values = runner(fn, items)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "check": checksum(values, len(items))}


def by_plan(plan: Plan, fn: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """All results under one of our strategies, from making it to closing it."""
    with strategy_for(plan) as strategy:  # type: ignore[attr-defined] # all of ours can be entered
        return run(fn, items, strategy=strategy)


def judged(fn: Callable[[Any], Any], items: Sequence[Any], *, finish: bool) -> Answer:
    """What `recommend` says, what it costs, and, if asked to, how long finishing the work takes."""
    start = time.perf_counter()
    verdict = recommend(fn, items)
    cost = time.perf_counter() - start
    answer: Answer = {"cost": cost, "verdict": told(verdict)}
    if finish:
        values = verdict.run()
        answer |= {"seconds": time.perf_counter() - start, "check": checksum(values, len(items))}
    return answer


def told(verdict: Recommendation) -> Answer:
    return {
        "bound": verdict.bound,
        "diagnosis": verdict.diagnosis,
        "strategy": verdict.plan.strategy,
        "plan": verdict.plan.to_json(),
        "profile": verdict.profile.to_json(),
        "estimates": {
            each.plan.strategy: {
                "plan": each.plan.to_json(),
                "seconds": each.seconds,
                "error": each.error,
                "measured": each.measured,
                "obstacle": each.obstacle,
            }
            for each in verdict.estimates
        },
    }
