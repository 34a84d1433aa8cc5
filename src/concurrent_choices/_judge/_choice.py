"""Which estimate wins: the fastest, and among equals the simplest."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf
from statistics import median

from .._facts._estimate import Estimate
from .._facts._plan import Plan
from ._formulas import STRATEGIES

__all__ = ["TIE", "choose", "contenders", "is_close"]

TIE = 1.07
"""Times within this factor are equal: half of what repeated runs differ by (DECISION.md 5.2)."""

CAUTION = 0.5
"""Standard errors that a prediction is charged for its uncertainty (DECISION.md 5.2: z = 0.5)."""

RACED = 1.15
"""Times measured in a race that are within this factor are equal (guessed: heats last milliseconds)."""

MOST_CONTENDERS = 3
"""Plans that a race is worth having between: each costs its share of the budget (guessed)."""

_SIMPLEST_FIRST = tuple(STRATEGIES)
_LOOPS = ("asyncio", "uvloop", "anyio")
_LOOPS_FIRST = (
    "sequential",
    *_LOOPS,
    *(each for each in _SIMPLEST_FIRST if each not in {"sequential", *_LOOPS}),
)


def choose(estimates: Sequence[Estimate], *, is_async: bool = False) -> Estimate:
    """The winner: within 7 % of the least time, the simplest; of loops for a coroutine, the fastest.

    A race knocks out who was clearly slower. Among the others the predictions decide, which rest on more
    calls; so one that could not race may win too, if it is predicted to beat what was measured.

    Args:
        estimates: The candidates.
        is_async: Whether the callable is a coroutine function: then a loop is simpler than threads.

    Raises:
        ValueError: No strategy can run.
    """
    able = [each for each in estimates if each.expected < inf]
    raced = [each for each in able if each.measured is not None]
    if not raced:
        return _best(able, is_async=is_async)
    least = min(each.expected for each in raced)
    best = _best([each for each in raced if each.expected <= least * RACED], is_async=is_async)
    better = [each for each in _unraced(able, raced, is_async=is_async) if _beats(each, best, raced)]
    return _best(better, is_async=is_async) if better else best


def _best(field: Sequence[Estimate], *, is_async: bool) -> Estimate:
    least = min(map(_score, field))
    order = _LOOPS_FIRST if is_async else _SIMPLEST_FIRST
    good = [each for each in field if _score(each) <= least * TIE]
    simplest = min(good, key=lambda each: order.index(each.plan.strategy))
    if not is_async or simplest.plan.strategy not in _LOOPS:
        return simplest
    # what is unsure about one loop is so about all: between them the prediction decides
    loops = [each for each in good if each.plan.strategy in _LOOPS]
    return min(loops, key=lambda each: (_score(each), order.index(each.plan.strategy)))


def _unraced(able: Sequence[Estimate], raced: Sequence[Estimate], *, is_async: bool) -> list[Estimate]:
    """Those of which the race told nothing, not even by another name."""
    return [each for each in able if all(_differ(each, runner, is_async=is_async) for runner in raced)]


def _beats(rival: Estimate, best: Estimate, raced: Sequence[Estimate]) -> bool:
    """Whether a prediction is clearly below what was measured, the race's own drift taken into account."""
    drift = median(each.expected / each.seconds for each in raced if each.seconds)
    return _score(rival) * drift * TIE < best.expected


def is_close(chosen: Estimate, estimates: Sequence[Estimate], *, is_async: bool) -> bool:
    """Whether another strategy that really differs takes as long, within 7 %."""
    others = _different(chosen, estimates, is_async=is_async)
    return any(
        each.expected <= chosen.expected * TIE and chosen.expected <= each.expected * TIE for each in others
    )


def contenders(chosen: Estimate, estimates: Sequence[Estimate], *, is_async: bool) -> tuple[Plan, ...]:
    """The plans that a race should tell apart: the chosen one, and those that may be faster.

    A plan may be faster where its prediction less a standard error is below the chosen one's plus one:
    most of what is unsure about one plan for a callable is so about all.
    """
    others = _different(chosen, estimates, is_async=is_async)
    slowest = chosen.expected + chosen.error
    able = [each for each in others if each.expected - each.error <= slowest]
    rivals: list[Estimate] = []
    for each in sorted(able, key=_at_best):
        if len(rivals) < MOST_CONTENDERS - 1 and all(_differ(each, it, is_async=is_async) for it in rivals):
            alike = [other for other in able if not _differ(other, each, is_async=is_async)]
            rivals.append(_simplest_of(alike, _at_best(each) * TIE))
    return tuple(each.plan for each in (chosen, *rivals))


def _simplest_of(alike: Sequence[Estimate], limit: float) -> Estimate:
    """Of those that do much the same the simplest, unless another may be clearly faster."""
    good = [each for each in alike if _at_best(each) <= limit]
    return min(good, key=lambda each: _SIMPLEST_FIRST.index(each.plan.strategy))


def _score(estimate: Estimate) -> float:
    seconds = inf if estimate.seconds is None else estimate.seconds
    return seconds * exp(CAUTION * estimate.relative_error)


def _at_best(estimate: Estimate) -> float:
    return max(0.0, estimate.expected - estimate.error)


def _different(chosen: Estimate, estimates: Sequence[Estimate], *, is_async: bool) -> list[Estimate]:
    """The estimates of strategies that would do something else than the chosen one."""
    return [each for each in estimates if each.expected < inf and _differ(each, chosen, is_async=is_async)]


def _differ(one: Estimate, other: Estimate, *, is_async: bool) -> bool:
    return not _ways(one, is_async=is_async) & _ways(other, is_async=is_async)


def _ways(estimate: Estimate, *, is_async: bool) -> set[str]:
    """What a plan does: one lane is no concurrency; a `def` runs in threads under any loop.

    For a coroutine one loop is as good as another where the loop has time to spare.
    """
    plan = estimate.plan
    if plan.concurrency == 1:
        return {"sequential"}
    if plan.strategy in _LOOPS:
        if not is_async:
            return {"thread"}
        return {plan.strategy} if estimate.limit == "loop" else {"loop"}
    return {"process", "hybrid"} if plan.strategy == "hybrid" else {plan.strategy}
