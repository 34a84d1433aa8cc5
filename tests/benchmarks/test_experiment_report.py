"""The command and the pages it writes, from one small experiment and from the figures that are committed."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from benchmarks.experiments import part_waiting
from benchmarks.experiments._catalogue import EXPERIMENTS
from benchmarks.experiments._figures import Figures, Reading, spell
from benchmarks.experiments._load import load
from benchmarks.experiments._model import Size
from benchmarks.experiments._pages import write_pages
from benchmarks.experiments._plots import Bar, Panel, chart
from benchmarks.experiments._record import Record
from benchmarks.experiments._runner import Manner, run_experiment

from interpreters import interpreter


def say(root, *words):
    """Run the command."""
    return interpreter("-m", "benchmarks.experiments", *words, cwd=root)


@pytest.fixture
def committed(root):
    """The figures of the repository."""
    return Record(root / "benchmarks" / "results" / "experiments")


def test_one_experiment_makes_a_page(root, tmp_path):
    """The figures, the page, the plot and the conclusions are written, and no path leaks into them."""
    folders = ("--output", str(tmp_path / "docs"), "--results", str(tmp_path / "figures"))
    done = say(root, "--quick", "--only", "1", "--seed", "1", *folders)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "docs" / "experiments.md").read_text()
    assert "## 1. Three sleeps" in page
    assert "**Today: " in page
    texts = [path.read_text() for path in tmp_path.rglob("*.*") if path.is_file()]
    assert len(texts) == 5
    assert not any(str(root) in text for text in texts)


def test_running_one_again_leaves_the_others(tmp_path):
    """A record replaces the figures of the experiment that was run, and keeps the rest on disk too."""
    record = Record(tmp_path)
    for number, value in ((1, 1.0), (2, 2.0), (1, 3.0)):
        reading = Reading(experiment=number, task="t", way="w", value=value)
        record.replace(number, [reading], {"size": "quick"})
    again = Record(tmp_path)
    assert again.figures(1)("t", "w") == 3.0
    assert again.figures(2)("t", "w") == 2.0
    assert list(again.runs) == ["1", "2"]


def test_a_number_that_is_none_is_refused(root):
    """The message says which numbers there are."""
    done = say(root, "--only", "15")
    assert done.returncode == 2
    assert "must be numbers from 1 to 14" in done.stderr


def test_the_pages_are_what_the_figures_say(root, tmp_path, committed):
    """Writing the pages again from the committed figures changes nothing in the committed pages."""
    for written in write_pages(committed, tmp_path):
        path = root / "docs" / written.relative_to(tmp_path)
        assert path.read_text() == written.read_text(), path.name


def test_all_fourteen_have_a_figure_and_a_verdict(root, committed):
    """No row of the committed page is empty."""
    page = (root / "docs" / "experiments.md").read_text()
    for experiment in EXPERIMENTS:
        figures = committed.figures(experiment.number)
        assert any(reading.value is not None for reading in figures.readings)
        assert f"## {experiment.number}. {experiment.title}" in page
    assert page.count("**Today: ") == len(EXPERIMENTS)


def test_a_lower_bound_is_called_one(root, committed):
    """Where no call came back within the budget, the page says "at least", as the verdict itself does."""
    page = (root / "docs" / "experiments.md").read_text()
    advice = [each for one in EXPERIMENTS for each in committed.advice(one.number).values()]
    assert page.count("predicted at least ") == sum(each.at_least for each in advice) > 0


def test_a_plot_can_be_read_in_both_colour_schemes():
    """A plot is well-formed, says what it is, and brings colours for dark pages."""
    text = chart(
        "a < b", [Panel("panel", "note", [Bar("x & y", 1.0, "1 s", "ours"), Bar("none", 0.0, "0 s", "auto")])]
    )
    tree = ET.fromstring(text)
    assert tree[0].text == "a < b"
    assert "prefers-color-scheme: dark" in text
    assert "x &amp; y" in text


def test_what_is_compared_is_measured_again():
    """The published ways and `auto`; the other strategies only fill the tables."""
    figures, _ = run_experiment(EXPERIMENTS[0], Size.QUICK, Manner(again=2, budget=0.1))
    counts = {each.strategy: len(figures.of(each.task, each.way, each.strategy)) for each in figures.readings}
    assert (counts[""], counts["auto"], counts["thread"]) == (3, 3, 1)


def test_figures_are_medians():
    """The median of the rounds counts; a name that was not measured is a KeyError."""
    figures = Figures(
        Reading(experiment=1, task="t", way="w", value=value, round=number)
        for number, value in enumerate((3.0, 1.0, 2.0))
    )
    assert figures("t", "w") == 2.0
    assert figures.range("t", "w") == (1.0, 3.0)
    with pytest.raises(KeyError):
        figures("t", "other")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.2, "s", "200 ms"),
        (1.5, "s", "1.50 s"),
        (0, "s", "0.00 ns"),
        (4579.4, "requests/s", "4,579 requests/s"),
    ],
)
def test_figures_are_spelled_with_three_digits(value, unit, text):
    """Seconds get a unit that suits them, everything else keeps its own."""
    assert spell(value, unit) == text


def test_a_server_that_answers_nobody_is_judged_too():
    """One that is swamped for the second of a quick run has served no request in time."""
    ways = ((part_waiting.PART, 250.0), (part_waiting.ALL, 0.0))
    figures = Figures(Reading(experiment=11, task="t", way=way, value=value) for way, value in ways)
    assert part_waiting.judge(figures).word == "holds"


def test_load_stays_on_this_machine():
    """The load generator is never pointed anywhere else."""
    with pytest.raises(ValueError, match=r"127\.0\.0\.1 only"):
        load("http://192.0.2.1/", 1, 1)
