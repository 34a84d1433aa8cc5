"""docs/conclusions.md: when each strategy wins, from the measurements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from benchmarks._results import heads
from benchmarks._results import row as line

from ._drawing import Step, drawing
from ._figures import Figures, spell
from ._library import STRATEGIES
from ._model import Experiment
from ._record import Record
from .files import GAIN

__all__ = ["conclusions"]

FIXED = tuple(name for name in STRATEGIES if name != "auto")
CLOSE = 1.05
"""Whoever is within 5 % of the fastest counts as fastest too (guessed: the spread of two equal runs here)."""

INTRODUCTION = """\
This page summarizes fourteen [experiments](experiments.md). The flow chart asks what one call does most
of the time. All figures were measured on the machine that is described with the experiments. “Times”
means: times as fast as one call after another."""

WINNING = """\
This table counts the rows of the next one. “Among the fastest” means within 5 % of the fastest strategy.
“Most gained” considers only those rows; a strategy may gain more in rows where another one gains even
more."""


@frozen
class Row:
    """One job of one experiment and how the strategies did.

    Attributes:
        number: The experiment's.
        what: The task.
        job: The callable.
        seconds: By strategy.
    """

    number: int
    what: str
    job: str
    seconds: dict[str, float]

    @property
    def fastest(self) -> list[str]:
        """The strategies within 5 % of the fastest one, fastest first."""
        best = min(self.seconds[name] for name in FIXED if name in self.seconds)
        close = [name for name in FIXED if self.seconds.get(name, 1e9) <= best * CLOSE]
        return sorted(close, key=self.seconds.__getitem__)

    def times(self, strategy: str) -> float:
        """How many times as fast as one call after another."""
        return self.seconds["sequential"] / self.seconds[strategy]


def conclusions(measured: Sequence[Experiment], record: Record) -> Iterator[str]:
    """The lines of the page."""
    rows = [row for each in measured for row in _rows(each, record.figures(each.number))]
    yield from ("# Conclusions", "", INTRODUCTION, "", "## Which one?", "")
    yield from (drawing(_steps(rows)), "")
    yield (
        "Read from top to bottom: the first question that is answered with yes decides. `auto` finds the "
        "answers while it works."
    )
    yield from ("", "## When each strategy wins", "", WINNING, "", *_winners(rows), "")
    yield from ("## Everything measured", "", *_table(rows))


def _rows(experiment: Experiment, figures: Figures) -> Iterator[Row]:
    for task in figures.tasks():
        for job in figures.jobs(task):
            seconds = {name: figures(task, job, name) for name in STRATEGIES if figures.of(task, job, name)}
            if "sequential" in seconds:
                yield Row(experiment.number, task, job, seconds)


def _steps(rows: Sequence[Row]) -> list[Step]:
    return [
        Step("All done in a few milliseconds?", "sequential", "starting costs more"),
        Step("An async def, many small awaits?", "uvloop", _best(rows, 8, "giving way ten", "uvloop")),
        Step("An async def that awaits?", "asyncio", _best(rows, 13, "aiohttp", "asyncio")),
        Step("An async def that blocks its loop?", "thread", _best(rows, 9, "blocks", "thread")),
        Step("Much computing, much waiting?", "hybrid", _best(rows, 4, "def", "hybrid")),
        Step("Waiting: network, database, sleep?", "thread", _best(rows, 13, "def, requests", "thread")),
        Step("Computing in Python code?", "process", _best(rows, 14, "def", "process")),
        Step("Computing in C that frees the GIL?", "thread", "as many as cores"),
        Step("Writing to one device?", *_device(rows)),
    ]


def _best(rows: Sequence[Row], number: int, job: str, strategy: str) -> str:
    found = [row for row in rows if row.number == number and job in row.job and strategy in row.seconds]
    if not found:
        return "not measured here"
    row = found[0]
    return f"{row.times(strategy):.1f} times (experiment {number})"


def _device(rows: Sequence[Row]) -> tuple[str, str]:
    """What to write files with, and why: threads only where the device takes several writers."""
    found = [row for row in rows if row.number == 2 and row.what.startswith("disk") and row.job == "def"]
    if not found:
        return "sequential", "not measured here"
    gain = found[0].times("thread")
    return (
        ("thread", f"{gain:.1f} times (experiment 2)") if gain > GAIN else ("sequential", "it is the limit")
    )


def _winners(rows: Sequence[Row]) -> Iterator[str]:
    yield from heads("strategy", "among the fastest in", "most gained", "for")
    for name in FIXED:
        won = [row for row in rows if name in row.fastest]
        top = max(won, key=lambda row: row.times(name), default=None)
        most = "" if top is None else f"{top.times(name):.1f} times"
        what = "" if top is None else f"{top.job}: {top.what} (experiment {top.number})"
        yield line(f"[`{name}`](strategies.md#{name})", f"{len(won)} of {len(rows)}", most, what)


def _table(rows: Sequence[Row]) -> Iterator[str]:
    yield from heads("", "what", "callable", "one after another", "fastest", "times", "`auto`")
    for row in rows:
        best = row.fastest
        alone, fastest = spell(row.seconds["sequential"]), ", ".join(f"`{name}`" for name in best)
        times = f"{row.times(best[0]):.1f}"
        yield line(str(row.number), row.what, row.job, alone, fastest, times, _auto(row))


def _auto(row: Row) -> str:
    if "auto" not in row.seconds:
        return "failed"
    ratio = row.seconds["auto"] / row.seconds[row.fastest[0]]
    return f"{spell(row.seconds['auto'])}, {ratio:.2f} of the fastest"
