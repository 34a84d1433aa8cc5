"""One after another, and in threads.

thread(W):  D_gil = g + e/k + n_b e_switch,  D_c = (c - g) kappa(W),  D_u = u,  Z = b - u
            T = s_t W + N/X(W) + tail + s_e W

where g is CPU time under the GIL, c all CPU time, e the hand-over of a batch of k items, n_b the
number of times the item waits, kappa the growth of CPU time by sharing memory bandwidth, u the
time at a resource that serves one at a time, b the waiting and s_t the start of a thread
(DECISION.md 5.2); n_b e_switch is no more than two lanes left room for in a trial. Threads start while
others work, and end, s_e each, when all work is done. A coroutine has a loop in its thread, and its waits
cost steps of that loop.
"""

from __future__ import annotations

from attrs import evolve

from ..._facts._plan import Plan
from .._mva import Network, capacity
from ._case import Case, Prediction, Rate, batch_size, finish, rate_of
from ._steps import on_own_loop

__all__ = ["sequential", "thread", "thread_rate"]


def sequential(case: Case, plan: Plan) -> Prediction:
    """One item after another in the calling thread, which waits for each; coroutines on one loop there."""
    _ = plan
    demand, costs, source = on_own_loop(case, case.costs.task_item), case.costs, case.profile.source
    network = Network(
        held=demand.gil,
        work=demand.work,
        cores=demand.cores / demand.width,
        think=demand.wait + demand.block + demand.resource + source,
        ceiling=capacity(demand.busy, demand.cores),
    )
    rate = rate_of(network, 1, {"lanes": 0.0}, 0.0, 1.0)
    start = costs.loop_start if demand.is_async else 0.0
    return finish(case, rate, start=start)


def thread(case: Case, plan: Plan) -> Prediction:
    """In threads; a coroutine on a loop in each thread, one at a time."""
    rate = thread_rate(case, plan.workers, case.demand.cores, plan.batch)
    each, ending = case.costs.thread_start, case.costs.thread_end * min(rate.lanes, case.items)
    start = each + _loop_starts(case, rate.lanes) + case.profile.lane_excess
    smooth = finish(case, rate, start=start, ramp=each, batch=plan.batch or 1)
    return evolve(smooth, seconds=smooth.seconds + ending, in_step=smooth.in_step + ending)


def thread_rate(case: Case, lanes: int, cores: float, batch: int | None = None) -> Rate:
    """How fast threads of one process work; a `batch` of None adapts."""
    demand, costs = on_own_loop(case, case.costs.task_item), case.costs
    lanes = max(1, min(lanes, case.items))
    item = costs.thread_item / batch_size(case, demand.alone, lanes, batch)
    switching = min(demand.switches * costs.switch, demand.handing) if lanes > 1 else 0.0
    slowed = demand.slowed(lanes)
    held = demand.gil * slowed + switching + item if case.machine.gil else item
    work = demand.work * slowed
    busy = work * demand.width + held
    network = Network(
        queues=(demand.resource,),
        held=held,
        work=work,
        cores=cores / demand.width,
        think=demand.wait + demand.block,
        ceiling=capacity(busy, cores),
    )
    return rate_of(network, lanes, {"gil": held, "resource": demand.resource}, busy, cores)


def _loop_starts(case: Case, lanes: int) -> float:
    """Seconds to start a loop in every thread: Python code, so one at a time under the GIL."""
    if not case.demand.is_async:
        return 0.0
    at_once = 1.0 if case.machine.gil else min(case.demand.cores, float(lanes))
    return case.costs.thread_loop * lanes / at_once
