"""The jobs that issue 4 names one by one, each with a limit of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

import attrs

from benchmarks.catalogue.work.waiting import nap
from benchmarks.dispatch._callables import nothing
from benchmarks.oracle._grid import loop
from benchmarks.oracle._ours import timed
from benchmarks.oracle._protocol import HANGS, Keep
from benchmarks.oracle._zygote import in_own_process
from benchmarks.regret._run import AUTO, HAND, SINGLE, Run, decided

__all__ = ["JOBS", "LOCKED", "NO_OPS", "SECONDS", "TWO_HUNDRED", "Job", "measure_jobs"]

_LOCK = threading.Lock()


def nap_behind_a_lock(seconds: float) -> None:
    """Sleep while nobody else may."""
    with _LOCK:
        time.sleep(seconds)


@attrs.frozen
class Job:
    """One such job, and how often it is measured.

    Attributes:
        name: What the report calls it.
        fn: The callable.
        items: Its items.
        rounds: How often; long ones need no repetition.
        beside: Whether one item after another is measured beside it.
    """

    name: str
    fn: Callable[[Any], Any]
    items: Sequence[Any]
    rounds: int
    beside: bool = False


TWO_HUNDRED = "200 calls that sleep 50 ms"
SECONDS = "40 calls that sleep 1 s"
LOCKED = "200 calls that sleep 50 ms behind one lock"
NO_OPS = "1e6 calls of a no-op"

JOBS = (
    Job(TWO_HUNDRED, nap, [0.05] * 200, 5),
    Job(SECONDS, nap, [1.0] * 40, 3),
    Job(LOCKED, nap_behind_a_lock, [0.05] * 200, 1, beside=True),
    Job(NO_OPS, nothing, range(1_000_000), 7, beside=True),
)


def measure_jobs(random: Random, keep: Keep, rounds: int | None) -> None:
    """Each job in its rounds, or in so many at most; shuffled within each."""
    for job in JOBS:
        for number in range(1, min(job.rounds, rounds or job.rounds) + 1):
            works = list(_works(job))
            random.shuffle(works)
            for place, (name, work) in enumerate(works):
                line = Run(
                    workload=job.name, kind=SINGLE, name=name, round=number, place=place, items=len(job.items)
                )
                keep(attrs.evolve(line, answer=in_own_process(work, HANGS)))


def _works(job: Job) -> Iterator[tuple[str, Callable[[], Any]]]:
    yield AUTO, partial(decided, job.fn, job.items)
    if job.beside:
        yield HAND, partial(timed, loop, job.fn, job.items)
