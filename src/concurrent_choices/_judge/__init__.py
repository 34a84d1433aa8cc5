"""Deciding, from numbers alone: no clock, no thread, no file.

    Profile, Costs, Machine ─► _demand ─► _formulas over _mva ─► _search ─► _recommend
                                 └─────► _diagnose ──────────────────────────┘

The simulator beside them runs described workloads in virtual time, to test all this against.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._diagnose import bound_of, diagnose
    from ._estimate import estimate
    from ._recommend import recommend, settle
    from ._search import best_plan

__all__ = ["best_plan", "bound_of", "diagnose", "estimate", "recommend", "settle"]

_WHERE = {
    "best_plan": "_search",
    "bound_of": "_diagnose",
    "diagnose": "_diagnose",
    "estimate": "_estimate",
    "recommend": "_recommend",
    "settle": "_recommend",
}


def __getattr__(name: str) -> Any:
    # Every `run` loads the controller, which is in this package; the cost model takes 30 ms it does not need.
    if name not in _WHERE:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f".{_WHERE[name]}", __name__), name)
    globals()[name] = value
    return value
