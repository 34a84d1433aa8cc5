"""Workers that are killed at work: is every item accounted for?"""

from __future__ import annotations

import os
import tempfile
from functools import partial
from pathlib import Path
from signal import SIGKILL
from typing import Any

from benchmarks.catalogue.work.python import loop_3ms
from benchmarks.oracle._audit import calls_in, note
from benchmarks.oracle._protocol import HANGS, Keep
from benchmarks.oracle._zygote import Answer, in_own_process
from benchmarks.regret._run import DEATH, Run
from concurrent_choices import WorkerDiedError, run, run_report

__all__ = ["deadly", "killed", "measure_deaths"]

COUNT = 600
"""Items of 3 ms: some two seconds of work, so that worker processes pay."""

FATAL = (10, 40)
"""Which calls elsewhere kill their worker: the first after so many, and so whichever items get there."""


def deadly(folder: str, home: int, fatal: tuple[int, ...], item: int) -> int:
    """Note the call and work; in a worker process, be killed once after so many calls each."""
    note(f"{folder}/calls", item)
    elsewhere = 0 if os.getpid() == home else _counted(f"{folder}/elsewhere")
    for number in fatal:
        if elsewhere > number and _first(f"{folder}/dead-{number}"):
            os.kill(os.getpid(), SIGKILL)
    loop_3ms(item)
    return item


def _counted(path: str) -> int:
    """Which call of all workers' this is."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        os.write(file, b".")
        return os.fstat(file).st_size
    finally:
        os.close(file)


def _first(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def killed(*, idempotent: bool) -> Answer:
    """What became of the items of a run of which two workers were killed."""
    with tempfile.TemporaryDirectory() as folder:
        fn = partial(deadly, folder, os.getpid(), FATAL)
        values: list[Any] = run(fn, range(COUNT), return_exceptions=True, idempotent=idempotent)
        calls = calls_in(f"{folder}/calls")
        deaths = len(list(Path(folder).glob("dead-*")))
    lost = [at for at, value in enumerate(values) if isinstance(value, WorkerDiedError)]
    return {
        "items": COUNT,
        "results": len(values),
        "deaths": deaths,
        "lost": len(lost),
        "wrong": sum(value != at for at, value in enumerate(values)) - len(lost),
        "twice": sum(times > 1 for times in calls.values()),
        "never": COUNT - len(calls),
        "report": str(run_report()),
        "error": "" if deaths else "nobody was killed: all was done in this process",
    }


def measure_deaths(keep: Keep, rounds: int) -> None:
    """Both ways, so many times."""
    for number in range(1, rounds + 1):
        for idempotent in (False, True):
            answer = in_own_process(partial(killed, idempotent=idempotent), HANGS)
            name = "idempotent=True" if idempotent else "idempotent=False"
            keep(
                Run(
                    workload="killed workers", kind=DEATH, name=name, round=number, items=COUNT, answer=answer
                )
            )
