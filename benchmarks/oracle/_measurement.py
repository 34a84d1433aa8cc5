"""One line of results.jsonl."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import attrs

__all__ = ["GRID", "OURS", "Measurement", "load"]

GRID, OURS = "grid", "ours"


@attrs.frozen(kw_only=True)
class Measurement:
    """One measurement, and all that it answered.

    Attributes:
        workload: The entry of the catalogue.
        kind: "grid", "ours", "recommend", "neighbour" (a verdict beside a busy core), "audit" or "witness".
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
    def error(self) -> str:
        """Why it failed; empty where it did not."""
        return str(self.answer.get("error", ""))


def load(folder: Path) -> tuple[dict[str, Any], list[Measurement]]:
    """The environment and the measurements that a run wrote into a folder."""
    environment = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return environment, [Measurement(**json.loads(line)) for line in lines]
