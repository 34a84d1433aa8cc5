"""How long a plan will take: what the judge predicts and the race measures."""

from __future__ import annotations

from math import inf

from attrs import frozen

from ._json import Jsonable
from ._plan import Plan

__all__ = ["Estimate"]


@frozen(kw_only=True)
class Estimate(Jsonable):
    """One strategy at its best, and how long it is predicted to take for the whole workload.

    Attributes:
        plan: The strategy with its best numbers of workers and items in flight.
        seconds: Predicted wall time for all items; None where it cannot run, or no call was measured.
        error: One standard error of `seconds`, in seconds.
        measured: Wall time for all items as a race on real items measured it; None without a race.
        limit: What holds it back: "lanes", "gil", "cores", "parent", "loop" or "resource"
            (whatever the callable shares with itself); empty where it cannot run.
        obstacle: Why it cannot run here; empty where it can.
        note: What to know about the prediction.
    """

    plan: Plan
    seconds: float | None = None
    error: float = 0.0
    measured: float | None = None
    limit: str = ""
    obstacle: str = ""
    note: str = ""

    @property
    def feasible(self) -> bool:
        """Whether it can run here."""
        return not self.obstacle

    @property
    def expected(self) -> float:
        """The best knowledge of its seconds: measured, else predicted, else infinite."""
        if self.measured is not None:
            return self.measured
        return inf if self.seconds is None or self.obstacle else self.seconds

    @property
    def relative_error(self) -> float:
        """The standard error as a share of the prediction."""
        return self.error / self.seconds if self.seconds else 0.0
