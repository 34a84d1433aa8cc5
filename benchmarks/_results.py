"""The three files of a run: results.jsonl, environment.json and REPORT.md."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import attrs

from benchmarks._environment import without_paths

__all__ = ["QUICK", "heads", "kept_in", "load", "row", "written"]

Line = TypeVar("Line")

QUICK = "**A quick run: it shows that everything works; its figures prove nothing.**"
"""What a report of such a run says first."""


@contextmanager
def kept_in(folder: Path) -> Iterator[Callable[[Any], None]]:
    """Open results.jsonl for attrs values; each is written at once, so an interrupted run leaves some."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "results.jsonl").open("w", encoding="utf-8") as file:

        def keep(measurement: Any) -> None:
            # files are named by their last part: results are read on other machines too
            file.write(without_paths(json.dumps(attrs.asdict(measurement))) + "\n")
            file.flush()

        yield keep


def load(folder: Path, kind: Callable[..., Line]) -> tuple[dict[str, Any], list[Line]]:
    """The environment and the measurements, of this kind, that a run wrote into a folder."""
    environment = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return environment, [kind(**json.loads(line)) for line in lines]


def written(folder: Path, lines: Iterable[str]) -> Path:
    """REPORT.md, written beside the others."""
    report = folder / "REPORT.md"
    report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return report


def heads(*cells: str) -> tuple[str, str]:
    """The first two lines of a table."""
    return row(*cells), "|" + "---|" * len(cells)


def row(*cells: str) -> str:
    """A row of a table."""
    return f"| {' | '.join(cells)} |"
