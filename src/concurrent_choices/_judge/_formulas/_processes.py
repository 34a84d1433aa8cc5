"""In worker processes.

process(W,k):  D_par = d_p/k + e_p + t/2 + beta s,  D_c = c kappa(W) + t/2,  D_u = u if shared,
               Z = b - u,   X <= 1 / D_par,   T = s_p(W) + N/X + tail(k)

where d_p is the parent's time for a batch and e_p for one more item in it, t the time to pickle and
unpickle an item and its result (half of it at either end), beta s the time to move their bytes and
s_p(W) the start of W workers, each of which begins when it has come up (DECISION.md 5.2). Each
worker has a GIL of its own, so under it and outside it are the same. Each pays a first call, and imports
what the callable needs; where there are more workers than cores, they do so in turn.
The parent sends a batch ahead of need, so its time bounds the throughput and delays nobody before.
"""

from __future__ import annotations

from ..._facts._plan import Plan
from .._mva import Network, capacity
from ._case import Case, Prediction, Rate, batch_size, finish, rate_of
from ._steps import on_own_loop

__all__ = ["STANDARD", "parent_seconds", "process", "start_seconds", "worker_seconds"]

STANDARD = 0.6
"""What importing a module of the standard library takes, as a share of one of attrs', with which imports are
calibrated. They are the modules that workers share: attrs' took 0.65 ms, asyncio's 0.38, urllib's 0.41,
logging's 0.37, subprocess' 0.28 (medians of nine fresh interpreters each)."""


def process(case: Case, plan: Plan) -> Prediction:
    """One item at a time in each worker process; a coroutine on a loop there."""
    rate = _process_rate(case, plan.workers, plan.batch)
    start = start_seconds(case, rate.lanes)
    ramp = case.costs.process_worker
    return finish(case, rate, start=start, ramp=ramp, batch=plan.batch or 1)


def _process_rate(case: Case, workers: int, batch: int | None) -> Rate:
    """How fast worker processes work, one item at a time in each; a `batch` of None adapts."""
    demand = on_own_loop(case, case.costs.process_task)
    workers = max(1, min(workers, case.items))
    parent = parent_seconds(case, workers, batch)
    own = worker_seconds(case)
    slowed = demand.slowed(workers)
    computing = (demand.gil + demand.work) * slowed + own
    busy = demand.busy * slowed + own + parent
    width = max(1.0, (busy - parent) / computing) if computing else 1.0
    apart = demand.resource - demand.shared_resource  # each process has its own of that
    network = Network(
        queues=(demand.shared_resource,),
        work=computing,
        cores=demand.cores / width,
        think=demand.wait + demand.block + apart,
        ceiling=min(capacity(busy, demand.cores), capacity(parent)),
    )
    return rate_of(
        network, workers, {"parent": parent, "resource": demand.shared_resource}, busy, demand.cores
    )


def parent_seconds(case: Case, workers: int, batch: int | None) -> float:
    """The parent's time for one item."""
    costs, payload = case.costs, case.profile.payload
    size = batch_size(case, case.demand.alone, workers, batch)
    moved = costs.byte * (payload.item_bytes + payload.result_bytes)
    pickling = (payload.item_seconds + payload.result_seconds) / 2
    return costs.process_batch / size + costs.process_item + pickling + moved


def worker_seconds(case: Case) -> float:
    """A worker's own time for one item, beside the callable and its loop."""
    payload = case.profile.payload
    return (payload.item_seconds + payload.result_seconds) / 2


def start_seconds(case: Case, workers: int, inside: float = 0.0) -> float:
    """Seconds until the first worker process works, with its first call's excess and what it has inside."""
    costs = case.costs
    crowd = max(1.0, workers / case.demand.cores)
    shared, own = _loading(case)
    loop = costs.loop_start if case.demand.is_async else 0.0
    return costs.process_start + shared + crowd * (own + case.profile.first_excess + loop + inside)


def _loading(case: Case) -> tuple[float, float]:
    """Seconds of imports that one process does for all workers, and of each worker's own."""
    payload, each = case.profile.payload, case.costs.module_import
    if payload.load_seconds is not None:
        return 0.0, payload.load_seconds
    return STANDARD * each * payload.shared_modules, each * payload.own_modules
