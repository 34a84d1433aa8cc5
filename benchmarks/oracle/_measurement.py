"""One line of results.jsonl."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import attrs

from benchmarks.dispatch._environment import without_paths

__all__ = ["GRID", "ONCE_MORE", "OURS", "Measurement", "kept_in", "load"]

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


AnyMeasurement = TypeVar("AnyMeasurement", bound=Measurement)


@contextmanager
def kept_in(folder: Path) -> Iterator[Callable[[Measurement], None]]:
    """Open results.jsonl; every line is written at once, so an interrupted run leaves some."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "results.jsonl").open("w", encoding="utf-8") as file:

        def keep(measurement: Measurement) -> None:
            # files are named by their last part: results are read on other machines too
            file.write(without_paths(json.dumps(attrs.asdict(measurement))) + "\n")
            file.flush()

        yield keep


def load(
    folder: Path, kind: type[AnyMeasurement] = Measurement
) -> tuple[dict[str, Any], list[AnyMeasurement]]:
    """The environment and the measurements, of this kind, that a run wrote into a folder."""
    environment = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return environment, [kind(**json.loads(line)) for line in lines]
