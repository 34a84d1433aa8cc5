"""Deciding, from numbers alone: no clock, no thread, no file.

    Profile, Costs, Machine ─► _demand ─► _formulas over _mva ─► _search ─► _recommend
                                 └─────► _diagnose ──────────────────────────┘

The simulator beside them runs described workloads in virtual time, to test all this against.
"""

from __future__ import annotations

from ._diagnose import bound_of, diagnose
from ._estimate import estimate
from ._recommend import recommend, settle
from ._search import best_plan

__all__ = ["best_plan", "bound_of", "diagnose", "estimate", "recommend", "settle"]
