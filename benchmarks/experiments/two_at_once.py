"""Experiment 9: two requests at once to FastAPI endpoints that wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from ._clients import fetch
from ._figures import Figures, spell
from ._judging import word
from ._model import Experiment, Job, Measured, Size, Task, Verdict, Way
from ._server import running_server
from ._work import blocked, nap, nap_async

__all__ = ["EXPERIMENT"]

AWAITING, BLOCKING, THREADED = "async def that awaits", "async def that blocks", "def"


@contextmanager
def tasks(size: Size) -> Iterator[Sequence[Task]]:
    """Start the server and give the task."""
    seconds = size.pick(0.1, 1.0, 5.0)
    ms = round(seconds * 1000)
    paths = {AWAITING: "awaiting", BLOCKING: "blocking", THREADED: "threaded"}
    items = [seconds] * 2
    with running_server() as address:
        for path in paths.values():
            fetch(f"{address}/{path}/1")
        yield [
            Task(
                f"two requests at once, {spell(seconds)} each",
                [Way(name, partial(_two, f"{address}/{path}/{ms}")) for name, path in paths.items()],
                [
                    Job(f"the endpoint's body: {AWAITING}", nap_async, items, items),
                    Job(f"the endpoint's body: {BLOCKING}", blocked, items, items),
                    Job(f"the endpoint's body: {THREADED}", nap, items, items),
                ],
            )
        ]


def _two(url: str) -> Measured:
    """Ask twice at the same moment; the figure is the time of the later answer."""
    ready, took = threading.Barrier(2), [0.0, 0.0]

    def client(number: int) -> None:
        ready.wait()
        began = time.perf_counter()
        fetch(url)
        took[number] = time.perf_counter() - began

    threads = [threading.Thread(target=client, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Measured(max(took), {"first answer, s": min(took)})


def judge(figures: Figures) -> Verdict:
    """Blocking in `async def` makes the second request wait for the first."""
    (task,) = figures.tasks()
    slow = {way: figures(task, way) for way in figures.ways(task)}
    fast = {way: figures.extra(task, way, "first answer, s") for way in slow}
    said = "; ".join(f"{way}: {spell(fast[way])} and {spell(slow[way])}" for way in slow)
    doubled = {way: slow[way] / fast[way] for way in slow}
    return Verdict(
        word(doubled[AWAITING] < 1.3, doubled[BLOCKING] > 1.7, doubled[THREADED] < 1.3),
        f"{said}. All `async def` endpoints run on the one loop of the server, so a blocking call in one "
        "blocks every other request. FastAPI runs each `def` in a thread.",
    )


def direction(figures: Figures) -> None:
    """Two that block the loop take at least twice as long as one; the others need not."""
    (task,) = figures.tasks()
    assert figures(task, BLOCKING) > max(figures(task, AWAITING), figures(task, THREADED))


EXPERIMENT = Experiment(
    number=9,
    title="FastAPI: two requests at once",
    claim=(
        "Endpoints that wait 5 s, two requests at once: `async def` that awaits answers after 5 and 5 s, "
        "`async def` that blocks after 5 and 10 s, `def` after 5 and 5 s."
    ),
    scale="1 s instead of 5 s.",
    ways=(AWAITING, BLOCKING, THREADED),
    jobs=tuple(f"the endpoint's body: {name}" for name in (AWAITING, BLOCKING, THREADED)),
    tasks=tasks,
    judge=judge,
    direction=direction,
)
