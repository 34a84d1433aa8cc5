"""REPORT.md, made from environment.json and results.jsonl and nothing else."""

from __future__ import annotations

import json
import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import attrs

from benchmarks._environment import listed
from benchmarks._interval import interval
from benchmarks._results import QUICK, heads, written
from benchmarks._results import row as line

__all__ = ["TARGETS", "Target", "write_report"]

Values = dict[str, dict[str, dict[int, float]]]
"""Row, contestant, round."""

SIGNS: dict[str, Callable[[float, float], bool]] = {
    "≤": operator.le,
    "<": operator.lt,
    "≥": operator.ge,
    "=": operator.eq,
}
OURS, HAND, THREADS = "AdaptiveExecutor", "hand-tuned pair", "ThreadPoolExecutor"
OFFLOAD, TO_THREAD, POOL = "offload", "to_thread", "run_in_executor, processes"
WITH, WITHOUT = "with the advisor", "without"


@attrs.frozen
class Target:
    """One figure to reach.

    Attributes:
        text: What must be shown.
        row: The row it is computed from.
        ours: Whose figure.
        theirs: By whose it is divided, round by round; empty where it stands alone.
        sign: How it compares with the bound: one of `SIGNS`.
        bound: The number to reach.
        over: How the rounds are put together.
    """

    text: str
    row: str
    ours: str
    theirs: str
    sign: str
    bound: float
    over: Callable[[Iterable[float]], float] = median

    def seen(self, values: Values) -> list[float]:
        """What was seen, round by round; nothing where something it needs was not measured."""
        ours = values.get(self.row, {}).get(self.ours, {})
        theirs = values.get(self.row, {}).get(self.theirs, {}) if self.theirs else dict.fromkeys(ours, 1.0)
        return [ours[turn] / theirs[turn] for turn in ours if theirs.get(turn)]

    def verdict(self, seen: Sequence[float]) -> str:
        """Whether it was reached, and whether that is sure."""
        if not seen:
            return "not measured"
        reaches = SIGNS[self.sign]
        word = "reached" if reaches(self.over(seen), self.bound) else "MISSED"
        sure = self.over is not median or len({reaches(end, self.bound) for end in interval(seen)}) == 1
        return word if sure else f"{word}, within the noise"


RATE, P99 = "mixed load, calls a second", "mixed load, p99 latency, s"
SECOND = "CPU a request, a thousand requests a second, s"
SATURATED = "CPU a request, as many requests as it answers, s"
TARGETS = (
    Target("mixed load, throughput over a hand-tuned pair of pools", RATE, OURS, HAND, "≥", 0.95),
    Target("mixed load, p99 latency over a hand-tuned pair of pools", P99, OURS, HAND, "≤", 1.1),
    Target("mixed load, throughput over `ThreadPoolExecutor`", RATE, OURS, THREADS, "≥", 1.5),
    Target("no-op over `ThreadPoolExecutor`", "no-op, submit to result, s", OURS, THREADS, "≤", 1.0),
    Target(
        "no-op over `ThreadPoolExecutor`, all on one core",
        "no-op, all threads on one core, s",
        OURS,
        THREADS,
        "≤",
        1.0,
    ),
    Target("p99 of the loop's lag, s", "loop lag under computing, p99, s", OFFLOAD, "", "<", 0.010),
    Target(
        "`offload` of nothing over `to_thread`",
        "a call that does nothing, off the loop, s",
        OFFLOAD,
        TO_THREAD,
        "≤",
        1.3,
    ),
    Target(
        "`offload` of waiting over `to_thread`",
        "a call that waits 1 ms, off the loop, s",
        OFFLOAD,
        TO_THREAD,
        "≤",
        1.3,
    ),
    Target(
        "`offload` of computing over a process pool",
        "a call that computes 10 ms, off the loop, s",
        OFFLOAD,
        POOL,
        "≤",
        1.0,
    ),
    Target(
        "endpoints of ten with right advice and line",
        "endpoints advised right, of ten",
        "EndpointAdvisor",
        "",
        "=",
        10,
    ),
    Target("requests that failed", "requests that failed", WITH, "", "=", 0, max),
    Target("memory kept, MB", "memory kept after more requests, MB", "both", "", "<", 10, max),
    Target("CPU with the advisor, at a thousand requests a second", SECOND, WITH, WITHOUT, "≤", 1.02),
    Target("CPU with the advisor, saturated", SATURATED, WITH, WITHOUT, "≤", 1.02),
)

INTRODUCTION = """\
Made by `python -m benchmarks.embedding`. All contestants of a row are measured in each round, in random
order; a figure that compares two is the median of the rounds' ratios, with the interval in which it lies with
95 % confidence. Where that holds the bound, the figure is within the noise. The mixed load keeps 48 calls in
flight: four in seven wait 20 ms, two hash 4 MB (outside the GIL), one computes 7 ms in pure Python. The
server is uvicorn with FastAPI; requests come from another process."""


def write_report(folder: Path) -> Path:
    """Write REPORT.md into the folder of a run, from its files alone."""
    environment = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    values: Values = defaultdict(lambda: defaultdict(dict))
    for told in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines():
        row, contestant, turn, value = json.loads(told)
        # Several numbers of a round (requests that failed) count as their sum.
        values[row][contestant][turn] = values[row][contestant].get(turn, 0.0) + value
    return written(folder, _report(environment, values))


def _report(environment: dict[str, Any], values: Values) -> Iterable[str]:
    yield from ("# Embedding: executors, offload and the advisor", "", INTRODUCTION, "")
    if environment["quick"]:
        yield from (QUICK, "")
    yield from _failures(environment)
    yield from _targets(values)
    yield from _rows(values)
    yield from listed(environment)


def _failures(environment: dict[str, Any]) -> Iterable[str]:
    if environment["failures"]:
        yield from ("## FAILED", "")
        yield from (f"- {part}: {error}" for part, error in environment["failures"].items())
        yield ""


def _targets(values: Values) -> Iterable[str]:
    rows = [(target, target.seen(values)) for target in TARGETS]
    reached = sum(target.verdict(seen).startswith("reached") for target, seen in rows)
    yield from (f"## Targets: {reached} of {len(TARGETS)} reached", "")
    yield from heads("figure", "to reach", "seen", "95 %", "")
    for target, seen in rows:
        figure = f"{target.over(seen):.4g}" if seen else ""
        ends = " to ".join(f"{end:.4g}" for end in interval(seen)) if figure and target.over is median else ""
        aim = f"{target.sign} {target.bound:g}"
        yield line(target.text, aim, figure, ends, target.verdict(seen))
    yield ""


def _rows(values: Values) -> Iterable[str]:
    yield from ("## What was measured", "", *heads("row", "", "median", "least", "most", "rounds"))
    for row, contestants in values.items():
        for name, turns in contestants.items():
            seen = list(turns.values())
            numbers = (f"{each:.4g}" for each in (median(seen), min(seen), max(seen)))
            yield line(row, name, *numbers, str(len(seen)))
    yield ""
