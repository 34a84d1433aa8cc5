"""Which estimate wins: the fastest, and among equals the simplest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, inf
from statistics import median

from .._facts._estimate import Estimate
from .._facts._plan import Plan
from ._formulas import STRATEGIES
from ._obstacles import LOOPS

__all__ = ["TIE", "Choice"]

TIE = 1.07
"""Times within this factor are equal: half of what repeated runs differ by (DECISION.md 5.2)."""

CAUTION = 0.5
"""Standard errors that a prediction is charged for its uncertainty (DECISION.md 5.2: z = 0.5)."""

RACED = 1.15
"""Times measured in a race that are within this factor are equal (guessed: heats last milliseconds)."""

MOST_CONTENDERS = 3
"""Plans that a race is worth having between: each costs its share of the budget (guessed)."""

_SIMPLEST_FIRST = tuple(STRATEGIES)
_LOOPS_FIRST = tuple(sorted(_SIMPLEST_FIRST, key=lambda each: each not in {"sequential", *LOOPS}))


class Choice:
    """Estimates to choose from, without those that cannot run.

    For a coroutine function a loop is simpler than threads.
    """

    def __init__(self, estimates: Iterable[Estimate], *, is_async: bool = False) -> None:
        self._able = [each for each in estimates if each.expected < inf]
        self._is_async = is_async
        self._order = _LOOPS_FIRST if is_async else _SIMPLEST_FIRST

    def best(self) -> Estimate:
        """The winner: within 7 % of the least time, the simplest; of loops for a coroutine, the fastest.

        A race knocks out who was clearly slower. Among the others the predictions decide, which rest on more
        calls; so one that could not race may win too, if it is predicted to beat what was measured.

        Raises:
            ValueError: No strategy can run.
        """
        raced = [each for each in self._able if each.measured is not None]
        if not raced:
            return self._best(self._able)
        least = min(each.expected for each in raced)
        best = self._best([each for each in raced if each.expected <= least * RACED])
        # those that the race told nothing about, not even under another name
        unraced = [each for each in self._able if all(self._differ(each, runner) for runner in raced)]
        better = [each for each in unraced if _beats(each, best, raced)]
        return self._best(better) if better else best

    def is_close(self, chosen: Estimate) -> bool:
        """Whether another strategy that really differs takes as long, within 7 %."""
        return any(
            each.expected <= chosen.expected * TIE and chosen.expected <= each.expected * TIE
            for each in self._different(chosen)
        )

    def contenders(self, chosen: Estimate) -> tuple[Plan, ...]:
        """The plans that a race should tell apart: the chosen one, and those that may be faster.

        A plan may be faster where its prediction less a standard error is below the chosen one's plus one:
        most of the doubt about one plan for a callable is about all of them.
        """
        slowest = chosen.expected + chosen.error
        able = [each for each in self._different(chosen) if each.expected - each.error <= slowest]
        rivals: list[Estimate] = []
        for each in sorted(able, key=_at_best):
            if len(rivals) < MOST_CONTENDERS - 1 and all(self._differ(each, rival) for rival in rivals):
                alike = [other for other in able if not self._differ(other, each)]
                rivals.append(_simplest_of(alike, _at_best(each) * TIE))
        return tuple(each.plan for each in (chosen, *rivals))

    def _best(self, field: Sequence[Estimate]) -> Estimate:
        least = min(map(_score, field))
        good = [each for each in field if _score(each) <= least * TIE]
        simplest = min(good, key=self._place)
        if not self._is_async or simplest.plan.strategy not in LOOPS:
            return simplest
        # doubts about one loop are about all of them: between loops the prediction decides
        loops = [each for each in good if each.plan.strategy in LOOPS]
        return min(loops, key=lambda each: (_score(each), self._place(each)))

    def _place(self, estimate: Estimate) -> int:
        return self._order.index(estimate.plan.strategy)

    def _different(self, chosen: Estimate) -> list[Estimate]:
        """Those that would do something else than the chosen one."""
        return [each for each in self._able if self._differ(each, chosen)]

    def _differ(self, one: Estimate, other: Estimate) -> bool:
        return not self._ways(one) & self._ways(other)

    def _ways(self, estimate: Estimate) -> set[str]:
        """What a plan does: one lane is no concurrency; a `def` runs in threads under any loop.

        For a coroutine one loop is as good as another where the loop has time to spare.
        """
        plan = estimate.plan
        if plan.concurrency == 1:
            return {"sequential"}
        if plan.strategy in LOOPS:
            if not self._is_async:
                return {"thread"}
            return {plan.strategy} if estimate.limit == "loop" else {"loop"}
        return {"process", "hybrid"} if plan.strategy == "hybrid" else {plan.strategy}


def _beats(rival: Estimate, best: Estimate, raced: Sequence[Estimate]) -> bool:
    """Whether a prediction is clearly below what was measured, corrected for how the machine has drifted.

    The drift is the least by which all in the race were off, if in the same direction: what is beyond that is
    one prediction's own error, or a start that was timed.
    """
    ratios = [each.expected / each.seconds for each in raced if each.seconds]
    drift = median((min(ratios, default=1.0), 1.0, max(ratios, default=1.0)))
    return _score(rival) * drift * TIE < best.expected


def _simplest_of(alike: Sequence[Estimate], limit: float) -> Estimate:
    """Of those that do much the same the simplest, unless another may be clearly faster."""
    good = [each for each in alike if _at_best(each) <= limit]
    return min(good, key=lambda each: _SIMPLEST_FIRST.index(each.plan.strategy))


def _score(estimate: Estimate) -> float:
    seconds = inf if estimate.seconds is None else estimate.seconds
    return seconds * exp(CAUTION * estimate.relative_error)


def _at_best(estimate: Estimate) -> float:
    return max(0.0, estimate.expected - estimate.error)
