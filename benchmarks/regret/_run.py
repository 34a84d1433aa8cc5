"""One line of results.jsonl, a run under `auto`, and one that has nothing to learn."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import attrs

from benchmarks.oracle._measurement import Measurement
from benchmarks.oracle._ours import timed
from benchmarks.oracle._zygote import Answer
from concurrent_choices import run, run_report
from concurrent_choices._facts._plan import Plan
from concurrent_choices._strategies._registry import strategy_for

__all__ = [
    "AUDIT",
    "AUTO",
    "CHANGING",
    "CONTROL",
    "DEATH",
    "FAILED",
    "FORK_SERVER",
    "HAND",
    "NAMED",
    "PACE",
    "SINGLE",
    "Run",
    "decided",
    "named",
    "plan_of",
]

HAND, AUTO, CONTROL, AUDIT, PACE = "hand", "auto", "control", "audit", "pace"
FORK_SERVER = "fork server"
NAMED = "named"
SINGLE, CHANGING, DEATH, FAILED = "single", "changing", "death", "failed"


@attrs.frozen(kw_only=True)
class Run(Measurement):
    """One measurement of a job.

    Its kind is "hand" (a hand-tuned run, or one that a rule leads to), "auto", "control" (the best by hand of
    the first round, once more), "fork server" (a hand-tuned run whose processes are forks of a server, not of
    the caller), "named" (the strategy that `auto` ended with in the first round, by name), "audit", "pace"
    (how many items make a job), one of the parts apart from the catalogue ("single", "changing", "death"), or
    "failed": a part that could not be measured.

    Attributes:
        size: The seconds that the job was to take one item after another; 0 where it has no such size.
        items: How many items it had.
    """

    size: float = 0.0
    items: int = 0


def decided(fn: Callable[[Any], Any], items: Sequence[Any]) -> Answer:
    """A run under `auto`: its seconds, the checksum of its results, and what it says it did.

    Where it raises, what and where: no workload that is measured does so by itself.
    """
    try:
        answer = timed(run, fn, items)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a result
        where = "".join(traceback.format_tb(error.__traceback__)[-3:])
        answer = {"error": f"{type(error).__name__}: {error}", "where": where}
    report = run_report()
    return answer | {"report": str(report), "doing": report.doing if report is not None else ""}


def named(doing: str, fn: Callable[[Any], Any], items: Sequence[Any]) -> Answer:
    """What a run takes under what a report says `auto` ended with; workers stay, as those of `auto` do."""
    strategy = strategy_for(plan_of(doing))
    return timed(partial(run, strategy=strategy), fn, items)


def plan_of(doing: str) -> Plan:
    """The plan of "thread ×32", "process ×2 of 4 lanes" or "this thread"; a lane that is tried is none."""
    many, inside = [*map(int, re.findall(r"\d+", doing)), 1, 1][:2]
    names = {"thread": "thread", "loop": "uvloop", "process": "hybrid" if inside > 1 else "process"}
    name = names.get(doing.split(maxsplit=1)[0], "sequential")
    return Plan(strategy=name, workers=many, concurrency=many * inside)
