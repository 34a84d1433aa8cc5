"""Experiment 6: a database whose query sleeps, alone and beside sums."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from ._beside import Pair, asking_tasks, goals_of, verdict_of
from ._figures import Figures
from ._model import Experiment, Size, Task, Verdict
from ._work import query, query_async
from .http_requests import direction

__all__ = ["EXPERIMENT"]


@contextmanager
def tasks(size: Size) -> Iterator[Sequence[Task]]:
    """Make the database file and give the tasks."""
    short, long = size.pick(0.05, 0.2, 0.2), size.pick(0.1, 0.5, 1.0)
    with tempfile.TemporaryDirectory(prefix="concurrent-choices-") as folder:
        path = str(Path(folder) / "experiment.db")
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE rows (number INTEGER)")

        def make(seconds: float) -> tuple[tuple[str, float], float]:
            return (path, seconds), seconds

        yield asking_tasks(Pair(query, query_async), ("sqlite3", "aiosqlite"), make, short, long)


def judge(figures: Figures) -> Verdict:
    """Three queries take as long as one."""
    return verdict_of(
        figures,
        "aiosqlite keeps a thread for each connection, and SQLite releases the GIL while it works",
        "So it is threads that make the queries overlap, and the plain module in this library's threads "
        "does as well.",
    )


EXPERIMENT = Experiment(
    number=6,
    title="A database",
    claim=(
        "Three queries that sleep 0.2 s took 610 ms with sqlite3 and 212 ms with aiosqlite; three of 1 s "
        "beside sums took 3.03 s and 1.03 s."
    ),
    scale="0.5 s instead of 1 s beside the sums.",
    ways=("sqlite3, one after another", "aiosqlite, gathered"),
    jobs=("def, sqlite3", "async def, aiosqlite"),
    ways_at=2,
    jobs_at=2,
    tasks=tasks,
    judge=judge,
    direction=direction,
    goals=goals_of,
)
