"""The progress display under `auto`."""

import io
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from concurrent_choices import AutoStrategy, run, run_report
from concurrent_choices._progress import Display


def test_the_display_says_who_works_now(capfd):
    """The callable, the strategy, and the lanes there are at the end."""
    run(time.sleep, [0.02] * 60, strategy=AutoStrategy(max_workers=7), progress=True)
    shown = " ".join(capfd.readouterr().err.split())
    doing = run_report().doing  # seven threads, unless the machine is busy
    assert doing.startswith("thread ×")
    assert f"sleep · auto: {doing} ━" in shown
    assert "60/60" in shown


def test_a_strategy_by_name_is_shown_by_its_name(capfd):
    """It does not change, so there is nothing more to say."""
    run(time.sleep, [0.01] * 5, strategy="thread", progress=True)
    assert "sleep · thread" in " ".join(capfd.readouterr().err.split())


def test_who_works_is_shown_before_the_first_item_is_done(capfd):
    """It may take minutes, and the lanes are there in a moment."""
    report = SimpleNamespace(doing="this thread")
    job = SimpleNamespace(name="sleep", report=report, source=SimpleNamespace(length=3))
    with Display(job, "auto"):
        report.doing = "thread ×7"
    assert "sleep · auto: thread ×7" in " ".join(capfd.readouterr().err.split())


@pytest.mark.parametrize("name", ["sequential", "thread", "auto"])
def test_results_outlive_whoever_watched(monkeypatch, name):
    """A terminal that was closed, a pipe that nobody reads: the work is done all the same."""
    reader, writer = os.pipe()
    os.close(reader)
    with suppress(BrokenPipeError), os.fdopen(writer, "w", encoding="utf-8") as watched:
        monkeypatch.setattr(sys, "stderr", watched)
        results = run(abs, range(5), strategy=name, progress=True)
    assert results == [*range(5)]


def test_a_display_where_standard_error_is_closed(monkeypatch):
    """As in a service: there is nothing to show it on."""
    with Path(os.devnull).open("w", encoding="utf-8") as watched:
        monkeypatch.setattr(sys, "stderr", watched)
    assert run(abs, range(5), progress=True) == [*range(5)]


class Refusing(io.StringIO):
    """As a logger's or a GUI's stand-in for standard error."""

    def write(self, text):
        raise RuntimeError("nothing more")

    def flush(self):
        raise RuntimeError("nothing more")


def test_a_stream_that_raises_costs_no_result(monkeypatch):
    """Whatever it raises."""
    monkeypatch.setattr(sys, "stderr", Refusing())
    assert run(abs, range(5), progress=True) == [*range(5)]
