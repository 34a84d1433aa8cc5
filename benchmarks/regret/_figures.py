"""From measurements to regret: arithmetic, so that it can be tested with made-up numbers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence

import attrs

from benchmarks.catalogue.all import CATALOGUE
from benchmarks.oracle._figures import disagreeing, geometric_mean
from benchmarks.oracle._grid import forks_the_caller
from benchmarks.oracle._zygote import Answer
from benchmarks.regret._contestants import RULES, alone, rules
from benchmarks.regret._run import AUDIT, AUTO, CONTROL, FORK_SERVER, HAND, NAMED, Run

__all__ = ["Case", "Standing", "cases_of", "standings"]


@attrs.frozen(kw_only=True)
class Case:
    """A job: a workload at one size, and all that was measured of it.

    Attributes:
        workload: Its name in the catalogue.
        size: The seconds it was to take one item after another.
        items: How many.
        by_hand: Medians of the hand-tuned runs.
        by_fork_server: The same of those whose processes were forks of a server instead of the caller.
        stopped: How long those were let run that never came to their end.
        auto: The median of `auto`.
        named: The median of what `auto` ended with, by its name.
        controls: The control runs: the best by hand, measured once more in each round.
        sequential: What one item after another took.
        ruled: What each simple rule took; for one that was stopped, how long it was let run.
        failed: Why hand-tuned runs, or `auto`, failed.
        audit: How often items were called.
        disagreeing: Who gave other results than most.
        report: What `auto` said of the run nearest to its median.
    """

    workload: str
    size: float
    items: int
    by_hand: Mapping[str, float]
    by_fork_server: Mapping[str, float]
    stopped: Mapping[str, float]
    auto: float | None
    named: float | None
    controls: float | None
    sequential: float
    ruled: Mapping[str, float]
    failed: Mapping[str, str]
    audit: Answer
    disagreeing: Sequence[str]
    report: str

    @property
    def best(self) -> tuple[str, float]:
        """The best by hand, and its seconds."""
        return min(self.by_hand.items(), key=lambda each: each[1], default=("nobody", math.nan))

    @property
    def bound(self) -> float:
        """Seconds of the best by hand that does not fork its caller; not a number where nobody knows."""
        if forks_the_caller(self.best[0]) and not self.by_fork_server:
            return math.nan
        return min(self._unforked, default=math.nan)

    @property
    def _unforked(self) -> list[float]:
        """Seconds of those by hand that do not fork their caller."""
        able = [seconds for name, seconds in self.by_hand.items() if not forks_the_caller(name)]
        return [*able, *self.by_fork_server.values()]

    def informed(self, after: float) -> float:
        """Seconds that it takes whoever does one item after another for so long, and then knows the best.

        The best is that of `bound`. What was done by then counts in full, even if it is a part of an item, so
        nobody who knows as late is quicker, but where processes come up beside a calling thread that works.
        """
        left = 1.0 - after / self.sequential if after < self.sequential else 0.0
        late = min(after, self.sequential) + left * min(self._unforked, default=math.nan)
        return min(self.sequential, late)

    @property
    def regret(self) -> float:
        """What `auto` took over the best by hand; not a number where either failed."""
        return math.nan if self.auto is None else self.auto / self.best[1]

    @property
    def unlearnt(self) -> float:
        """What `auto` ended with, named at once, took over the best by hand: regret with nothing to learn."""
        return math.nan if self.named is None else self.named / self.best[1]

    @property
    def lost(self) -> float:
        """Seconds that `auto` took more than the best by hand."""
        return math.nan if self.auto is None else self.auto - self.best[1]

    @property
    def round_trip(self) -> float:
        """What one item takes."""
        return self.sequential / self.items

    @property
    def control(self) -> float:
        """What the best by hand, measured once more, took over itself: what a perfect choice would show."""
        return math.nan if self.controls is None else self.controls / self.best[1]

    @property
    def over_sequential(self) -> float:
        """Seconds that `auto` took beyond 1.03 times one item after another; below 0 where it took less."""
        return math.nan if self.auto is None else self.auto - 1.03 * self.sequential


def cases_of(runs: Iterable[Run]) -> list[Case]:
    """The jobs, in the order of the catalogue, the shortest first."""
    grouped: dict[tuple[str, float], list[Run]] = {}
    for each in runs:
        if each.size:
            grouped.setdefault((each.workload, each.size), []).append(each)
    order = {name: place for place, name in enumerate(CATALOGUE)}
    return [_case(grouped[job]) for job in sorted(grouped, key=lambda job: (order[job[0]], job[1]))]


def _case(runs: Sequence[Run]) -> Case:
    entry, first = CATALOGUE[runs[0].workload], runs[0]
    by_hand = _medians(each for each in runs if each.kind == HAND)
    stopped = {
        each.name: each.at_least
        for each in runs
        if each.kind == HAND and each.at_least and each.name not in by_hand
    }
    known = stopped | by_hand
    autos = [each for each in runs if each.kind == AUTO]
    auto = _median(autos)
    return Case(
        workload=first.workload,
        size=first.size,
        items=first.items,
        by_hand=by_hand,
        by_fork_server=_medians(each for each in runs if each.kind == FORK_SERVER),
        stopped=stopped,
        auto=auto,
        named=_median([each for each in runs if each.kind == NAMED]),
        controls=_median([each for each in runs if each.kind == CONTROL]),
        sequential=by_hand.get(alone(entry), math.nan),
        ruled={rule: known[name] for rule, name in rules(entry).items() if name in known},
        failed={
            f"{each.kind} {each.name}".strip(): each.error
            for each in runs
            if each.error and not each.at_least
        },
        audit=next((each.answer for each in runs if each.kind == AUDIT and "items" in each.answer), {}),
        disagreeing=sorted(set(disagreeing(runs))),
        report=_told(autos, auto),
    )


def _medians(runs: Iterable[Run]) -> dict[str, float]:
    """The median of the rounds of each, by name."""
    named: dict[str, list[Run]] = {}
    for each in runs:
        named.setdefault(each.name, []).append(each)
    medians = {name: _median(group) for name, group in named.items()}
    return {name: seconds for name, seconds in medians.items() if seconds is not None}


def _median(runs: Sequence[Run]) -> float | None:
    """The median of those that ended; None where more than half did not."""
    seconds = [each.seconds for each in runs if each.seconds is not None]
    return statistics.median(seconds) if 2 * len(seconds) > len(runs) else None


def _told(runs: Sequence[Run], median: float | None) -> str:
    """What the run said that is nearest to the median."""
    ended = [each for each in runs if each.seconds is not None]
    near = min(ended, key=lambda each: abs(each.answer["seconds"] - (median or 0.0)), default=None)
    return "" if near is None else str(near.answer.get("report", ""))


@attrs.frozen(kw_only=True)
class Standing:
    """A simple rule beside `auto`, over the jobs where the rule leads to a run that works.

    Attributes:
        rule: Which.
        jobs: How many.
        failed: Jobs where what it leads to raises an error.
        mean: Its geometric mean over the best by hand; no more than what was seen where runs were stopped.
        auto: That of `auto`, over the same jobs.
        stopped: In how many of them it was stopped.
    """

    rule: str
    jobs: int
    failed: int
    mean: float
    auto: float
    stopped: int

    @property
    def beaten(self) -> bool:
        """Whether `auto` did better."""
        return self.auto < self.mean


def standings(cases: Sequence[Case]) -> list[Standing]:
    """Each rule beside `auto`."""
    measured = [case for case in cases if case.auto is not None and case.by_hand]
    return [_standing(rule, measured) for rule in RULES]


def _standing(rule: str, cases: Sequence[Case]) -> Standing:
    able = [case for case in cases if rule in case.ruled]
    return Standing(
        rule=rule,
        jobs=len(able),
        failed=len(cases) - len(able),
        mean=geometric_mean([case.ruled[rule] / case.best[1] for case in able]),
        auto=geometric_mean([case.regret for case in able]),
        stopped=sum(rules(CATALOGUE[case.workload])[rule] in case.stopped for case in able),
    )
