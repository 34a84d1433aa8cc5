"""The targets name rows and contestants that exist, and the report holds them all."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest
from benchmarks._environment import describe, without_paths
from benchmarks.dispatch._case import Measurement, Size
from benchmarks.dispatch._groups import all_groups, all_rows, matching
from benchmarks.dispatch._report import write_report
from benchmarks.dispatch._statistics import summarize
from benchmarks.dispatch._targets import TARGETS, judge

QUICK = Size(quick=True)


def made_up(value=1.0):
    """Three readings of every contestant of every row, all alike."""
    extra = {"heavy_modules": 0}
    return [
        Measurement(row.name, c.name, number, 0, c.count, row.unit, 0.0, value, extra)
        for row in all_rows(QUICK).values()
        for c in row.contestants
        for number in (1, 2, 3)
    ]


def written(folder, measurements):
    """The report on these measurements."""
    environment = describe() | {"quick": True, "seed": 1}
    (folder / "environment.json").write_text(json.dumps(environment), encoding="utf-8")
    lines = [json.dumps(attrs.asdict(m)) for m in measurements]
    (folder / "results.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return write_report(folder).read_text(encoding="utf-8")


@pytest.mark.parametrize("quick", [True, False])
def test_every_target_can_be_computed(quick):
    """No target names a row or a contestant that is not there, whatever the size."""
    rows = all_rows(Size(quick)).values()
    readings = [
        Measurement(row.name, c.name, 1, 0, c.count, row.unit, 0.0, 1.0, {"heavy_modules": 0})
        for row in rows
        for c in row.contestants
    ]
    assert [v.target for v in judge(summarize(readings)) if v.figure is None] == []


def test_row_names_are_unique_and_contestants_too():
    """Medians are kept by name, so names must not repeat; every row has one of ours."""
    names = [row.name for group in all_groups(QUICK) for row in group.rows]
    assert len(names) == len(set(names))
    for row in all_rows(QUICK).values():
        contestants = [contestant.name for contestant in row.contestants]
        assert len(contestants) == len(set(contestants))
        assert any(contestant.ours for contestant in row.contestants)
        assert all(row.ours_for(contestant).ours for contestant in row.contestants)


def test_medians_are_medians():
    """The middle value counts, per item, and extremes stand beside it."""
    readings = [
        Measurement("row", "a", number, 0, 10, "s", 0.0, value)
        for number, value in enumerate((5.0, 1.0, 2.0))
    ]
    summary = summarize(readings)("row", "a")
    assert (summary.median, summary.low, summary.high, summary.per_item) == (2.0, 1.0, 5.0, 0.2)


def test_a_contestant_that_failed_has_no_median():
    """Readings from before a failure do not count."""
    good = Measurement("row", "a", 1, 0, 10, "s", 0.0, 1.0)
    bad = attrs.evolve(good, round=2, value=None, error="OSError: gone")
    assert summarize([good, bad]).summaries == {}


def test_the_report_holds_every_row_and_verdict(tmp_path):
    """Each row has its table, each target its verdict, and limits come last."""
    report = written(tmp_path, made_up())
    for row in all_rows(QUICK).values():
        assert f"## {row.title}" in report
    assert all(target.text in report for target in TARGETS)
    assert "**NOT reached**" in report
    assert "**reached**" in report
    assert report.index("## Where we lose") < report.index("## Limits of the measurement")


def test_the_report_tells_failures_and_absences(tmp_path):
    """A failed contestant stands at the top, an absent one in its table."""
    blank = Measurement("sequential", "ours", 1, 0, 10, "s", 0.0)
    failed = attrs.evolve(blank, error="OSError: gone")
    absent = attrs.evolve(blank, contestant="list(map())", absent=["joblib"])
    report = written(tmp_path, [failed, absent])
    assert "- sequential: ours: OSError: gone" in report
    assert "| list(map()) | absent: no joblib |" in report
    assert "not measured" in report


def test_no_path_of_this_machine_is_written():
    """Messages lose the folders they name."""
    here, home = Path(__file__).resolve().parents[2], Path.home()
    assert without_paths(f"no {here}/src in {home}/x") == "no ./src in ~/x"
    assert str(here) not in json.dumps(describe())


def test_a_pattern_that_fits_nothing_lists_what_there_is():
    """The error names every row."""
    assert [g.name for g in matching(all_groups(QUICK), "yield*trio")] == ["coroutines"]
    with pytest.raises(ValueError, match=r"'nonsense' fits no row.*memory/memory"):
        matching(all_groups(QUICK), "nonsense")
