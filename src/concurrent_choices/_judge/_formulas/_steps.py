"""What a suspension costs an event loop."""

from __future__ import annotations

from attrs import evolve

from .._stations import Demand
from ._case import Case

__all__ = ["REAL_WAIT", "awaited_seconds", "on_own_loop", "step_seconds"]

REAL_WAIT = 20e-6
"""Waiting per suspension from which it goes through the loop's selector rather than straight back
to the ready queue: below a round trip over loopback (DECISION.md, EXP 18: 26 µs)."""


def step_seconds(case: Case, bare: float, socket: float) -> float:
    """Seconds of the loop's own work per suspension: one that waits, or one that only yields."""
    steps = case.demand.steps
    waits = steps > 0 and case.demand.wait / steps >= REAL_WAIT
    return socket if waits else bare


def awaited_seconds(case: Case, task: float) -> float:
    """Seconds of asyncio's own work for a coroutine: its suspensions, and `task` for awaiting it at all."""
    return task + case.demand.steps * step_seconds(case, case.costs.step, case.costs.socket_step)


def on_own_loop(case: Case, task: float) -> Demand:
    """An item's demand where its coroutine, awaited in `task` seconds, has a loop to itself.

    So had the sample's. Such a loop looks at its selector, sleeps and wakes up for each; many on one loop
    share that. Calibrated steps hold none of it, and the demand has it as waiting.
    """
    demand, profile = case.demand, case.profile
    if not demand.is_async:
        return demand
    measured = profile.cpu - profile.loop_cpu if profile.loop_held > 0 else 0.0
    own = max(awaited_seconds(case, task), measured) + demand.cold
    wait = max(0.0, demand.wait - measured - demand.cold)
    if case.machine.gil:
        return evolve(demand, gil=demand.gil + own, wait=wait)
    return evolve(demand, work=demand.work + own, wait=wait)
