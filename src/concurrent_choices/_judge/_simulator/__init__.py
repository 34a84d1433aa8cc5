"""A machine in virtual time, to try plans, formulas and controllers on described workloads.

    Script (what items do) ─┐
    Plan or Agent ──────────┼─► lanes ─► hosts (GIL, loop, locks) ─► cores, servers ─► Outcome
    Machine, Costs ─────────┘                                         one Engine of virtual time

It knows no clock and no thread: the same seed gives the same run. Times drawn for an item do not
depend on the plan, so plans are compared on the same items.
"""

from __future__ import annotations

from ._observe import observe, with_trials
from ._run import Agent, Controls, Outcome, Running, simulate, steer
from ._scripts import (
    Block,
    Call,
    Draw,
    Exponential,
    Locked,
    LogNormal,
    Native,
    Pareto,
    Phase,
    Python,
    Script,
    Server,
    Uniform,
    Wait,
)
from ._work_queue import Completion

__all__ = [
    "Agent",
    "Block",
    "Call",
    "Completion",
    "Controls",
    "Draw",
    "Exponential",
    "Locked",
    "LogNormal",
    "Native",
    "Outcome",
    "Pareto",
    "Phase",
    "Python",
    "Running",
    "Script",
    "Server",
    "Uniform",
    "Wait",
    "observe",
    "simulate",
    "steer",
    "with_trials",
]
