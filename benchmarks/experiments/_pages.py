"""docs/experiments.md, its plots, and docs/conclusions.md: made from the record and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks._results import heads, row

from ._catalogue import EXPERIMENTS
from ._conclusions import conclusions
from ._figures import Figures, Reading, digits, spell
from ._library import STRATEGIES, Advice
from ._model import Experiment, Verdict
from ._plots import Bar, Panel, chart
from ._record import Record

__all__ = ["write_pages"]

MADE = "<!-- Written by `python -m benchmarks.experiments`; changes made here are lost. -->"
INTRODUCTION = """\
This project began with published experiments about concurrency in Python. This page repeats each of them
with real components: HTTP servers in separate processes, SQLite files, files on disk and in memory, a
load generator. Each section says what was reported then, what is measured today, and whether the claim
holds; then it shows the same work under every strategy of this library, and what `recommend` says of it.
[Conclusions](conclusions.md) summarizes them.

The figures in the tables are medians over several rounds, run in shuffled order; for the published ways
the smallest and largest figures are given as well. Verdicts on work that computes, and what the library
had to reach, compare the fastest rounds, because neighbours can only slow a round down. For these
comparisons the published ways and `auto` run three times as many additional rounds if they take less than
a second. Where a section says so, sizes are scaled to two cores and a few seconds per case.

