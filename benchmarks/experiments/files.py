"""Experiment 2: writing files, on a device and in memory."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from ._figures import Figures, spell
from ._judging import word
from ._loops import gathered, limited, plain
from ._model import Experiment, Goal, Job, Size, Task, Verdict, Way, equals
from ._places import disk, tmpfs
from ._work import BLOCK, write, write_async

__all__ = ["EXPERIMENT", "GAIN", "on_disk"]

PLAIN, GATHERED = "plain", "aiofiles, gathered"
DD, DD_PARALLEL = "dd, one after another", "dd, all at once"
LIMITS, EXECUTORS = (4, 8, 12), (2, 4, 8)
GAIN = 1.3
"""From where on concurrency is called a gain, and below which dd in parallel shows the device to be the limit
(guessed: two cores already allow for more when memory is all there is to it)."""

Item = tuple[str, int, bool]


@contextmanager
def tasks(size: Size) -> Iterator[Sequence[Task]]:
    """Set up both folders and give the tasks."""
    blocks, count = size.pick(1, 32, 512), size.pick(4, 10, 10)
    with disk() as device, tmpfs() as memory:
        yield [
            *_tasks("disk", device, blocks, count, sync=True),
            *_tasks("tmpfs", memory, blocks, count, sync=False),
        ]


def on_disk(folder: Path, blocks: int, count: int) -> list[Item]:
    """Items for `write`: so many files of so many MiB, each waiting for the device."""
    return _items(folder, blocks, count, sync=True)


def _items(folder: Path, blocks: int, count: int, *, sync: bool) -> list[Item]:
    return [(str(folder / f"{number}.bin"), blocks, sync) for number in range(count)]


def _tasks(place: str, folder: Path | None, blocks: int, count: int, *, sync: bool) -> Iterator[Task]:
    if folder is None:
        yield Task(f"{place}: files", [Way(PLAIN, list, absent=f"no folder on {place}")])
        return
    items = _items(folder, blocks, count, sync=sync)
    yield Task(f"{place}: one file of {blocks} MiB", _ways(items[:1])[:2])
    expected = [blocks * len(BLOCK)] * count
    jobs = [Job("def", write, items, expected), Job("async def", write_async, items, expected)]
    ways = [*_ways(items), *_dd(items, sync=sync)]
    yield Task(f"{place}: {count} files of {blocks} MiB", ways, jobs)


def _ways(items: Sequence[Item]) -> list[Way]:
    check = equals([blocks * len(BLOCK) for _, blocks, _ in items])
    return [
        Way(PLAIN, partial(plain, write, items), check),
        Way(GATHERED, partial(gathered, write_async, items), check),
        *[Way(f"aiofiles, {n} at a time", partial(limited, write_async, items, n), check) for n in LIMITS],
        *[Way(f"aiofiles, executor of {n}", partial(_executor, items, n), check) for n in EXECUTORS],
    ]


def _executor(items: Sequence[Item], workers: int) -> list[int]:
    with ThreadPoolExecutor(workers) as pool:
        return gathered(partial(write_async, executor=pool), items)


def _dd(items: Sequence[Item], *, sync: bool) -> list[Way]:
    absent = "" if shutil.which("dd") else "no dd here"
    commands = [_command(item, sync=sync) for item in items]
    return [
        Way(DD, partial(_serial, commands), absent=absent),
        Way(DD_PARALLEL, partial(_parallel, commands), absent=absent),
    ]


def _command(item: Item, *, sync: bool) -> list[str]:
    path, blocks, _ = item
    return ["dd", "if=/dev/zero", f"of={path}", "bs=1M", f"count={blocks}", *["conv=fsync"] * sync]


def _serial(commands: Sequence[list[str]]) -> None:
    for command in commands:
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


def _parallel(commands: Sequence[list[str]]) -> None:
    running: list[Any] = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for command in commands]
    assert [each.wait(120) for each in running] == [0] * len(commands)


def _many(figures: Figures, place: str) -> str:
    return [task for task in figures.tasks() if task.startswith(f"{place}: ")][-1]


def _gain(figures: Figures, place: str) -> float:
    task = _many(figures, place)
    ways = [way for way in figures.ways(task) if way.startswith("aiofiles")]
    return figures.least(task, PLAIN) / figures.best(task, ways)


def _device_is_the_limit(figures: Figures) -> bool:
    task = _many(figures, "disk")
    return figures.least(task, DD) / figures.least(task, DD_PARALLEL) < GAIN


def judge(figures: Figures) -> Verdict:
    """No gain on the disk, one in memory, and dd shows why."""
    disk_gain, memory_gain = _gain(figures, "disk"), _gain(figures, "tmpfs")
    limit = _device_is_the_limit(figures)
    task = _many(figures, "disk")
    one, all_ = (spell(figures.least(task, way)) for way in (DD, DD_PARALLEL))
    dd = f"{one} one after another and {all_} all at once"
    why = "the device is the limit" if limit else "this device does take several writers"
    return Verdict(
        word(disk_gain < GAIN, memory_gain > GAIN),
        f"The best of aiofiles is {disk_gain:.2f} times as fast as plain writing on disk and "
        f"{memory_gain:.2f} times on tmpfs. `dd`, without any Python, takes {dd}, so {why}; in memory the "
        "copying is what is shared out, among as many cores as there are.",
    )


def direction(figures: Figures) -> None:
    """Every way wrote what it should; which is faster is up to the device."""
    for task in figures.tasks():
        assert figures(task, PLAIN) > 0


def goals(figures: Figures) -> Sequence[Goal]:
    """The verdict names the device as the limit where it is."""
    named = "the device is the limit" in judge(figures).text
    limit = _device_is_the_limit(figures)
    figure = f"dd says {'it is' if limit else 'it is not'}, the verdict names {'it' if named else 'it not'}"
    return [Goal("the verdict names the device as the limit where it is", figure, named == limit)]


EXPERIMENT = Experiment(
    number=2,
    title="Writing files",
    claim=(
        "No gain on disk: ten files of 512 MB took 1.24 s plain and 1.22 s with aiofiles. On tmpfs aiofiles "
        "was 2.4 times as fast (661 and 275 ms), with two threads 1.65 times; `dd` in parallel showed the "
        "device to be the limit."
    ),
    scale="Ten files of 32 MiB instead of 512 MB. On disk every file is flushed to the device (`fsync`), or "
    "the memory of the page cache would be measured.",
    ways=(
        PLAIN,
        GATHERED,
        *[f"aiofiles, {limit} at a time" for limit in LIMITS],
        *[f"aiofiles, executor of {workers}" for workers in EXECUTORS],
        DD,
        DD_PARALLEL,
    ),
    jobs=("def", "async def"),
    ways_at=1,
    jobs_at=1,
    tasks=tasks,
    judge=judge,
    direction=direction,
    goals=goals,
)
