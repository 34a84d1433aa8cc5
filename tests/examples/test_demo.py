"""`make demo`: every strategy on every workload, wrong results found, nothing left behind."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest
from examples.demo.catalogue import Workload
from examples.demo.race import Finish, difference, fastest, race
from examples.demo.show import complain, table
from rich.console import Console

from concurrent_choices._strategies._registry import NAMES

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r" (.*?) +(\w+) +(\d+\.\d{3}) +([\d,]+) +(\d+\.\d\d) +(fastest|close|) *")


@pytest.fixture
def folder():
    """Where the demo makes its files: they would fill the disk if they were kept as `tmp_path` is."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def start(folder):
    """Starts the demo in a process group of its own; ends whatever is left of it."""

    def starting(*words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "examples.demo", *words],
            cwd=ROOT,
            env={**os.environ, "TMPDIR": str(folder)},
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    yield starting
    for process in started(folder):
        process.kill()


def started(folder: Path) -> list[psutil.Process]:
    """Every process that would make its files in the demo's folder, whoever its parent is by now."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("TMPDIR") == str(folder) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def await_processes(folder: Path, demo: subprocess.Popen[str]) -> None:
    """Wait until the demo, its server and its workers are there."""
    deadline = time.monotonic() + 120
    while len(started(folder)) < 3:
        assert demo.poll() is None, demo.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)


def rows(out: str) -> list[list[str]]:
    """The table's rows, each as its cells."""
    return [list(found.groups()) for found in map(ROW.fullmatch, out.splitlines()) if found]


def leftovers(folder: Path) -> list[object]:
    """Processes and files that an ended demo has left behind."""
    return [*started(folder), *folder.iterdir()]


def test_it_races_everything(start, folder):
    """A small race ends well: all strategies on all workloads, one fastest each, nothing left."""
    demo = start("--scale", "0.02")
    out, err = demo.communicate(timeout=250)
    assert (demo.returncode, err) == (0, ""), out
    table_rows = rows(out)
    workloads = [row[0] for row in table_rows if row[0]]
    assert len(workloads) == 10
    assert [row[1] for row in table_rows] == [*NAMES, "auto"] * 10
    assert [row[5] for row in table_rows].count("fastest") == 10
    assert all(float(row[2]) > 0 for row in table_rows)
    assert leftovers(folder) == []


LONG = "--only", "primes", "--scale", "0.2", "--strategies"
"""A demo that is soon done without processes. One that names a strategy often can be interrupted."""


@pytest.mark.parametrize("whole_group", [False, True], ids=["to the demo", "from the terminal"])
@pytest.mark.parametrize(
    ("strategy", "number"),
    [("process", signal.SIGINT), ("hybrid", signal.SIGINT), ("process", signal.SIGTERM)],
    ids=["process, Ctrl-C", "hybrid, Ctrl-C", "process, SIGTERM"],
)
def test_a_signal_leaves_nothing(start, folder, strategy, number, whole_group):
    """One that comes while worker processes run ends the demo, which takes away everything that it made."""
    demo = start(*LONG, *[strategy] * 20)
    await_processes(folder, demo)
    if whole_group:
        os.killpg(demo.pid, number)
    else:
        demo.send_signal(number)
    out, err = demo.communicate(timeout=60)
    assert demo.returncode == 128 + number, err
    assert "Stopped" in out
    assert "Traceback" not in err
    assert leftovers(folder) == []


def test_a_closed_pipe_leaves_nothing(start, folder):
    """Who reads no further, as `head` does, ends the demo."""
    demo = start("--only", "primes", "--scale", "0.02")
    demo.stdout.close()
    _, err = demo.communicate(timeout=60)
    assert "Traceback" not in err
    assert leftovers(folder) == []


def test_killing_it_leaves_no_process(start, folder):
    """Even SIGKILL, which nobody can catch, leaves neither server nor workers behind."""
    demo = start(*LONG, *["process"] * 20)
    await_processes(folder, demo)
    demo.kill()
    demo.communicate(timeout=60)
    deadline = time.monotonic() + 60
    while started(folder) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert started(folder) == []


def test_an_unknown_workload_is_said(start):
    """A word that is in no workload's name is an error, not an empty table."""
    demo = start("--only", "knitting")
    _, err = demo.communicate(timeout=60)
    assert demo.returncode == 1
    assert "knitting" in err


class Lying:
    """A strategy whose last result is wrong."""

    name = "lying"

    def execute(self, job):
        while claim := job.claim(1):
            batch = job.perform(claim)
            yield batch._replace(values=[0]) if claim.start == 2 else batch


class Failing:
    """A strategy that falls over."""

    name = "failing"

    def execute(self, job):
        message = "no legs"
        raise RuntimeError(message)
        yield


@pytest.fixture
def finishes():
    """A race between an honest strategy, a liar and one that falls over."""
    workload = Workload("doubling", lambda number: 2 * number, [1, 2, 3])
    return list(race(workload, ["thread", Lying(), Failing()]))


def test_a_wrong_result_is_found(finishes):
    """The run whose results differ has a fault that names the item; a failure has one too."""
    faults = [finish.fault for finish in finishes]
    assert faults == ["", "", "item 3 gave 0 instead of 6", "RuntimeError: no legs"]


def test_a_wrong_result_is_said_loudly(finishes):
    """The table says WRONG, and below it stands what was wrong."""
    console = Console(file=io.StringIO(), width=100, record=True)
    console.print(table(finishes))
    assert complain(console, finishes) == 2
    text = console.export_text()
    assert text.count("WRONG") == 4
    assert "item 3 gave 0 instead of 6" in text


def test_a_wrong_run_is_never_the_fastest():
    """Speed without the right results does not count."""
    workload = Workload("w", len, ["a"])
    slow = Finish(workload, "sequential", 2.0, 2.0)
    wrong = Finish(workload, "thread", 1.0, 2.0, "item 'a' gave 0 instead of 1")
    assert fastest([slow, wrong]) is slow


def test_a_missing_result_is_a_difference():
    """Fewer results than items is said as such."""
    assert difference([1, 2], [1], ["a", "b"]) == "1 results instead of 2"
    assert difference([1, 2], [1, 2], ["a", "b"]) == ""


def test_figures_of_a_finish():
    """Items per second and times sequential are what they say."""
    finish = Finish(Workload("w", len, ["a", "b"]), "thread", 0.5, 2.0)
    assert (finish.rate, finish.speedup) == (4.0, 4.0)
