"""Which estimate wins: the fastest, and among equals the simplest."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf

from .._facts._estimate import Estimate
from .._facts._plan import Plan
from ._formulas import STRATEGIES

__all__ = ["TIE", "choose", "contenders", "is_close"]

TIE = 1.07
"""Times within this factor are equal: half of what repeated runs differ by (DECISION.md 5.2)."""

CAUTION = 0.5
"""Standard errors that a prediction is charged for its uncertainty (DECISION.md 5.2: z = 0.5)."""

MOST_CONTENDERS = 3
"""Plans that a race is worth having between: each costs its share of the budget (guessed)."""

_SIMPLEST_FIRST = tuple(STRATEGIES)
_LOOPS = ("asyncio", "uvloop", "anyio")


def choose(estimates: Sequence[Estimate]) -> Estimate:
    """The winner: within 7 % of the least time, the simplest.

    Where candidates raced, only they are compared, by what was measured.

    Raises:
        ValueError: No strategy can run.
    """
    able = [each for each in estimates if each.expected < inf]
    raced = [each for each in able if each.measured is not None]
    field = raced or able
    least = min(map(_score, field))
    good = [each for each in field if _score(each) <= least * TIE]
    return min(good, key=_simplicity)


def is_close(chosen: Estimate, estimates: Sequence[Estimate], *, is_async: bool) -> bool:
    """Whether another strategy that really differs takes as long, within 7 %."""
    others = _different(chosen, estimates, is_async=is_async)
    return any(
        each.expected <= chosen.expected * TIE and chosen.expected <= each.expected * TIE for each in others
    )


def contenders(chosen: Estimate, estimates: Sequence[Estimate], *, is_async: bool) -> tuple[Plan, ...]:
    """The plans that a race should tell apart: the chosen one, and those that may be faster.

    A plan may be faster where its prediction less two standard errors is below the chosen one's
    plus two.
    """
    others = _different(chosen, estimates, is_async=is_async)
    slowest = chosen.expected + 2 * chosen.error
    able = [each for each in others if each.expected - 2 * each.error <= slowest]
    able.sort(key=lambda each: each.expected - each.error)
    rivals: list[Estimate] = []
    for each in able:
        if all(_differ(each, rival, is_async=is_async) for rival in rivals):
            rivals.append(each)
    return tuple(each.plan for each in (chosen, *rivals[: MOST_CONTENDERS - 1]))


def _score(estimate: Estimate) -> float:
    if estimate.measured is not None:
        return estimate.measured
    return estimate.expected * exp(CAUTION * estimate.relative_error)


def _simplicity(estimate: Estimate) -> int:
    return _SIMPLEST_FIRST.index(estimate.plan.strategy)


def _different(chosen: Estimate, estimates: Sequence[Estimate], *, is_async: bool) -> list[Estimate]:
    """The estimates of strategies that would do something else than the chosen one."""
    return [each for each in estimates if each.expected < inf and _differ(each, chosen, is_async=is_async)]


def _differ(one: Estimate, other: Estimate, *, is_async: bool) -> bool:
    return not _ways(one.plan, is_async=is_async) & _ways(other.plan, is_async=is_async)


def _ways(plan: Plan, *, is_async: bool) -> set[str]:
    """What a plan does: one lane is no concurrency; a `def` runs in threads under any loop."""
    if plan.concurrency == 1:
        return {"sequential"}
    if plan.strategy in _LOOPS and not is_async:
        return {"thread"}
    return {"process", "hybrid"} if plan.strategy == "hybrid" else {plan.strategy}
