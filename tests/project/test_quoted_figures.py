"""What the documents quote of the measurements is what the committed reports say."""

from __future__ import annotations

import re

import pytest
from _tree import ROOT

RESULTS = ROOT / "benchmarks" / "results"
REACHED = re.compile(r"^\| (.+?) \| .*? \| (.+?) \| .*?\|$", re.MULTILINE)


def rows(harness: str) -> dict[str, str]:
    """What a report's first table says was measured, by figure."""
    text = (RESULTS / harness / "REPORT.md").read_text()
    found: dict[str, str] = {}
    for figure, measured in REACHED.findall(text):
        found.setdefault(figure, measured)  # "the same ..." stands below each of several
    return found


def quoted(name: str) -> str:
    """A document on one line."""
    return " ".join((ROOT / name).read_text().split())


def first(figure: str, harness: str, pattern: str) -> tuple[str, ...]:
    """The parts of what was measured that a pattern finds."""
    found = re.search(pattern, rows(harness)[figure])
    assert found is not None, rows(harness)[figure]
    return found.groups()


@pytest.mark.parametrize(
    ("figure", "pattern", "sentence"),
    [
        ("the same beside a busy neighbour", r"\((\d+ of \d+)\)", "{} beside a busy neighbour"),
        ("chosen strategy within 10 % of the oracle, by workload", r"(\d+)%", "for {} % of them."),
        ("those three of the oracle itself, run once more", r"(\d+)%", "of its own time for {} %."),
    ],
)
def test_the_readme_quotes_the_oracle(figure, pattern, sentence):
    """How good `recommend` was, in the words of the first page."""
    assert sentence.format(*first(figure, "oracle", pattern)) in quoted("README.md")


def test_the_page_on_choosing_quotes_the_oracle():
    """How far off its predictions were."""
    (middle,) = first("predicted against measured, median off by", "oracle", r"^([\d.]+)%")
    (within,) = first("predicted against measured, 95 % off by at most", "oracle", r"within 25 %: (\d+)%")
    sentence = f"off by {float(middle):.0f} % in the middle of the field, and by more than 25 % in "
    assert sentence + f"{100 - int(within)} of 100 cases" in quoted("docs/choosing.md")


def test_the_page_on_the_cost_model_quotes_the_oracle():
    """How far its standard errors can be trusted."""
    shares = first(
        "those within one standard error of theirs, and within two", "oracle", r"^(\d+)%.*; (\d+)%"
    )
    sentence = (
        "{} % of the measurements came within one standard error of their prediction, and {} % within two"
    )
    assert sentence.format(*shares) in quoted("docs/cost-model.md")


def test_the_readme_quotes_the_regret():
    """How good `auto` was, by size of job, and the best of the simple rules."""
    sizes = ("0.5 s and more", "50 ms", "5 ms")
    ours = [first(f"regret, jobs of {size}: geometric mean", "regret", r"^([\d.]+)")[0] for size in sizes]
    rule = [
        first("best single rule", "regret", rf"(?:^|; ){size}: \S+ against ([\d.]+)")[0] for size in sizes
    ]
    long, middling, short = (f"{float(each):.2f}" for each in ours)
    text = quoted("README.md")
    assert (
        f"{long} times as long for jobs of half a second or more, {middling} for 50 ms, {short} for 5 ms"
        in text
    )
    assert "rule of thumb took {}, {} and {} times.".format(*rule) in text
