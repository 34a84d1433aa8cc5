"""The table of issue 4: what is to be reached, and what was seen."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence

import attrs

from benchmarks.oracle._figures import geometric_mean, quantile
from benchmarks.oracle._report import share
from benchmarks.regret._contestants import RULES
from benchmarks.regret._figures import Case, standings
from benchmarks.regret._run import AUTO, CHANGING, DEATH, HAND, SINGLE, Run
from benchmarks.regret._single import LOCKED, NO_OPS, SECONDS, TWO_HUNDRED

__all__ = ["Row", "classes", "excess", "rows"]

SHORT, MIDDLE, FULL = 0.005, 0.05, 0.5
"""Seconds of jobs: to the issue, what is 0.5 s and more is one class."""


@attrs.frozen
class Row:
    """A figure, and how it stands.

    Attributes:
        figure: What is looked at.
        target: What is to be reached.
        seen: What was seen; empty where nothing was measured.
        reached: Whether it was reached; None where there is no target, or nothing was measured.
    """

    figure: str
    target: str
    seen: str
    reached: bool | None

    @property
    def verdict(self) -> str:
        """In a word."""
        if not self.seen:
            return "not measured"
        return {True: "reached", False: "**missed**", None: ""}[self.reached]


def classes(cases: Sequence[Case]) -> dict[str, list[Case]]:
    """The jobs by size, those measured of both sides."""
    measured = [case for case in cases if math.isfinite(case.regret)]
    return {
        "5 ms": [case for case in measured if case.size < MIDDLE],
        "50 ms": [case for case in measured if MIDDLE <= case.size < FULL],
        "0.5 s and more": [case for case in measured if case.size >= FULL],
    }


def excess(case: Case) -> float:
    """Seconds lost beyond the 15 ms and one round trip that a job of 50 ms may lose."""
    return case.lost - 0.015 - case.round_trip


def rows(cases: Sequence[Case], runs: Sequence[Run]) -> Iterator[Row]:
    """Every figure of the table, in its order."""
    sized = classes(cases)
    yield from _regret("0.5 s and more", sized["0.5 s and more"], 1.05)
    yield from _spread(sized["0.5 s and more"])
    yield from _regret("50 ms", sized["50 ms"], 1.15)
    yield _round_trips(sized["50 ms"])
    yield from _regret("5 ms", sized["5 ms"], None)
    yield _sequential(cases)
    yield _best_rule(sized)
    yield _at_most(TWO_HUNDRED, 0.2, runs)
    yield _at_most(SECONDS, 1.25, runs)
    yield _beside(LOCKED, 1.1, runs)
    yield _beside(NO_OPS, 1.3, runs)
    yield _changes(runs)
    yield _audit(cases, runs)


def _regret(name: str, cases: Sequence[Case], target: float | None) -> Iterator[Row]:
    if not cases:
        yield Row(f"regret, jobs of {name}: geometric mean", str(target or ""), "", None)
        return
    mean = geometric_mean([case.regret for case in cases])
    controls = [case.control for case in cases if math.isfinite(case.control)]
    perfect = f"; a perfect choice would have shown {geometric_mean(controls):.3f}" if controls else ""
    seen = f"{mean:.3f} of {len(cases)}{perfect}"
    reached = None if target is None else mean <= target
    yield Row(f"regret, jobs of {name}: geometric mean", str(target or ""), seen, reached)


def _spread(cases: Sequence[Case]) -> Iterator[Row]:
    regrets = [case.regret for case in cases]
    within = sum(regret <= 1.15 for regret in regrets)
    seen = f"{share(within, len(regrets))}; 95 % are within {quantile(regrets, 0.95):.2f}" if regrets else ""
    yield Row("the same: 95 % within", "1.15", seen, quantile(regrets, 0.95) <= 1.15)
    worst = max(cases, key=lambda case: case.regret, default=None)
    seen = f"{worst.regret:.2f} ({worst.workload}, {worst.size:g} s)" if worst else ""
    yield Row("the same: worst", "1.5", seen, worst is not None and worst.regret <= 1.5)


def _round_trips(cases: Sequence[Case]) -> Row:
    within = sum(excess(case) <= 0 for case in cases)
    worst = max(cases, key=excess, default=None)
    seen = ""
    if worst:
        seen = f"{share(within, len(cases))}; worst {worst.lost * 1e3:.0f} ms lost ({worst.workload})"
    return Row("the same: lost", "15 ms and one round trip", seen, within == len(cases))


def _sequential(cases: Sequence[Case]) -> Row:
    measured = [case for case in cases if math.isfinite(case.over_sequential)]
    within = sum(case.over_sequential <= 0.005 for case in measured)
    worst = max(measured, key=lambda case: case.over_sequential, default=None)
    seen = ""
    if worst and worst.auto is not None:
        more = worst.auto - worst.sequential
        seen = (
            f"{share(within, len(measured))}; worst {more * 1e3:+.0f} ms on {worst.sequential * 1e3:.0f} ms "
            f"({worst.workload})"
        )
    return Row("against plain sequential", "at most 3 % + 5 ms slower", seen, within == len(measured))


def _best_rule(sized: dict[str, list[Case]]) -> Row:
    told, beaten = [], True
    for name, cases in sized.items():
        ranked = sorted(
            standings(cases, RULES), key=lambda each: each.mean / each.auto if each.jobs else math.inf
        )
        if cases:
            first = ranked[0]
            told.append(f"{name}: {first.auto:.2f} against {first.mean:.2f} ({first.rule})")
            beaten = beaten and all(each.beaten for each in ranked if each.jobs)
    return Row("best single rule", "beaten in every size", "; ".join(told), beaten)


def _taken(name: str, kind: str, runs: Sequence[Run]) -> list[float]:
    """What the rounds of one side of a job named in the issue took."""
    named = [each for each in runs if each.kind == SINGLE and each.workload == name]
    return [each.seconds for each in named if each.name == kind and each.seconds is not None]


def _at_most(name: str, target: float, runs: Sequence[Run]) -> Row:
    taken = _taken(name, AUTO, runs)
    median = statistics.median(taken) if taken else math.nan
    seen = f"{median:.3f} s, median of {len(taken)} ({min(taken):.3f} to {max(taken):.3f})" if taken else ""
    return Row(name, f"{target} s", seen, median <= target)


def _beside(name: str, target: float, runs: Sequence[Run]) -> Row:
    auto, hand = _taken(name, AUTO, runs), _taken(name, HAND, runs)
    if not (auto and hand):
        return Row(name, f"{target} times one after another", "", None)
    ours, plain = statistics.median(auto), statistics.median(hand)
    seen = f"{ours / plain:.2f} ({ours:.3f} s and {plain:.3f} s, medians of {len(auto)})"
    return Row(name, f"{target} times one after another", seen, ours / plain <= target)


def _changes(runs: Sequence[Run]) -> Row:
    changes = [each for each in runs if each.kind == CHANGING]
    wrong = [
        each.workload for each in changes if each.answer.get("different", 1) or not each.answer.get("held")
    ]
    results = sum(each.answer.get("different", 0) for each in changes)
    items = sum(each.items for each in changes)
    seen = f"{results:,} of {items:,}, in {len(wrong)} of {len(changes)} callables" if changes else ""
    seen += f": {'; '.join(wrong)}" if wrong else ""
    return Row("results that differ where callables change what they hold", "none", seen, not wrong)


def _audit(cases: Sequence[Case], runs: Sequence[Run]) -> Row:
    audits = [case.audit for case in cases if case.audit]
    items = sum(audit["items"] for audit in audits)
    other = sum(audit["items"] - audit["once"] for audit in audits)
    deaths = [each for each in runs if each.kind == DEATH]
    once_only = [each for each in deaths if each.name == "idempotent=False"]
    odd = sum(_unaccounted(each) for each in deaths)
    seen = f"{other:,} of {items:,} in {len(audits)} runs" if audits else ""
    if deaths:
        lost = sum(each.answer.get("lost", 0) for each in once_only)
        killed = sum(each.answer.get("deaths", 0) for each in deaths)
        seen += f"; {odd} beside {killed} killed workers ({lost} items reported lost)"
    return Row(
        "items called other than once, killed workers too", "none", seen.removeprefix("; "), not other + odd
    )


def _unaccounted(each: Run) -> int:
    """Items of a run with killed workers that were called wrongly, or of which the results are wrong.

    With `idempotent=True` those that a dead worker had may be called again; then none may be lost.
    """
    answer = each.answer
    if "results" not in answer:
        return each.items
    again = answer["lost"] if each.name == "idempotent=True" else answer["twice"]
    return int(answer["never"] + answer["wrong"] + again + abs(answer["items"] - answer["results"]))
