"""Experiment 3: sums, which compute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from ._figures import Figures, spell
from ._judging import no_slower, word
from ._loops import gathered, plain
from ._model import Experiment, Goal, Job, Size, Task, Verdict, Way, equals
from ._work import sum_async, sum_to

__all__ = ["EXPERIMENT"]

PLAIN, GATHERED = "plain", "async def, gathered"


@contextmanager
def tasks(size: Size) -> Iterator[Sequence[Task]]:
    """Give the tasks."""
    number = size.pick(200_000, 3_000_000, 10_000_000)
    yield [_task("one sum", [number]), _task("three sums", [number] * 3)]


def _task(name: str, items: list[int]) -> Task:
    expected = [number * (number - 1) // 2 for number in items]
    check = equals(expected)
    return Task(
        f"{name} to {items[0]:,}",
        [
            Way(PLAIN, partial(plain, sum_to, items), check),
            Way(GATHERED, partial(gathered, sum_async, items), check),
        ],
        [Job("def", sum_to, items, expected), Job("async def", sum_async, items, expected)],
    )


def judge(figures: Figures) -> Verdict:
    """Gathering gains nothing where nothing waits."""
    task = figures.task_like("three")
    one, two = figures.least(task, PLAIN), figures.least(task, GATHERED)
    ours = figures.least(task, "def", "process")
    return Verdict(
        word(one / two < 1.15),
        f"At best {spell(one)} plain and {spell(two)} gathered: a coroutine that never awaits runs "
        "from start to end like any call, so gathering gains nothing. This library's processes are "
        f"{one / ours:.2f} times as fast as plain here, with two cores for three sums.",
    )


def direction(figures: Figures) -> None:
    """Gathering saves no work: it takes as much CPU as plain."""
    task = figures.task_like("three")
    assert figures.cpu(task, GATHERED) > 0.5 * figures.cpu(task, PLAIN)


def goals(figures: Figures) -> Sequence[Goal]:
    """`auto` is no slower than plain."""
    return [goal for task in figures.tasks() for goal in no_slower(figures, task, PLAIN, 0.03)]


EXPERIMENT = Experiment(
    number=3,
    title="Sums",
    claim="Three sums to 10⁷ gained nothing: 1.52 s plain, 1.48 s as gathered coroutines.",
    scale="Sums to 3,000,000 instead of 10⁷.",
    ways=(PLAIN, GATHERED),
    jobs=("def", "async def"),
    ways_at=1,
    jobs_at=1,
    tasks=tasks,
    judge=judge,
    direction=direction,
    goals=goals,
)
