"""One line of results.jsonl."""

from __future__ import annotations

import os
from typing import Any

import attrs

__all__ = ["GRID", "ONCE_MORE", "OURS", "Measurement"]

GRID, OURS = "grid", "ours"
ONCE_MORE = "once more"


@attrs.frozen(kw_only=True)
class Measurement:
    """One measurement, and all that it answered.

    Attributes:
        workload: The entry of the catalogue.
        kind: "grid", "ours", "recommend", "neighbour" (a verdict beside a busy core), "audit", "witness", or
            "failed" where the workload as a whole could not be measured.
        name: Which of its kind.
        round: In which round; the verdict whose plans are run comes in round 0.
        place: Its place in the shuffled order of that round.
        load: The machine's load average just before.
        answer: What was measured: seconds, a verdict, counts; or an error.
    """

    workload: str
    kind: str
    name: str = ""
    round: int = 0
    place: int = 0
    load: float = attrs.field(factory=lambda: round(os.getloadavg()[0], 2))
    answer: dict[str, Any] = attrs.field(factory=dict)

    @property
    def seconds(self) -> float | None:
        """What it took; None where it failed."""
        taken: float | None = self.answer.get("seconds")
        return taken

    @property
    def at_least(self) -> float | None:
        """What it would have taken at least, where it was stopped."""
        reached: float | None = self.answer.get("at_least")
        return reached

    @property
    def error(self) -> str:
        """Why it failed; empty where it did not."""
        return str(self.answer.get("error", ""))
