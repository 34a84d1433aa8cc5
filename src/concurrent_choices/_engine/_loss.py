"""What speaks against worker processes, whatever they cost: calls change something, which is lost there."""

from __future__ import annotations

from .._inspect._words import loss_of
from .._mutation._state import State
from ._report import RunReport

__all__ = ["loss"]


def loss(report: RunReport, state: State) -> str:
    """What calls were seen to change, in a sentence, and in the report; empty for nothing."""
    changed = state.lost_elsewhere()
    if changed:
        report.see(changed)
    return loss_of(changed)
