"""The table of issue 4: what is to be reached, and what was seen."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence

from benchmarks.oracle._figures import geometric_mean, quantile
from benchmarks.oracle._targets import Target, share
from benchmarks.regret._changing import OVERLAPPING
from benchmarks.regret._figures import Case, Standing, standings
from benchmarks.regret._run import AUTO, CHANGING, DEATH, HAND, SINGLE, Run
from benchmarks.regret._single import LOCKED, NO_OPS, SECONDS, TWO_HUNDRED
from benchmarks.regret.simulated import Simulated

__all__ = ["classes", "excess", "targets"]

MIDDLE, FULL = 0.05, 0.5
"""Seconds of jobs at which the classes of 50 ms, and of 0.5 s and more, begin."""

LATE = (2e-3, 5e-3, 10e-3)
"""Seconds in which it can be known that a call waits, in which hardly anything is known of two lanes, and in
which they show whether they compute beside each other (DECISION.md 0.7 and 5.3)."""

NOTHING = "nothing measured"


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


def targets(cases: Sequence[Case], runs: Sequence[Run], simulated: Simulated) -> Iterator[Target]:
    """Every figure of the table, in its order."""
    sized = classes(cases)
    yield _regret("0.5 s and more", sized["0.5 s and more"], 1.05)
    yield _named(sized["0.5 s and more"])
    yield _most(sized["0.5 s and more"])
    yield _worst(sized["0.5 s and more"])
    yield _bound(sized["0.5 s and more"])
    yield _unforked(sized["0.5 s and more"])
    yield _regret("50 ms", sized["50 ms"], 1.15)
    yield _named(sized["50 ms"])
    yield _round_trips(sized["50 ms"])
    yield _bound(sized["50 ms"])
    yield _unforked(sized["50 ms"])
    yield from (_informed(sized["50 ms"], after) for after in LATE)
    yield _regret("5 ms", sized["5 ms"], None)
    yield _named(sized["5 ms"])
    yield _sequential(cases)
    yield _best_rule(sized)
    yield _at_most(TWO_HUNDRED, 0.2, runs)
    yield _at_most(SECONDS, 1.25, runs)
    yield _beside(LOCKED, 1.1, runs)
    yield _beside(NO_OPS, 1.3, runs)
    yield _controller(simulated)
    yield _changes(runs)
    yield _audit(cases, runs)


def _regret(name: str, cases: Sequence[Case], goal: float | None) -> Target:
    figure = f"regret, jobs of {name}: geometric mean"
    if not cases:
        return Target(figure, str(goal or ""), NOTHING)
    mean = geometric_mean([case.regret for case in cases])
    controls = [case.control for case in cases if math.isfinite(case.control)]
    perfect = f"; a perfect choice would have shown {geometric_mean(controls):.3f}" if controls else ""
    reached = None if goal is None else mean <= goal
    return Target(figure, str(goal or ""), f"{mean:.3f} of {len(cases)}{perfect}", reached)


def _named(cases: Sequence[Case]) -> Target:
    """What is left where nothing has to be learnt; nothing is to be reached by it."""
    figure = "the same with the strategy named that `auto` ended with: geometric mean"
    known = [case.unlearnt for case in cases if math.isfinite(case.unlearnt)]
    return Target(figure, "", f"{geometric_mean(known):.3f} of {len(known)}" if known else NOTHING)


def _bound(cases: Sequence[Case]) -> Target:
    """Regret where the hand forks no caller either; nothing is to be reached by it."""
    figure = "the same against the best by hand that does not fork its caller: geometric mean"
    ratios = [case.auto / case.bound for case in cases if case.auto is not None]
    return Target(figure, "", _spread(ratios))


def _unforked(cases: Sequence[Case]) -> Target:
    """What nobody who forks no caller can go below, however soon he knows what to do."""
    figure = "what that best by hand shows itself: geometric mean"
    return Target(figure, "", _spread([case.bound / case.best[1] for case in cases]))


def _informed(cases: Sequence[Case], after: float) -> Target:
    """What nobody can go below who is at one item after another until he knows; nothing is to be reached."""
    figure = f"what it would show whoever knows it after {after * 1e3:g} ms: geometric mean"
    return Target(figure, "", _spread([case.informed(after) / case.best[1] for case in cases]))


def _spread(ratios: Sequence[float]) -> str:
    """What is known of them, in words."""
    known = [ratio for ratio in ratios if math.isfinite(ratio)]
    if not known:
        return NOTHING
    return (
        f"{geometric_mean(known):.3f} of {len(known)}; {_within(known)} within 1.15; worst {max(known):.2f}"
    )


def _within(ratios: Sequence[float]) -> str:
    """How many of them an expert would hardly notice: the 1.15 of the issue."""
    return share(sum(ratio <= 1.15 for ratio in ratios), len(ratios))


def _most(cases: Sequence[Case]) -> Target:
    if not cases:
        return Target("the same: 95 % within", "1.15", NOTHING)
    regrets = [case.regret for case in cases]
    limit = quantile(regrets, 0.95)
    seen = f"{_within(regrets)}; 95 % are within {limit:.2f}"
    return Target("the same: 95 % within", "1.15", seen, limit <= 1.15)


def _worst(cases: Sequence[Case]) -> Target:
    if not cases:
        return Target("the same: worst", "1.5", NOTHING)
    worst = max(cases, key=lambda case: case.regret)
    seen = f"{worst.regret:.2f} ({worst.workload}, {worst.size:g} s)"
    return Target("the same: worst", "1.5", seen, worst.regret <= 1.5)


def _round_trips(cases: Sequence[Case]) -> Target:
    figure, goal = "the same: lost", "at most 15 ms and one round trip"
    if not cases:
        return Target(figure, goal, NOTHING)
    within = sum(excess(case) <= 0.0 for case in cases)
    worst = max(cases, key=excess)
    seen = f"{share(within, len(cases))}; worst {worst.lost * 1e3:.0f} ms lost ({worst.workload})"
    return Target(figure, goal, seen, within == len(cases))


def _sequential(cases: Sequence[Case]) -> Target:
    figure, goal = "against plain sequential", "at most 3 % + 5 ms slower"
    slower = {case.over_sequential: case for case in cases if math.isfinite(case.over_sequential)}
    if not slower:
        return Target(figure, goal, NOTHING)
    within = sum(over <= 0.005 for over in slower)
    worst = slower[max(slower)]
    more = max(slower) + 0.03 * worst.sequential
    seen = (
        f"{share(within, len(slower))}; worst {more * 1e3:+.0f} ms on {worst.sequential * 1e3:.0f} ms "
        f"({worst.workload})"
    )
    return Target(figure, goal, seen, within == len(slower))


def _best_rule(sized: Mapping[str, Sequence[Case]]) -> Target:
    """The rule that comes nearest to `auto` in each class, which has to be beaten too."""
    near = {name: _nearest(standings(cases)) for name, cases in sized.items() if cases}
    told = [f"{name}: {each.auto:.2f} against {each.mean:.2f} ({each.rule})" for name, each in near.items()]
    reached = all(each.beaten for each in near.values()) if near else None
    return Target("best single rule", "beaten in every size", "; ".join(told) or NOTHING, reached)


def _nearest(stood: Iterable[Standing]) -> Standing:
    return min((each for each in stood if each.jobs), key=lambda each: each.mean / each.auto)


def _taken(name: str, side: str, runs: Sequence[Run]) -> list[float]:
    """What the rounds of one side of a job named in the issue took."""
    named = [each for each in runs if each.kind == SINGLE and each.workload == name]
    return [each.seconds for each in named if each.name == side and each.seconds is not None]


def _at_most(name: str, seconds: float, runs: Sequence[Run]) -> Target:
    taken = _taken(name, AUTO, runs)
    if not taken:
        return Target(name, f"{seconds} s", NOTHING)
    median = statistics.median(taken)
    seen = f"{median:.3f} s, median of {len(taken)} ({min(taken):.3f} to {max(taken):.3f})"
    return Target(name, f"{seconds} s", seen, median <= seconds)


def _beside(name: str, times: float, runs: Sequence[Run]) -> Target:
    goal = f"{times} times one after another"
    auto, hand = _taken(name, AUTO, runs), _taken(name, HAND, runs)
    if not (auto and hand):
        return Target(name, goal, NOTHING)
    ours, plain = statistics.median(auto), statistics.median(hand)
    seen = f"{ours / plain:.2f} ({ours:.3f} s and {plain:.3f} s, medians of {len(auto)})"
    return Target(name, goal, seen, ours / plain <= times)


def _controller(simulated: Simulated) -> Target:
    figure = "controller in simulation, on machines of 1, 2, 8 and 64 cores"
    goal = "geometric mean 1.08, 99 % within 2"
    if not simulated.drawn:
        return Target(figure, goal, NOTHING)
    seen = f"{simulated.mean:.3f}, 99 % within {simulated.most:.2f}; {len(simulated.drawn):,} workloads"
    return Target(figure, goal, seen, simulated.mean <= 1.08 and simulated.most <= 2.0)


def _changes(runs: Sequence[Run]) -> Target:
    figure = "results that differ where callables change what they hold"
    changes = [each for each in runs if each.kind == CHANGING and each.workload != OVERLAPPING]
    if not changes:
        return Target(figure, "none", NOTHING)
    wrong = [each for each in changes if each.answer.get("different", 1) or not each.answer.get("held")]
    results = sum(each.answer.get("different", each.items) for each in changes)
    seen = f"{results:,} of {sum(each.items for each in changes):,} results"
    seen += f"; {len(wrong)} of {len(changes)} callables: " if wrong else f", {len(changes)} callables"
    return Target(figure, "none", seen + "; ".join(each.workload for each in wrong), not wrong)


def _audit(cases: Sequence[Case], runs: Sequence[Run]) -> Target:
    figure = "items called other than once, killed workers too"
    audits = [case.audit for case in cases if case.audit]
    deaths = [each for each in runs if each.kind == DEATH]
    if not (audits or deaths):
        return Target(figure, "none", NOTHING)
    other = sum(audit["items"] - audit["once"] for audit in audits)
    odd = sum(_unaccounted(each) for each in deaths)
    killed = sum(each.answer.get("deaths", 0) for each in deaths)
    seen = (
        f"{other:,} of {sum(audit['items'] for audit in audits):,} in {len(audits)} runs; "
        f"{odd} of {sum(each.items for each in deaths):,} beside {killed} killed workers"
    )
    return Target(figure, "none", seen, not other + odd)


def _unaccounted(each: Run) -> int:
    """Items of a run with killed workers that were called wrongly, or of which the results are wrong.

    With `idempotent=True` those that a dead worker had may be called again; then none may be lost.
    """
    answer = each.answer
    if "results" not in answer:
        return each.items
    again = answer["lost"] if each.name == "idempotent=True" else answer["twice"]
    return int(answer["never"] + answer["wrong"] + again + abs(answer["items"] - answer["results"]))
