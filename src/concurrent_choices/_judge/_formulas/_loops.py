"""On one event loop.

asyncio(L):  D_loop = H + e_task + n_s e_io + s_t min(L, 64) / N,  D_u = u,  Z = w - H - u,  X <= 64 / z
             T = s_loop + N/X(L) + tail

where H is the time the coroutine holds the loop, whether it computes or blocks, n_s how often it
suspends, e_io what a suspension costs the loop (uvloop: less; anyio: a little more), w its wall
time and z the part of it spent in the loop's 64 threads, each started once in s_t (DECISION.md 5.2). What
child processes and other threads compute for it needs a core, and no loop.
A `def` runs in L threads instead, at the price of threads and a hop.
"""

from __future__ import annotations

from attrs import evolve

from ..._facts._plan import Plan
from ..._runtime._own_loops import MOST
from .._mva import Network, capacity
from ._case import Case, Prediction, Rate, finish, rate_of
from ._steps import step_seconds
from ._threads import thread

__all__ = ["anyio", "asyncio", "loop_rate", "uvloop"]

COPY = 1.3e-3
"""Seconds that uvloop takes longer than asyncio to start a child process, with everything held up: a fork
copies the tables of its memory (measured: 1.3 ms with 23 MB, 14 ms with 223 MB, 41 ms with 1 GB)."""


def asyncio(case: Case, plan: Plan) -> Prediction:
    """Coroutines on asyncio's own loop."""
    costs = case.costs
    return _on_loop(case, plan, step_seconds(case, costs.step, costs.socket_step), costs.loop_start)


def uvloop(case: Case, plan: Plan) -> Prediction:
    """Coroutines on uvloop."""
    costs, demand = case.costs, case.demand
    if demand.is_async and case.profile.children:
        case = evolve(case, demand=evolve(demand, gil=demand.gil + COPY))
    step = step_seconds(case, costs.uvloop_step, costs.uvloop_socket_step)
    return _on_loop(case, plan, step, costs.loop_start + costs.uvloop_start)


def anyio(case: Case, plan: Plan) -> Prediction:
    """Coroutines through anyio on asyncio's loop."""
    costs = case.costs
    extra = max(0.0, costs.anyio_step - costs.step)
    step = step_seconds(case, costs.step, costs.socket_step) + extra
    return _on_loop(case, plan, step, costs.loop_start)


def loop_rate(case: Case, lanes: int, step: float, cores: float) -> Rate:
    """How fast one event loop works, of whose own work each suspension takes `step` seconds."""
    demand = case.demand
    lanes = max(1, min(lanes, case.items))
    own = case.costs.task_item + demand.steps * step + _starting_threads(case, lanes)
    held = demand.own + demand.block + own
    busy = demand.busy + own
    network = Network(
        queues=(held, demand.resource),
        work=demand.aside,
        cores=cores / demand.width,
        think=demand.wait,
        ceiling=min(capacity(busy, cores), capacity(case.profile.in_threads, MOST)),
        pause=demand.pause,
    )
    return rate_of(network, lanes, {"loop": held, "resource": demand.resource}, busy, cores)


def _starting_threads(case: Case, lanes: int) -> float:
    """Seconds that starting the loop's threads takes of each item: the loop waits until one has begun."""
    threads = min(lanes, MOST) if case.profile.in_threads else 0
    return case.costs.thread_start * threads / max(1, case.items)


def _on_loop(case: Case, plan: Plan, step: float, start: float) -> Prediction:
    if not case.demand.is_async:
        return _in_threads(case, plan)
    rate = loop_rate(case, plan.concurrency, step, case.demand.cores)
    smooth = finish(case, rate, start=start + case.profile.lane_excess)
    return evolve(smooth, seconds=smooth.in_step) if case.demand.in_step else smooth


def _in_threads(case: Case, plan: Plan) -> Prediction:
    """A `def` under a loop strategy: the same threads, reached by one hop per thread."""
    threads = Plan(strategy="thread", workers=plan.concurrency, concurrency=plan.concurrency)
    costs = evolve(case.costs, thread_start=case.costs.thread_start + case.costs.switch)
    return thread(evolve(case, costs=costs), threads)
