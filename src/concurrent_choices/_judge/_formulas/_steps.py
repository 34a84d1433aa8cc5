"""What a suspension costs an event loop."""

from __future__ import annotations

from ._case import Case

__all__ = ["REAL_WAIT", "step_seconds"]

REAL_WAIT = 20e-6
"""Waiting per suspension from which it goes through the loop's selector rather than straight back
to the ready queue: below a round trip over loopback (DECISION.md, EXP 18: 26 µs)."""


def step_seconds(case: Case, bare: float, socket: float) -> float:
    """Seconds of the loop's own work per suspension: one that waits, or one that only yields."""
    steps = case.demand.steps
    waits = steps > 0 and case.demand.wait / steps >= REAL_WAIT
    return socket if waits else bare
