"""The command runs, with tiny sizes, and leaves its three files."""

from __future__ import annotations

import json

import pytest

from interpreters import interpreter

# One of each kind: in this process, threads, loops, worker processes, fresh interpreters.
ROWS = ["sequential", "threads, single", "yield once, asyncio", "processes, single", "import"]


@pytest.mark.parametrize("row", ROWS)
def test_a_quick_run_measures_everybody(root, tmp_path, row):
    """Nobody fails, every contestant that is not absent has its readings, and no path leaks."""
    options = ("--quick", "--rounds=1", "--seed=1", "--only", row, "--output", tmp_path)
    done = interpreter("-m", "benchmarks.dispatch", *options, cwd=root)
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "results.jsonl").read_text(encoding="utf-8").splitlines()
    readings = [json.loads(line) for line in lines]
    assert readings
    assert all(reading["absent"] or reading["value"] is not None for reading in readings)
    report = (tmp_path / "REPORT.md").read_text(encoding="utf-8")
    environment = (tmp_path / "environment.json").read_text(encoding="utf-8")
    assert json.loads(environment)["seed"] == 1
    assert not any(str(root) in text for text in (report, environment, *lines))


def test_rounds_must_be_positive(root):
    """A number of rounds that cannot work is refused at once."""
    done = interpreter("-m", "benchmarks.dispatch", "--rounds=0", cwd=root)
    assert done.returncode == 2
    assert "must be 1 or more, not 0" in done.stderr
