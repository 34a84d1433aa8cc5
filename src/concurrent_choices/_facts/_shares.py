"""Shares of a call's time by which looking, deciding and applications tell what it does (DECISION.md 5.1)."""

from __future__ import annotations

__all__ = ["COMPUTES", "SURELY_FREE", "SURELY_HELD"]

COMPUTES = 0.7
"""Share of computing from which a call computes; 1 minus it, up to which it waits."""

SURELY_HELD = 0.85
"""Share of the CPU time from which all of it counts as under the GIL: the witness errs by 0.07."""

SURELY_FREE = 0.05
"""Share of the CPU time up to which none of it counts as under the GIL."""
