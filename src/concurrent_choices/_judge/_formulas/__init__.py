"""The predicted makespan of each strategy: start-up, items over throughput, and the tail.

One file per family of strategies; `Case` holds what they all read.
"""

from __future__ import annotations

from collections.abc import Callable

from ..._facts._plan import Plan
from .._obstacles import IN_PROCESSES
from ._case import Case, Prediction, case_of
from ._hybrid import hybrid
from ._loops import anyio, asyncio, uvloop
from ._processes import process, start_seconds
from ._threads import sequential, thread

__all__ = ["STRATEGIES", "Case", "Prediction", "case_of", "predict", "starting"]

STRATEGIES: dict[str, Callable[[Case, Plan], Prediction]] = {
    "sequential": sequential,
    "thread": thread,
    "asyncio": asyncio,
    "uvloop": uvloop,
    "anyio": anyio,
    "process": process,
    "hybrid": hybrid,
}
"""Formula by strategy, the simplest strategy first: fewest hazards, least to explain."""


def predict(case: Case, plan: Plan) -> Prediction:
    """How long a plan takes, and what holds it back.

    Raises:
        KeyError: There is no formula for a strategy of that name.
    """
    return STRATEGIES[plan.strategy](case, plan)


def starting(case: Case, plan: Plan) -> float:
    """Seconds of starting up, which all items together pay once."""
    costs = case.costs
    if plan.strategy == "thread":
        return costs.thread_start * plan.workers + case.profile.lane_excess
    if plan.strategy in IN_PROCESSES:
        inside = costs.hybrid_start if plan.strategy == "hybrid" else 0.0
        return start_seconds(case, plan.workers, inside) + costs.process_worker * (plan.workers - 1)
    return 0.0 if plan.strategy == "sequential" else costs.loop_start + case.profile.lane_excess