`make experiments` measures again; `python -m benchmarks.experiments --full` uses the sizes that were
reported. `make test` runs every experiment once in a quick form, and checks its results and their
direction. The load generator is wrk (Debian's package `wrk`)."""
LIMITS = """\
- There is one machine with two virtual cores, which servers, load generator and client share. The
  original reports had more cores.
- Other work may have shared the machine; the load averages above say how much. Differences of a few
  percent mean nothing.
- A strategy finds its worker processes warm if an earlier run used them within the last two seconds; the
  published process pools are started for each run, as in the original reports.
- The reported figures came from other machines and other versions of Python: only ratios can be compared,
  never seconds."""


def write_pages(record: Record, folder: Path) -> list[Path]:
    """Write the pages and plots of everything that was measured.

    Args:
        record: What was measured.
        folder: The site's; plots go into `plots` below it.

    Returns:
        What was written.
    """
    measured = [each for each in EXPERIMENTS if str(each.number) in record.runs]
    (folder / "plots").mkdir(parents=True, exist_ok=True)
    texts = {folder / f"plots/experiment-{each.number:02}.svg": _plot(each, record) for each in measured}
    texts[folder / "experiments.md"] = "\n".join(_experiments(measured, record)) + "\n"
    texts[folder / "conclusions.md"] = "\n".join([MADE, *conclusions(measured, record)]) + "\n"
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return list(texts)


def _experiments(measured: list[Experiment], record: Record) -> Iterator[str]:
    yield from (MADE, "# Experiments", "", INTRODUCTION, "")
    verdicts = {each.number: _judged(each, record.figures(each.number)) for each in measured}
    yield from ("## Then and now", "", *heads("", "experiment", "reported then", "today"))
    for each in measured:
        link = f"[{each.title}](#experiment-{each.number})"
        verdict = verdicts[each.number]
        yield row(str(each.number), link, each.claim, f"**{verdict.word}**: {_first(verdict.text)}")
    yield from ("", *_goals(measured, record), *_environment(record))
    for each in measured:
        yield from _section(each, verdicts[each.number], record)
    yield from ("## Limits of the measurement", "", LIMITS)


def _first(text: str) -> str:
    """The figures that a verdict opens with, without the reason."""
    sentence = text.split(". ", maxsplit=1)[0]
    head = sentence.split(": ")[0]
    return (head if any(each.isdigit() for each in head) else sentence).removesuffix(".")


def _judged(experiment: Experiment, figures: Figures) -> Verdict:
    try:
        return experiment.judge(figures)
    except KeyError as missing:
        why = "; ".join(figures.missing()) or f"no figure for {missing}"
        return Verdict("not measured", f"Here it could not be measured: {why}.")


def _goals(measured: list[Experiment], record: Record) -> Iterator[str]:
    goals = [(each, goal) for each in measured for goal in each.goals(record.figures(each.number))]
    reached = sum(goal.reached for _, goal in goals)
    yield f"## What the library had to reach: {reached} of {len(goals)}"
    yield from ("", *heads("", "what", "measured", ""))
    for each, goal in goals:
        word = "reached" if goal.reached else "**not reached**"
        yield row(str(each.number), goal.text, goal.figure, word)
    yield ""


def _environment(record: Record) -> Iterator[str]:
    runs = list(record.runs.values())
    yield from ("## Measured on", "")
    for name in (
        "date",
        "python",
        "gil",
        "platform",
        "cpu",
        "usable_cpus",
        "memory",
        "size",
        "rounds",
        "commit",
    ):
        found = dict.fromkeys(str(run[name]) for run in runs)
        yield f"- {name.replace('_', ' ')}: {', '.join(found)}"
    loads = [f"{run['load_before'][0]:.1f}" for run in runs]
    yield f"- load average of the last minute when each experiment began: {', '.join(loads)}"
    versions = runs[0]["packages"].items() if runs else ()
    yield from ("- packages: " + ", ".join(f"{name} {version}" for name, version in versions), "")


def _section(experiment: Experiment, verdict: Verdict, record: Record) -> Iterator[str]:
    figures = record.figures(experiment.number)
    yield from (f"## {experiment.number}. {experiment.title} {{#experiment-{experiment.number}}}", "")
    yield from (f"**Reported then:** {experiment.claim}", "")
    yield from (f"**Today: {verdict.word}.** {verdict.text}", "")
    if experiment.scale and any("scaled" in run["size"] for run in record.runs.values()):
        yield from (f"*Sizes here:* {experiment.scale}", "")
    plot = f"plots/experiment-{experiment.number:02}.svg"
    yield from (f'![{experiment.title}: bars of the tables below]({plot}){{ width="520" }}', "")
    yield from _published(figures)
    yield from _ours(figures, record.advice(experiment.number))
    yield from _failures(figures.readings)


def _published(figures: Figures) -> Iterator[str]:
    rows = [(task, way) for task in figures.tasks() for way in figures.ways(task)]
    extras = list(
        dict.fromkeys(name for task, way in rows for r in figures.of(task, way) for name in r.extra)
    )
    yield from heads("as published", "way", "median", "smallest to largest", *extras)
    for task, way in rows:
        yield row(task, way, *_cells(figures, task, way, extras))
    yield ""


def _cells(figures: Figures, task: str, way: str, extras: list[str]) -> Iterator[str]:
    found = figures.of(task, way)
    if not found:
        yield "not measured"
        return
    unit = found[0].unit
    low, high = figures.range(task, way)
    yield spell(figures(task, way), unit)
    yield f"{spell(low, unit)} to {spell(high, unit)}"
    for name in extras:
        held = name in found[0].extra
        yield _extra(name, figures.extra(task, way, name)) if held else ""


def _extra(name: str, value: float) -> str:
    if name == "errors":
        return f"{value:.0%}"
    return f"{value:,.1f} ms" if name in {"p50", "p99"} else digits(value)


def _ours(figures: Figures, said: dict[tuple[str, str], Advice]) -> Iterator[str]:
    rows = [(task, job) for task in figures.tasks() for job in figures.jobs(task)]
    yield from heads("the library", "callable", *(f"`{name}`" for name in STRATEGIES), "`recommend` says")
    for task, job in rows:
        best = min(figures(task, job, s) for s in STRATEGIES if figures.of(task, job, s))
        cells = [_ours_cell(figures, task, job, strategy, best) for strategy in STRATEGIES]
        yield row(task, job, *cells, _said(said.get((task, job))))
    yield ""


def _ours_cell(figures: Figures, task: str, job: str, strategy: str, best: float) -> str:
    if not figures.of(task, job, strategy):
        return "failed"
    value = figures(task, job, strategy)
    return f"**{spell(value)}**" if value <= best * 1.05 else spell(value)


def _said(advice: Advice | None) -> str:
    if advice is None:
        return ""
    if advice.error:
        return f"failed: {advice.error}"
    least = "at least " if advice.at_least else ""
    predicted = "" if advice.seconds is None else f", predicted {least}{spell(advice.seconds)}"
    return f"{advice.verdict}{predicted}; {advice.bound}: {advice.diagnosis}"


def _failures(readings: Iterable[Reading]) -> Iterator[str]:
    failed = [each for each in readings if each.error]
    for each in failed:
        yield f"- **failed:** {each.task}, {each.way} {each.strategy}: {each.error}"
    absent = list(
        dict.fromkeys(f"{each.task}, {each.way}: {each.absent}" for each in readings if each.absent)
    )
    yield from (f"- not measured: {each}" for each in absent)
    yield from [""] * bool(failed or absent)


def _plot(experiment: Experiment, record: Record) -> str:
    figures = record.figures(experiment.number)
    tasks = figures.tasks()
    panels = [_ways_panel(figures, tasks[experiment.ways_at], experiment.ways)]
    panels += [_job_panel(figures, tasks[experiment.jobs_at], job) for job in experiment.jobs]
    return chart(f"{experiment.title}: published ways and strategies", [each for each in panels if each.bars])


def _ways_panel(figures: Figures, task: str, ways: Iterable[str]) -> Panel:
    found = {way: figures.of(task, way) for way in ways}
    bars = [
        Bar(way, figures(task, way), spell(figures(task, way), readings[0].unit), "published")
        for way, readings in found.items()
        if readings
    ]
    return Panel("As published", task, bars)


def _job_panel(figures: Figures, task: str, job: str) -> Panel:
    found = [strategy for strategy in STRATEGIES if figures.of(task, job, strategy)]
    bars = [
        Bar(name, (value := figures(task, job, name)), spell(value), "auto" if name == "auto" else "ours")
        for name in found
    ]
    return Panel(f"The library, {job}", task, bars)
