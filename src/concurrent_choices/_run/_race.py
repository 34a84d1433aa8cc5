"""Racing the leading plans on real items, which are thereby done."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any, cast

from attrs import define, field

from .._facts._costs import Costs
from .._facts._plan import Plan
from .._facts._recommendation import Recommendation
from .._facts._workload import Workload
from .._strategies._registry import strategy_for
from ..protocols import Strategy
from ._sync import run

__all__ = ["Race"]

SHARE = 0.2
"""Of the items left, the part that a race may use up: the rest is to profit from it (guessed)."""


@define
class Race:
    """Items drawn for a race, and what came of them.

    Attributes:
        workload: Whose callable runs.
        costs: What starting up takes.
        rest: The items left, each with its index.
        results: What the calls gave or raised, by index.
        failed: Whether a call raised; no more is raced then.
    """

    workload: Workload
    costs: Costs
    rest: Iterator[tuple[int, Any]]
    results: dict[int, Any] = field(factory=dict[int, Any])
    failed: bool = False

    def hold(self, verdict: Recommendation, left: int, seconds: float) -> dict[str, float]:
        """Run the contenders on items of their own, in turn.

        Args:
            verdict: Whose contenders race, and whose estimates say how many items fit.
            left: How many items there are left.
            seconds: What the race may take in all.

        Returns:
            By strategy, the seconds all items would take, going by its share.
        """
        contenders = verdict.contenders
        if len(contenders) < 2:  # noqa: PLR2004 - a race takes two
            return {}
        count = _fair_count(verdict, left, seconds)
        measured: dict[str, float] = {}
        for plan in contenders:
            if count < _lanes(plan) or self.failed:
                return {}
            each = self._run(plan, count) / count
            measured[plan.strategy] = _starting(plan, self.costs) + each * verdict.items
        return {} if self.failed else measured

    def _run(self, plan: Plan, count: int) -> float:
        """Seconds for `count` items, once the lanes are up."""
        # All of ours can be entered.
        with cast("AbstractContextManager[Strategy]", strategy_for(plan)) as strategy:
            if plan.strategy in {"process", "hybrid"}:
                self._do(strategy, plan.workers)
            return self._do(strategy, count)

    def _do(self, strategy: Strategy, count: int) -> float:
        drawn = list(islice(self.rest, count))
        start = time.perf_counter()
        values = run(self.workload.fn, [item for _, item in drawn], strategy=strategy, return_exceptions=True)
        took = time.perf_counter() - start
        self.results.update(zip((index for index, _ in drawn), values, strict=True))
        self.failed = self.failed or any(isinstance(value, Exception) for value in values)
        return took


def _lanes(plan: Plan) -> int:
    """Items below which a plan cannot show what it is worth."""
    return 2 * max(plan.workers, plan.concurrency)


def _fair_count(verdict: Recommendation, left: int, seconds: float) -> int:
    """Items each contender gets: as many as all can do in the time, and a share of what is left."""
    contenders: Sequence[Plan] = verdict.contenders
    slowest = max(verdict.estimate(plan.strategy).expected for plan in contenders)
    fitting = int(verdict.items * seconds / (slowest * len(contenders))) if slowest > 0 else left
    return min(fitting, int(left * SHARE / len(contenders)))


def _starting(plan: Plan, costs: Costs) -> float:
    """Seconds of starting up, which all items together pay once."""
    if plan.strategy == "thread":
        return costs.thread_start * plan.workers
    if plan.strategy in {"process", "hybrid"}:
        return costs.process_start + costs.process_worker * (plan.workers - 1)
    return 0.0 if plan.strategy == "sequential" else costs.loop_start
