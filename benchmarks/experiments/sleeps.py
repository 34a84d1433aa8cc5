"""Experiment 1: three sleeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from ._figures import Figures, spell
from ._judging import as_fast, word
from ._loops import gathered, one_by_one, plain
from ._model import Experiment, Goal, Job, Size, Task, Verdict, Way, equals
from ._work import nap, nap_async

__all__ = ["EXPERIMENT"]

SEQUENTIAL, AWAITED, GATHERED = "time.sleep, one after another", "awaited one by one", "gathered"


@contextmanager
def tasks(size: Size) -> Iterator[Sequence[Task]]:
    """Set up and give the tasks."""
    seconds = size.pick(0.05, 0.2, 0.2)
    items = [seconds] * 3
    check = equals(items)
    yield [
        Task(
            f"three sleeps of {spell(seconds)}",
            [
                Way(SEQUENTIAL, partial(plain, nap, items), check),
                Way(AWAITED, partial(one_by_one, nap_async, items), check),
                Way(GATHERED, partial(gathered, nap_async, items), check),
            ],
            [Job("def", nap, items, items), Job("async def", nap_async, items, items)],
        )
    ]


def judge(figures: Figures) -> Verdict:
    """Gathering takes a third, awaiting one by one takes as long as blocking."""
    (task,) = figures.tasks()
    one, two, three = (figures(task, way) for way in (SEQUENTIAL, AWAITED, GATHERED))
    return Verdict(
        word(0.9 < two / one < 1.1, 2.5 < one / three < 3.5),
        f"{spell(one)}, {spell(two)} and {spell(three)}: `await` alone waits as long as blocking does, and "
        "only `gather` lets the waits overlap. The factor is the number of sleeps, as long as starting three "
        "tasks costs next to nothing compared with a fifth of a second.",
    )


def direction(figures: Figures) -> None:
    """Gathering is the fastest of the three."""
    (task,) = figures.tasks()
    assert figures(task, GATHERED) < min(figures(task, SEQUENTIAL), figures(task, AWAITED))


def goals(figures: Figures) -> Sequence[Goal]:
    """`auto` as fast as gathering, for both kinds of callable."""
    (task,) = figures.tasks()
    return [as_fast(figures, task, job, figures.ways(task)) for job in ("def", "async def")]


EXPERIMENT = Experiment(
    number=1,
    title="Three sleeps",
    claim=(
        "Three sleeps of 0.2 s took 608 ms one after another, 606 ms awaited one by one, and 202 ms gathered."
    ),
    ways=(SEQUENTIAL, AWAITED, GATHERED),
    jobs=("def", "async def"),
    tasks=tasks,
    judge=judge,
    direction=direction,
    goals=goals,
)
