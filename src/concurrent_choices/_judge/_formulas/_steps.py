"""What a suspension costs an event loop."""

from __future__ import annotations

from ._case import Case

__all__ = ["REAL_WAIT", "awaited_seconds", "lone_seconds", "step_seconds"]

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


def lone_seconds(case: Case, task: float) -> float:
    """Seconds that a loop computes for a coroutine which has it to itself, beside the coroutine's own.

    The sample's had one to itself, too: it looks at its selector, sleeps and wakes up for each, which many on
    one loop share. Calibrated steps hold none of that.
    """
    profile = case.profile
    measured = profile.cpu - profile.loop_cpu if profile.loop_held > 0 else 0.0
    return max(awaited_seconds(case, task), measured)
