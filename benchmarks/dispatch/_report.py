"""REPORT.md, made from environment.json and results.jsonl and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks._environment import listed
from benchmarks._results import QUICK, heads, load, written
from benchmarks._results import row as line
from benchmarks.dispatch._case import Contestant, Measurement, Row, Size
from benchmarks.dispatch._groups import all_rows
from benchmarks.dispatch._limits import INTRODUCTION, LIMITS, LOSSES
from benchmarks.dispatch._statistics import Medians, Summary, summarize
from benchmarks.dispatch._targets import Verdict, judge

__all__ = ["write_report"]

COMPARED = ("per item", "÷ ours")
"""Columns of times only: growth of memory is not shared out among the items."""
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def write_report(folder: Path) -> Path:
    """Write REPORT.md into the folder of a run, from its files alone."""
    return written(folder, _report(*load(folder, Measurement)))


def _report(environment: dict[str, Any], measurements: list[Measurement]) -> Iterable[str]:
    medians = summarize(measurements)
    seen = {m.row for m in measurements}
    rows = [row for row in all_rows(Size(environment["quick"])).values() if row.name in seen]
    verdicts = [verdict for verdict in judge(medians) if verdict.target.row in seen]
    yield from ("# What each strategy costs per item", "", INTRODUCTION, "")
    if environment["quick"]:
        yield from (QUICK, "")
    yield from (*listed(environment), "")
    yield from _failures(measurements)
    yield from _summary(verdicts)
    for row in rows:
        yield from _row(row, medians, measurements)
        yield from _targets(row, verdicts)
    yield from _losses(rows, medians, verdicts)
    yield from ("## Limits of the measurement", "", LIMITS)


def _failures(measurements: list[Measurement]) -> Iterable[str]:
    failed = [m for m in measurements if m.error]
    if failed:
        yield from ("## FAILED", "")
        yield from (f"- {m.row}: {m.contestant}: {m.error}" for m in failed)
        yield ""


def _summary(verdicts: list[Verdict]) -> Iterable[str]:
    reached = sum(verdict.word == "reached" for verdict in verdicts)
    yield from (f"## Targets: {reached} of {len(verdicts)} reached", "")
    yield from heads("row", "figure", "measured", "to reach", "")
    for verdict in verdicts:
        target = verdict.target
        figure, bound = _number(verdict.figure), f"{target.sign} {target.bound:g}"
        yield line(target.row, target.text, figure, bound, verdict.word)
    yield ""


def _row(row: Row, medians: Medians, measurements: list[Measurement]) -> Iterable[str]:
    summaries = {name: summary for (r, name), summary in medians.summaries.items() if r == row.name}
    extras = sorted({extra for summary in summaries.values() for extra in summary.extra})
    columns = ["contestant", "items", "median", "min", "max", *COMPARED * (row.unit == "s")]
    yield from (f"## {row.title}", "", *heads(*columns, *(each.replace("_", " ") for each in extras)))
    for contestant in row.contestants:
        if summary := summaries.get(contestant.name):
            cells = _cells(row, contestant, summary, summaries)
            yield line(*cells, *(_number(summary.extra.get(extra)) for extra in extras))
        else:
            yield line(contestant.name, _why(row, contestant, measurements))
    yield ""


def _cells(row: Row, contestant: Contestant, summary: Summary, summaries: dict[str, Summary]) -> list[str]:
    cells = [
        f"**{contestant.name}**" if contestant.ours else contestant.name,
        f"{summary.items:,}",
        *(_quantity(value, row.unit) for value in (summary.median, summary.low, summary.high)),
    ]
    if row.unit != "s":
        return cells
    ours = summaries.get(row.ours_for(contestant).name)
    ratio = summary.per_item / ours.per_item if ours else None
    return [*cells, _quantity(summary.per_item, row.unit), _number(ratio)]


def _why(row: Row, contestant: Contestant, measurements: list[Measurement]) -> str:
    for m in measurements:
        if (m.row, m.contestant) == (row.name, contestant.name):
            return f"absent: no {', '.join(m.absent)}" if m.absent else "FAILED"
    return "not measured"


def _targets(row: Row, verdicts: list[Verdict]) -> Iterable[str]:
    for verdict in verdicts:
        target = verdict.target
        if target.row == row.name:
            goal = f"{target.text} {target.sign} {target.bound:g}"
            yield f"- {goal}: {_number(verdict.figure)}, **{verdict.word}**"
    yield ""


def _losses(rows: list[Row], medians: Medians, verdicts: list[Verdict]) -> Iterable[str]:
    yield from ("## Where we lose", "", LOSSES, "")
    missed = [verdict.target for verdict in verdicts if verdict.word == "NOT reached"]
    yield from (f"- not reached: {target.row}: {target.text}" for target in missed)
    for row in (row for row in rows if row.unit == "s"):
        faster = list(_faster(row, medians))
        if faster:
            yield f"- {row.title}: faster than ours were {', '.join(faster)}"
    yield ""


def _faster(row: Row, medians: Medians) -> Iterable[str]:
    for contestant in row.contestants:
        try:
            theirs = medians(row.name, contestant.name).per_item
            ours = medians(row.name, row.ours_for(contestant).name).per_item
        except KeyError:
            continue
        if theirs < ours and not contestant.ours:
            yield f"{contestant.name} ({_number(theirs / ours)} of our time)"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def _quantity(value: float, unit: str) -> str:
    if unit != "s":
        return f"{value:.3g} {unit}"
    size, name = next(((s, n) for s, n in UNITS if abs(value) >= s), UNITS[-1])
    return f"{value / size:.3g} {name}"
