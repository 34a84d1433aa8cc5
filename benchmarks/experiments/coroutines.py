"""Experiment 8: what a coroutine costs: to start and end, to switch, to keep."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from concurrent_choices import AsyncioStrategy, run

from ._figures import Figures
from ._judging import word
from ._loops import gathered, in_pool
from ._model import Experiment, Goal, Job, Measured, Size, Task, Verdict, Way, equals
from ._work import fizzbuzz, fizzbuzz_switching

__all__ = ["EXPERIMENT"]

GATHER, LANES, OURS, OURS_ALL = (
    "gather",
    "100 tasks over one iterator",
    "ours, 100 in flight",
    "ours, all in flight",
)
BARE, WAITING, SWITCHED = "bare coroutine objects", "gather, all waiting", "gather, all after ten switches"
ROOT = Path(__file__).resolve().parents[2]
SWITCHES = 10


@contextmanager
def tasks(size: Size) -> Iterator[Sequence[Task]]:
    """Give the tasks; memory is measured in interpreters of their own."""
    number = size.pick(2_000, 100_000, 100_000)
    few = range(size.pick(500, 10_000, 100_000))
    still, moving = "async def, never giving way", "async def, giving way ten times"
    yield [
        _timed(f"start and end of {number:,} coroutines", fizzbuzz, range(number), 1),
        _timed(f"{number * SWITCHES:,} switches", fizzbuzz_switching, range(number), SWITCHES),
        Task(f"memory of {number:,} coroutines", list(_memories(number)), unit="KB"),
        Task(
            f"FizzBuzz in {len(few):,} coroutines",
            [],
            [_job(still, fizzbuzz, few), _job(moving, fizzbuzz_switching, few)],
        ),
    ]


def _job(name: str, fn: Callable[[Any], Any], items: range) -> Job:
    return Job(name, fn, items, gathered(fizzbuzz, items))


def _timed(name: str, fn: Callable[[Any], Any], items: range, each: int) -> Task:
    check = equals(gathered(fizzbuzz, items))
    all_at_once = AsyncioStrategy(concurrency=len(items))
    ways: dict[str, Callable[[], Any]] = {
        GATHER: partial(gathered, fn, items),
        LANES: partial(in_pool, fn, items, 100),
        OURS: partial(run, fn, items, strategy=AsyncioStrategy(concurrency=100)),
        OURS_ALL: partial(run, fn, items, strategy=all_at_once),
    }
    count = len(items) * each
    return Task(name, [Way(way, partial(_per, act, count), check) for way, act in ways.items()], unit="µs")


def _per(act: Callable[[], Any], count: int) -> Measured:
    began = time.perf_counter()
    result = act()
    return Measured((time.perf_counter() - began) / count * 1e6, {}, result)


def _memories(number: int) -> Iterator[Way]:
    modes = {BARE: "bare", WAITING: "waiting", SWITCHED: "switched", OURS: "ours", OURS_ALL: "ours-all"}
    for name, mode in modes.items():
        yield Way(name, partial(_memory, mode, number))


def _memory(mode: str, number: int) -> Measured:
    command = [sys.executable, "-m", "benchmarks.experiments._memory", mode, str(number)]
    done = subprocess.run(command, capture_output=True, check=True, cwd=ROOT, text=True, timeout=120)
    return Measured(float(done.stdout))


def judge(figures: Figures) -> Verdict:
    """Cheaper today, by an order of magnitude; memory as reported."""
    start, switch = (figures.task_like("start"), figures.tasks()[1])
    memory = figures.task_like("memory")
    one, two = figures(start, GATHER), figures(switch, GATHER)
    kept, after = figures(memory, WAITING), figures(memory, SWITCHED)
    return Verdict(
        word(one > 30, two > 25, 0.7 < kept < 2.3),
        f"{one:.1f} µs per start and end, {two:.2f} µs per switch, {kept:.2f} KB for each that waits and "
        f"{after:.2f} KB after switching. Since then, interpreters and machines have become much faster, "
        "but coroutines hardly smaller. If a few tasks share one iterator, only the coroutines in flight "
        "exist at all.",
    )


def direction(figures: Figures) -> None:
    """A hundred in flight take less memory than all at once."""
    memory = figures.task_like("memory")
    assert figures(memory, OURS) < figures(memory, WAITING)


def goals(figures: Figures) -> Sequence[Goal]:
    """Our costs are shown beside those of gather."""
    shown = [(task, OURS, GATHER) for task in figures.tasks()[:2]] + [
        (figures.task_like("memory"), OURS, WAITING)
    ]
    units = ("µs", "µs", "KB")
    return [
        Goal(
            f"{task}: “{ours}” beside “{theirs}”",
            f"{figures(task, ours):.2f} and {figures(task, theirs):.2f} {unit}",
            figures(task, ours) <= figures(task, theirs),
        )
        for (task, ours, theirs), unit in zip(shown, units, strict=True)
    ]


EXPERIMENT = Experiment(
    number=8,
    title="What a coroutine costs",
    claim=(
        "With 100,000 coroutines: 61 µs per start and end, 51 µs per context switch, 1.5 KB for each "
        "coroutine and 3.4 KB after switching (FizzBuzz ten times in each)."
    ),
    scale="The library's strategies run 10,000 coroutines in the last table, the others all 100,000.",
    ways=(GATHER, LANES, OURS, OURS_ALL),
    jobs=("async def, never giving way", "async def, giving way ten times"),
    ways_at=1,
    jobs_at=3,
    tasks=tasks,
    judge=judge,
    direction=direction,
    goals=goals,
)
