"""Experiment 4: files and sums together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from ._figures import Figures, spell
from ._judging import no_slower, word
from ._loops import gathered, plain
from ._model import Experiment, Goal, Job, Size, Task, Verdict, Way, equals
from ._places import disk
from ._work import BLOCK, file_or_sum, file_or_sum_async
from .files import on_disk

__all__ = ["EXPERIMENT"]

PLAIN, GATHERED = "plain", "aiofiles and async def, gathered"


@contextmanager
def tasks(size: Size) -> Iterator[Sequence[Task]]:
    """Set up a folder and give the task."""
    blocks, count = size.pick(1, 32, 512), size.pick(4, 10, 10)
    number = size.pick(200_000, 3_000_000, 10_000_000)
    with disk() as folder:
        if folder is None:
            yield [Task("files and sums", [Way(PLAIN, list, absent="no folder on a disk")])]
            return
        items: list[Any] = [*on_disk(folder, blocks, count), *[number] * 3]
        expected = [blocks * len(BLOCK)] * count + [number * (number - 1) // 2] * 3
        check = equals(expected)
        yield [
            Task(
                f"{count} files of {blocks} MiB and three sums to {number:,}",
                [
                    Way(PLAIN, partial(plain, file_or_sum, items), check),
                    Way(GATHERED, partial(gathered, file_or_sum_async, items), check),
                ],
                [
                    Job("def", file_or_sum, items, expected),
                    Job("async def", file_or_sum_async, items, expected),
                ],
            )
        ]


def judge(figures: Figures) -> Verdict:
    """Gathering gains little."""
    (task,) = figures.tasks()
    one, two = figures.least(task, PLAIN), figures.least(task, GATHERED)
    return Verdict(
        word(0.9 < one / two < 1.25),
        f"At best {spell(one)} plain and {spell(two)} gathered, {one / two:.2f} times as fast "
        "(then 1.10). While a sum holds the loop no coroutine can hand its next block to a "
        "thread, so writing and computing take turns instead of overlapping.",
    )


def direction(figures: Figures) -> None:
    """Gathering saves no computing."""
    (task,) = figures.tasks()
    assert figures.cpu(task, GATHERED) > 0.5 * figures.cpu(task, PLAIN)


def goals(figures: Figures) -> Sequence[Goal]:
    """`auto` is no slower than plain."""
    (task,) = figures.tasks()
    return [*no_slower(figures, task, PLAIN, 0.03)]


EXPERIMENT = Experiment(
    number=4,
    title="Files and sums together",
    claim="Ten files and three sums took 2.81 s plain and 2.55 s with coroutines.",
    scale="Files of 32 MiB, flushed to the device, and sums to 3,000,000.",
    ways=(PLAIN, GATHERED),
    jobs=("def", "async def"),
    tasks=tasks,
    judge=judge,
    direction=direction,
    goals=goals,
)
