"""The figures that have to be reached, what was measured of them, and whether that is enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from statistics import median, median_low

import attrs

from benchmarks._interval import interval
from benchmarks.oracle._figures import Case, Choice, Forecast, geometric_mean, quantile
from benchmarks.oracle._grid import forks_the_caller
from benchmarks.oracle._measurement import OURS

__all__ = ["LOST", "Target", "share", "targets"]

LOST = 1.1
"""A choice that takes more than this many times the best is lost, and named."""


LOOKING = 1.03
"""Times as long that calls may take under the witness and the stopwatch."""


@attrs.frozen
class Target:
    """One line of the table.

    Attributes:
        figure: What it is about.
        goal: What it has to be.
        measured: What it is.
        reached: Whether that is enough; None where nothing was asked or nothing measured.
        sure: Whether it would be so at either end of where the figure lies with 95 % confidence.
    """

    figure: str
    goal: str
    measured: str
    reached: bool | None = None
    sure: bool = True

    @property
    def mark(self) -> str:
        """In a word."""
        word = {True: "reached", False: "**missed**", None: ""}[self.reached]
        return word if self.sure else f"{word}, within the noise"


def targets(cases: Sequence[Case]) -> Iterator[Target]:
    """The table of targets, line by line."""
    yield from _words(cases)
    yield from _choices(cases)
    yield from _predictions(cases)
    yield _cost(cases)
    yield _calls(cases)
    yield _results(cases)
    yield _looking(cases)


def _words(cases: Sequence[Case]) -> Iterator[Target]:
    alone = [case.choices for case in cases]
    yield _right("`bound` and `diagnosis` against the labels, every verdict on a workload", alone)
    yield _right("the same beside a busy neighbour", [case.neighbours for case in cases])


def _right(figure: str, verdicts: Sequence[Sequence[Choice]]) -> Target:
    judged = [each for each in verdicts if each]
    right = sum(choice.right for each in judged for choice in each)
    always = sum(all(choice.right for choice in each) for each in judged)
    every = sum(map(len, judged))
    in_a_row = max(map(len, judged), default=0)
    measured = f"{share(right, every)}; {always} of {len(judged)} workloads {in_a_row} times in a row"
    reached = always == len(judged) if judged else None
    return Target(figure, "all right", measured if judged else "nothing measured", reached)


def _choices(cases: Sequence[Case]) -> Iterator[Target]:
    middles, ratios = _over(cases, lambda *_: True)
    wholes = [choice.whole for case in cases for choice in case.choices if choice.whole is not None]
    near = sum(ratio <= LOST for ratio in middles)
    mean, worst = geometric_mean(ratios), max(ratios, default=float("nan"))
    yield Target(
        "chosen strategy within 10 % of the oracle, by workload",
        "90 %",
        share(near, len(middles)),
        near >= 0.9 * len(middles) if middles else None,
    )
    yield Target("its geometric mean", "1.05", f"{mean:.3f}", mean <= 1.05 if ratios else None)
    yield Target("its worst", "1.5", f"{worst:.2f}", worst <= 1.5 if ratios else None)
    yield from _against("those three against the best that forks no caller", cases, _forks_nobody)
    yield from _against("those three against the best of our own strategies", cases, _is_ours)
    yield from _once_more([case.once_more for case in cases if case.once_more is not None])
    together = f"{geometric_mean(wholes):.3f}"
    yield Target("`recommend` and `.run()` together, geometric mean", "", together)


def _against(figure: str, cases: Sequence[Case], among: Callable[[str, str], bool]) -> Iterator[Target]:
    """The choices against the best of some; nothing is to be reached by it."""
    middles, ratios = _over(cases, among)
    if ratios:
        near = share(sum(ratio <= LOST for ratio in middles), len(middles))
        yield Target(figure, "", f"{near}; {geometric_mean(ratios):.3f}; {max(ratios):.2f}")


def _over(cases: Sequence[Case], among: Callable[[str, str], bool]) -> tuple[list[float], list[float]]:
    """The middle verdict of each workload over the best of some, and every verdict."""
    each = [ratios for case in cases if (ratios := case.against(among))]
    return [*map(median_low, each)], [*chain(*each)]


def _forks_nobody(kind: str, name: str) -> bool:
    return kind == OURS or not forks_the_caller(name)


def _is_ours(kind: str, _: str) -> bool:
    return kind == OURS


def _once_more(ratios: Sequence[float]) -> Iterator[Target]:
    """What a perfect choice would have shown, on the same machine at the same hour."""
    if ratios:
        near, mean = sum(each <= LOST for each in ratios), geometric_mean(ratios)
        measured = f"{share(near, len(ratios))}; {mean:.3f}; {max(ratios):.2f}"
        yield Target("those three of the oracle itself, run once more", "", measured)


def _predictions(cases: Sequence[Case]) -> Iterator[Target]:
    off = [abs(each.ratio - 1.0) for case in cases for each in case.forecasts]
    middle, most = quantile(off, 0.5), quantile(off, 0.95)
    near = sum(each <= 0.25 for each in off)
    known = bool(off)
    yield Target(
        "predicted against measured, median off by",
        "10 %",
        f"{middle:.1%} of {len(off)}",
        middle <= 0.1 if known else None,
    )
    yield Target(
        "predicted against measured, 95 % off by at most",
        "25 %",
        f"{most:.1%}; within 25 %: {share(near, len(off))}",
        most <= 0.25 if known else None,
    )
    yield from _repeated([abs(each - 1.0) for case in cases for each in case.repeats])
    yield from _error_bars([each for case in cases for each in case.forecasts])


def _repeated(off: Sequence[float]) -> Iterator[Target]:
    """What a prediction would have shown that was right some rounds ago: the same run on the same machine."""
    if off:
        near = share(sum(each <= 0.25 for each in off), len(off))
        measured = f"{quantile(off, 0.5):.1%}; {quantile(off, 0.95):.1%}; within 25 %: {near}"
        yield Target("those two of the same run in a later round against the first", "", measured)


def _error_bars(forecasts: Sequence[Forecast]) -> Iterator[Target]:
    """How many predictions were as sure as they said: 68 and 95 % of normal errors would be."""
    off = [abs(each.measured - each.predicted) / each.error for each in forecasts if each.error]
    if off:
        one, two = (share(sum(each <= errors for each in off), len(off)) for errors in (1, 2))
        yield Target("those within one standard error of theirs, and within two", "", f"{one}; {two}")


def _cost(cases: Sequence[Case]) -> Target:
    over = [choice.cost / case.allowed for case in cases for choice in case.choices]
    within = sum(each <= 1.0 for each in over)
    measured = f"{share(within, len(over))} within; worst {max(over, default=0.0):.2f} times that"
    return Target("cost of `recommend`", "0.25 s or 5 %", measured, within == len(over) if over else None)


def _calls(cases: Sequence[Case]) -> Target:
    audits = [case.audit for case in cases if case.audit and "items" in case.audit]
    items = sum(audit["items"] for audit in audits)
    once = sum(audit["once"] for audit in audits)
    whole = sum(audit["results"] == audit["items"] for audit in audits)
    measured = f"{once:,} of {items:,} items once; {whole} of {len(audits)} lists complete"
    reached = once == items and whole == len(audits) if audits else None
    return Target("calls of `fn` per item", "exactly one", measured, reached)


def _results(cases: Sequence[Case]) -> Target:
    wrong = [f"{case.workload} ({', '.join(case.disagreeing)})" for case in cases if case.disagreeing]
    return Target(
        "results the same everywhere", "all", f"not: {'; '.join(wrong)}" if wrong else "all", not wrong
    )


def _looking(cases: Sequence[Case]) -> Target:
    watched = {case.workload: median(case.watched) for case in cases if case.watched}
    if not watched:
        return Target("witness and timers running", "at most +3 %", "nothing measured")
    worst = max(cases, key=lambda case: watched.get(case.workload, 0.0))
    most = watched[worst.workload]
    least, highest = interval(worst.watched)
    measured = (
        f"median {median(watched.values()) - 1.0:+.1%}, worst {most - 1.0:+.1%} ({worst.workload}; "
        f"with 95 % confidence {least - 1.0:+.1%} to {highest - 1.0:+.1%})"
    )
    sure = (least <= LOOKING) == (highest <= LOOKING)
    return Target("witness and timers running", "at most +3 %", measured, most <= LOOKING, sure)


def share(part: int, whole: int) -> str:
    """A part of a whole, in per cent and in numbers."""
    return f"{part / whole:.0%} ({part} of {whole})" if whole else "nothing measured"
