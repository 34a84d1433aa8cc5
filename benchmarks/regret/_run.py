"""One line of results.jsonl, and a run under `auto`."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from benchmarks.oracle._measurement import Measurement
from benchmarks.oracle._ours import timed
from benchmarks.oracle._zygote import Answer
from concurrent_choices import run, run_report

__all__ = [
    "AUDIT",
    "AUTO",
    "CHANGING",
    "CONTROL",
    "DEATH",
    "FAILED",
    "FORK_SERVER",
    "HAND",
    "PACE",
    "SINGLE",
    "Run",
    "decided",
]

HAND, AUTO, CONTROL, AUDIT, PACE = "hand", "auto", "control", "audit", "pace"
FORK_SERVER = "fork server"
SINGLE, CHANGING, DEATH, FAILED = "single", "changing", "death", "failed"


@attrs.frozen(kw_only=True)
class Run(Measurement):
    """One measurement of a job.

    Its kind is "hand" (a hand-tuned run, or one that a rule leads to), "auto", "control" (the best by hand of
    the first round, once more), "fork server" (a hand-tuned run whose processes are forks of a server, not of
    the caller), "audit", "pace" (how many items make a job), one of the parts apart from the catalogue
    ("single", "changing", "death"), or "failed": a part that could not be measured.

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
    return answer | {"report": str(run_report())}
