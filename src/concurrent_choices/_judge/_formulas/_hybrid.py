"""Processes with lanes inside: threads for a `def`, coroutines on one loop for an `async def`.

hybrid(Wp x Wl):  X = min(Wp X_inner(Wl; g + h, P/Wp cores), P / busy, 1 / D_par, 1 / u if shared)
                  T = s_p(Wp) + s_h + s_inner + N/X + tail + backlog

where X_inner is the throughput of one process by the formulas of threads or of loops (DECISION.md 5.2),
s_h what a worker takes longer to come up with lanes inside, and h what it pays, under its GIL, to hand an
item to a lane and its result back: lanes inside a worker are fed one item at a time.
"""

from __future__ import annotations

from attrs import evolve

from ..._facts._plan import Plan
from .._mva import capacity
from ._case import LIMITING, Case, Prediction, Rate, finish
from ._loops import loop_rate
from ._processes import parent_seconds, start_seconds, worker_seconds
from ._steps import awaited_seconds
from ._threads import thread_rate

__all__ = ["hybrid"]


def hybrid(case: Case, plan: Plan) -> Prediction:
    """Worker processes, each with `plan.inside` lanes."""
    workers = max(1, min(plan.workers, case.items))
    inner = _inner(case, workers, plan.inside)
    rate = _together(case, workers, inner)
    threads = 0.0 if case.demand.is_async else case.costs.thread_start * inner.lanes
    start = start_seconds(case, workers, case.costs.hybrid_start) + threads
    ramp = case.costs.process_worker / max(1.0, inner.throughput * inner.alone)
    smooth = finish(case, rate, start=start, ramp=ramp)
    backlog = _backlog(case, workers, inner) / inner.throughput
    return evolve(smooth, seconds=smooth.seconds + backlog, in_step=smooth.in_step + backlog)


def _backlog(case: Case, workers: int, inner: Rate) -> float:
    """Items that one process still has when the others have none left, on average.

    Every lane is handed an item ahead of need; those that queue inside a process cannot go to
    another. Half of them is the average over when the items end (as for the tail).
    """
    queued = inner.lanes - min(inner.throughput * inner.alone, float(inner.lanes))
    left = min(queued, max(0.0, case.items / workers))
    return left * (1.0 - 1.0 / workers) / 2.0


def _inner(case: Case, workers: int, lanes: int) -> Rate:
    """One process of several: its share of the items and of the cores, its own resources."""
    demand = case.demand
    per_process = demand.resource - demand.shared_resource
    slowed = demand.slowed(workers * lanes)  # memory is shared by all processes
    mine = evolve(
        demand,
        resource=per_process,
        wait=demand.wait + demand.shared_resource,
        gil=demand.gil * slowed + _worker(case),
        work=demand.work * slowed,
        aside=demand.aside * slowed,
        inflation=1.0,
    )
    share = evolve(case, demand=mine, items=max(1, round(case.items / workers)))
    cores = demand.cores / workers
    if not demand.is_async:
        return thread_rate(share, lanes, cores)
    # `_worker` holds the loop's own steps already
    return loop_rate(share, lanes, step=0.0, cores=cores)


def _together(case: Case, workers: int, inner: Rate) -> Rate:
    parent = parent_seconds(case, workers, batch=1)
    shared = case.demand.shared_resource
    busy = case.demand.busy + _worker(case) + parent
    bounds = {
        "parent": capacity(parent),
        "resource": capacity(shared),
        "cores": capacity(busy, case.demand.cores),
    }
    name, least = min(bounds.items(), key=lambda bound: bound[1])
    rate = min(workers * inner.throughput, least)
    limit = name if rate >= LIMITING * least else inner.limit
    lanes = min(workers * inner.lanes, max(1, case.items))
    in_step = min(workers * inner.in_step, capacity(parent))
    serial = max(parent, shared, inner.serial / workers)
    return Rate(lanes, rate, limit, inner.alone, in_step, serial, busy, case.demand.cores)


def _worker(case: Case) -> float:
    """A worker's own time for one item, in any of many lanes.

    Where lanes compute, those who hand an item in and take its result out wait for the GIL, too: items of
    0.2 ms cost 50 to 100 µs more than the calibrated ones, which are over at once.
    """
    costs = case.costs
    handing = costs.hybrid_item + (2 * costs.switch if case.demand.gil > 0 and case.machine.gil else 0.0)
    awaiting = awaited_seconds(case, costs.task_item) if case.demand.is_async else 0.0
    return worker_seconds(case) + awaiting + handing
