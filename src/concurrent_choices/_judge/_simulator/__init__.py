"""A machine in virtual time, to try plans, formulas and controllers on described workloads.

    Script (what items do) ─┐
    Plan or Agent ──────────┼─► lanes ─► hosts (GIL, loop, locks) ─► cores, servers ─► Outcome
    Machine, Costs ─────────┘                                         one Engine of virtual time

It knows no clock and no thread: the same seed gives the same run. Times drawn for an item do not
depend on the plan, so plans are compared on the same items.
"""

from __future__ import annotations

from ._observe import observe, with_trials
from ._rehearsal import rehearse
from ._run import simulate, steer
from ._scripts import (
    Block,
    Call,
    Exponential,
    Locked,
    LogNormal,
    Native,
    Python,
    Script,
    Server,
    Uniform,
    Wait,
)

__all__ = [
    "Block",
    "Call",
    "Exponential",
    "Locked",
    "LogNormal",
    "Native",
    "Python",
    "Script",
    "Server",
    "Uniform",
    "Wait",
    "observe",
    "rehearse",
    "simulate",
    "steer",
    "with_trials",
]
