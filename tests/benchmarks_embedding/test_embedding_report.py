"""The report of the embedding benchmark: from its files alone, and honest about what is missing."""

from __future__ import annotations

import json

import pytest
from benchmarks._interval import interval
from benchmarks.embedding._calls import nothing
from benchmarks.embedding._figures import awaited, renew_offload
from benchmarks.embedding._labelled import LABELS, is_right, sleeps
from benchmarks.embedding._report import TARGETS, write_report

from concurrent_choices import offload


@pytest.fixture
def folder(tmp_path):
    """What a run left in which one part failed."""
    environment = {"quick": False, "failures": {"advice": "not done after 45 s"}, "packages": {"attrs": "1"}}
    (tmp_path / "environment.json").write_text(json.dumps(environment))
    return tmp_path


def lines(*numbers):
    """Numbers as the run writes them."""
    return "".join(json.dumps(number) + "\n" for number in numbers)


def test_ratios_are_taken_round_by_round(folder):
    """A figure that compares two is the median of the rounds' ratios, not the ratio of medians."""
    row = "mixed load, calls a second"
    rates = [(100, 100), (10, 8), (50, 100)]
    numbers = [
        [row, name, turn, rate]
        for turn, pair in enumerate(rates)
        for name, rate in zip(("AdaptiveExecutor", "hand-tuned pair"), pair, strict=True)
    ]
    (folder / "results.jsonl").write_text(lines(*numbers))
    text = write_report(folder).read_text()
    row = "| mixed load, throughput over a hand-tuned pair of pools | ≥ 0.95 | 1 | 0.5 to 1.25 |"
    assert f"{row} reached, within the noise |" in text
    assert f"1 of {len(TARGETS)} reached" in text


def test_what_is_missing_is_said(folder):
    """What was not measured is not called missed or reached, and a part that failed is named."""
    (folder / "results.jsonl").write_text(lines(["requests that failed", "with the advisor", 0, 0.0]))
    text = write_report(folder).read_text()
    assert "| endpoints of ten with right advice and line | = 10 |  |  | not measured |" in text
    assert "| requests that failed | = 0 | 0 |  | reached |" in text
    assert "- advice: not done after 45 s" in text


def test_one_failed_request_is_a_miss(folder):
    """Of counts the worst round counts, and the numbers of a round are added up."""
    row = "requests that failed"
    (folder / "results.jsonl").write_text(
        lines(*([row, "with the advisor", turn, turn] for turn in (0, 1, 1)))
    )
    assert "| requests that failed | = 0 | 2 |  | MISSED |" in write_report(folder).read_text()


@pytest.mark.parametrize(
    ("rounds", "ends"), [(1, (0, 0)), (5, (0, 4)), (7, (0, 6)), (10, (1, 8)), (21, (5, 15))]
)
def test_the_median_lies_between_two_of_the_numbers(rounds, ends):
    """As tables of the binomial distribution have it: of 21, between the sixth and the sixteenth."""
    assert interval(range(rounds)) == ends


def test_labels_know_their_lines():
    """The right finding on the wrong line is wrong."""
    file, line = sleeps.__code__.co_filename, sleeps.__code__.co_firstlineno
    assert len(LABELS) == 10
    assert is_right(LABELS["/sleeps"], "blocks the loop", f"{file}:{line + 2}")
    assert not is_right(LABELS["/sleeps"], "blocks the loop", f"{file}:{line + 1}")
    assert not is_right(LABELS["/sleeps"], "fine", "")
    assert is_right(LABELS["/tiny"], "fine", "")


def test_offload_begins_anew():
    """Each round has threads and processes of its own."""
    renew_offload()
    assert awaited(offload, nothing, 2) > 0
    renew_offload()
    assert awaited(offload, nothing, 2) > 0
