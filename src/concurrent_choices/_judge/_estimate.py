"""A strategy at its best, predicted with its error."""

from __future__ import annotations

from attrs import evolve

from .._facts._estimate import Estimate
from .._facts._plan import Plan
from .._facts._table import spell
from ._formulas import Case, Prediction, predict
from ._search import best_plan
from ._uncertainty import standard_error

__all__ = ["best_estimate"]


def best_estimate(case: Case, strategy: str) -> Estimate:
    """A strategy with its best numbers, and how long it will take.

    Where nobody knows whether processes share what lanes queue for, the plan is the best one if
    they do not, the time is the one if they do, and the error covers the other.
    """
    sharing_unknown = case.demand.shared_resource > 0 and case.profile.process_speedup is None
    if strategy == "process" and sharing_unknown:
        return _torn(case, strategy)
    return _estimate(case, *best_plan(case, strategy))


def _torn(case: Case, strategy: str) -> Estimate:
    apart = evolve(case, demand=evolve(case.demand, shared_resource=0.0))
    plan, hoped = best_plan(apart, strategy)
    feared = _estimate(case, plan, predict(case, plan))
    assert feared.seconds is not None
    error = max(feared.error, (feared.seconds - hoped.seconds) / 2)
    note = f"{spell(hoped.seconds)} if each process has its own of what calls queue for"
    return evolve(feared, error=error, note=note)


def _estimate(case: Case, plan: Plan, prediction: Prediction) -> Estimate:
    error = standard_error(case, plan)
    return Estimate(plan=plan, seconds=prediction.seconds, error=error, limit=prediction.limit)
