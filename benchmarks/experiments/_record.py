"""What was measured, as files: results.jsonl and environment.json."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from attrs import asdict, evolve

from benchmarks._environment import describe, without_paths

from ._figures import Figures, Reading
from ._library import Advice
from ._model import Size

__all__ = ["Record", "told"]

PACKAGES = (
    "aiofiles",
    "aiohttp",
    "aiosqlite",
    "anyio",
    "concurrent_choices",
    "fastapi",
    "httptools",
    "httpx",
    "requests",
    "starlette",
    "uvicorn",
    "uvloop",
)
_KINDS: dict[str, Any] = {"reading": Reading, "advice": Advice}


def told(size: Size, rounds: int, seed: int) -> dict[str, Any]:
    """What there is to know about one experiment's run, before it starts."""
    everything = describe(PACKAGES)
    return everything | {"size": size.value, "rounds": rounds, "seed": seed}


class Record:
    """The figures in a folder; running one experiment replaces its figures and no others.

    Args:
        folder: Where the two files are, or will be.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._entries: list[Any] = [*self._load()]
        self.runs: dict[str, dict[str, Any]] = self._environment()

    @property
    def readings(self) -> list[Reading]:
        """All readings."""
        return [each for each in self._entries if isinstance(each, Reading)]

    def figures(self, number: int) -> Figures:
        """The figures of one experiment."""
        return Figures(each for each in self.readings if each.experiment == number)

    def advice(self, number: int) -> dict[tuple[str, str], Advice]:
        """What `recommend` said, by task and job."""
        found = (each for each in self._entries if isinstance(each, Advice) and each.experiment == number)
        return {(each.task, each.job): each for each in found}

    def replace(self, number: int, entries: list[Any], about: dict[str, Any]) -> None:
        """Put an experiment's new figures in the place of its old ones, and write the files."""
        clean = [evolve(each, error=without_paths(each.error)) for each in entries]
        self._entries = [each for each in self._entries if each.experiment != number] + clean
        self._entries.sort(key=lambda each: each.experiment)
        self.runs[str(number)] = about | {"load_after": os.getloadavg()}
        self._write()

    def _write(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        names = {kind: name for name, kind in _KINDS.items()}
        lines = [json.dumps({"kind": names[type(each)], **asdict(each)}) for each in self._entries]
        (self._folder / "results.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        runs = dict(sorted(self.runs.items(), key=lambda item: int(item[0])))
        (self._folder / "environment.json").write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")

    def _load(self) -> list[Any]:
        path = self._folder / "results.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        parsed = (json.loads(line) for line in lines)
        return [_KINDS[entry.pop("kind")](**entry) for entry in parsed]

    def _environment(self) -> dict[str, Any]:
        path = self._folder / "environment.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
