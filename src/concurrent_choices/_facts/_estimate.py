"""How long a plan will take: what the judge predicts and the race measures."""

from __future__ import annotations

from math import inf

from attrs import frozen

from ._json import Jsonable
from ._plan import Plan

__all__ = ["Estimate"]


@frozen(kw_only=True)
class Estimate(Jsonable):
    """A strategy with its best numbers, and how long it is predicted to take for the whole workload.

    Attributes:
        plan: The strategy with its best numbers of workers and items in flight.
        seconds: Predicted wall time for all items; None if it cannot run, or if no call was measured.
        error: One standard error of `seconds`, in seconds.
        measured: Wall time for all items according to a race on real items; None without a race.
        limit: What holds it back: "lanes", "gil", "cores", "parent", "loop", "resource" or "source"
            (something that its calls share); empty if it cannot run.
        obstacle: Why it cannot run here; empty if it can.
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
        """Its seconds as far as known: measured, else predicted, else infinite."""
        if self.measured is not None:
            return self.measured
        return inf if self.seconds is None or self.obstacle else self.seconds

    @property
    def relative_error(self) -> float:
        """The standard error as a share of the prediction."""
        return self.error / self.seconds if self.seconds else 0.0
