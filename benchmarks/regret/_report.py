"""REPORT.md: the figures of issue 4, every job, the rules, the losses worst first, and the limits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks._environment import sentence
from benchmarks._results import heads, load, row, written
from benchmarks.oracle._targets import Target
from benchmarks.regret._changing import OVERLAPPING
from benchmarks.regret._drawn import KINDS, MACHINES
from benchmarks.regret._figures import Case, Standing, cases_of, standings
from benchmarks.regret._run import CHANGING, DEATH, SINGLE, Run
from benchmarks.regret._targets import classes, excess, targets
from benchmarks.regret.simulated import Simulated, simulated_in

__all__ = ["write_report"]

LOST, LEAST_LOST = 1.15, 0.005
"""A job that takes more than so many times the best, and so many seconds more, is a loss."""

NOTES = "NOTES.md"
"""What people found out about the losses; it stands beside the report and is taken into it."""


def write_report(folder: Path) -> Path:
    """Write REPORT.md from the files of a run, beside them."""
    environment, runs = load(folder, Run)
    notes = folder / NOTES
    lines = [
        *_lines(environment, runs, simulated_in(folder)),
        *_notes(notes.read_text(encoding="utf-8") if notes.exists() else ""),
    ]
    return written(folder, lines)


def _lines(environment: dict[str, Any], runs: Sequence[Run], simulated: Simulated) -> Iterator[str]:
    cases = cases_of(runs)
    yield "# Regret of `auto`"
    for section in (
        _what(environment, runs, cases),
        _table(targets(cases, runs, simulated)),
        _rules(cases),
        _losses(cases),
        _beyond_sequential(cases),
        _simulated(simulated),
        _jobs(cases),
        _failures(cases, runs),
        _limits(),
    ):
        yield ""
        yield from section


def _what(environment: dict[str, Any], runs: Sequence[Run], cases: Sequence[Case]) -> Iterator[str]:
    size = " (a quick run: its figures mean little)" if environment["quick"] else ""
    yield (
        f"{len(cases)} jobs of {len({case.workload for case in cases})} workloads of the catalogue{size}, "
        f"{len(runs)} measurements, each in a process of its own, order shuffled with seed "
        f"{environment['seed']}. Regret is the median of `run(fn, items)`, pool starts and probing included, "
        "over the least median of the hand-tuned runs with the standard library."
    )
    yield ""
    yield sentence(environment)
    if environment["left_out"]:
        yield ""
        yield f"Time was up before these could be measured: {', '.join(environment['left_out'])}."


def _table(figures: Iterable[Target]) -> Iterator[str]:
    yield from heads("figure", "to reach", "seen", "")
    for each in figures:
        yield row(each.figure, each.goal, each.measured, each.mark)


def _rules(cases: Sequence[Case]) -> Iterator[str]:
    yield "## Simple rules"
    yield ""
    yield (
        "Geometric means over the best by hand. A rule counts where what it leads to works "
        "(`ProcessPoolExecutor` takes no lambda, and no lock), and `auto` is held against it over the same "
        "jobs. Runs that took far longer than the best were stopped, and count with the time they were let "
        "run: too little."
    )
    yield ""
    yield from heads("jobs", "rule", "its mean", "`auto` over the same", "jobs", "stopped", "failed", "")
    for name, of_size in classes(cases).items():
        for each in standings(of_size):
            if each.jobs:
                yield row(name, *_standing(each))


def _standing(each: Standing) -> tuple[str, ...]:
    mean = f"{'≥ ' if each.stopped else ''}{each.mean:.2f}"
    counts = (str(each.jobs), str(each.stopped), str(each.failed))
    return (each.rule, mean, f"{each.auto:.2f}", *counts, "beaten" if each.beaten else "**not beaten**")


def _losses(cases: Sequence[Case]) -> Iterator[str]:
    yield "## What was lost, worst first"
    yield ""
    lost = [case for case in cases if case.regret > LOST and case.lost > LEAST_LOST]
    for case in sorted(lost, key=lambda case: -case.regret):
        yield from _loss(case)
    if not lost:
        yield f"Nothing: no job took more than {LOST} times the best and {LEAST_LOST * 1e3:.0f} ms more."


def _loss(case: Case) -> Iterator[str]:
    name, best = case.best
    beyond = f"; beyond 15 ms and a round trip: {excess(case) * 1e3:.0f} ms" if excess(case) > 0 else ""
    assert case.auto is not None
    yield (
        f"- **{case.workload}, {case.size:g} s** ({case.items} items): {case.regret:.2f}; "
        f"{case.auto * 1e3:.0f} ms, and {best * 1e3:.0f} ms for {name}{beyond}. The best once more: "
        f"{case.control:.2f}."
    )
    yield ""
    yield from (f"      {line}" for line in case.report.splitlines())
    yield ""


def _beyond_sequential(cases: Sequence[Case]) -> Iterator[str]:
    yield "## Slower than one item after another"
    yield ""
    slower = [case for case in cases if case.over_sequential > LEAST_LOST]
    for case in sorted(slower, key=lambda case: -case.over_sequential):
        assert case.auto is not None
        more = case.auto - case.sequential
        yield (
            f"- {case.workload}, {case.size:g} s: {case.auto * 1e3:.0f} ms, one after another "
            f"{case.sequential * 1e3:.0f} ms ({more * 1e3:+.0f} ms, {more / case.sequential:+.0%})."
        )
    if not slower:
        yield "Nothing, by more than 3 % and 5 ms."


def _simulated(simulated: Simulated) -> Iterator[str]:
    yield "## In simulation"
    yield ""
    if not simulated.drawn:
        yield "Nothing was simulated: `python -m benchmarks.regret.simulated` does."
        return
    yield (
        "The controller in virtual time on workloads and machines drawn at random, against a grid of fixed "
        "plans (sequential, 2 to 128 threads, processes, hybrids): geometric means, and how many workloads."
    )
    yield ""
    yield from heads("kind", *(f"{cores} cores" for cores in MACHINES), "all")
    for kind in (*KINDS, None):
        parts = [simulated.part(kind=kind, cores=cores) for cores in (*MACHINES, None)]
        yield row(kind or "all", *(f"{each.mean:.2f} ({len(each.drawn)})" for each in parts))
    yield ""
    told = (
        f"{each.regret:.2f} ({each.kind}, seed {each.seed}, {each.cores} cores)"
        for each in simulated.worst(8)
    )
    yield f"The worst: {', '.join(told)}."


def _jobs(cases: Sequence[Case]) -> Iterator[str]:
    yield "## Jobs"
    yield ""
    yield (
        "Medians in ms. *Named* is the strategy that `auto` ended with in the first round, over the best by "
        "hand: what is left of the regret where nothing has to be learnt. *Once more* is the best by hand, "
        "measured once more in each round, over itself: the regret that a perfect choice would show here. "
        "*No fork* is the best by hand that does not fork its caller, where the best does."
    )
    yield ""
    yield from heads(
        *("workload", "size", "items", "one after another", "best by hand", "ms", "`auto`", "regret"),
        *("named", "once more", "no fork"),
    )
    for case in cases:
        name, best = case.best
        yield row(
            case.workload,
            f"{case.size:g} s",
            str(case.items),
            _ms(case.sequential),
            name,
            _ms(best),
            _ms(math.nan if case.auto is None else case.auto),
            _ratio(case.regret),
            _ratio(case.unlearnt),
            _ratio(case.control),
            _ms(case.bound) if case.bound > best else "",
        )


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.1f}" if math.isfinite(seconds) else ""


def _ratio(ratio: float) -> str:
    return f"{ratio:.2f}" if math.isfinite(ratio) else ""


def _failures(cases: Sequence[Case], runs: Sequence[Run]) -> Iterator[str]:
    yield "## What failed"
    yield ""
    failed = [
        f"- {case.workload}: {who}: {why.splitlines()[0][:160]}"
        for case in cases
        for who, why in case.failed.items()
    ]
    failed += [
        f"- {case.workload}, {case.size:g} s: other results: {', '.join(case.disagreeing)}"
        for case in cases
        if case.disagreeing
    ]
    apart = [each for each in runs if not each.size or each.kind in {SINGLE, CHANGING, DEATH}]
    failed += [
        f"- {each.workload}: {each.kind} {each.name}: {each.error.splitlines()[0][:160]}"
        for each in apart
        if each.error
    ]
    yield from dict.fromkeys(failed) or ["Nothing."]


def _limits() -> Iterator[str]:
    yield "## Limits"
    yield ""
    yield (
        "- A measurement's process is forked from one that has imported everything and started nothing, so "
        "imports are part of no time. Pools of the standard library fork from it in milliseconds, with "
        "everything imported. Our workers are forks of a fresh interpreter, and its start, and what they "
        "import, are part of our times. In a program with threads those forks would not be safe, and would "
        "not be what an expert writes."
    )
    yield (
        "- So there is a second figure, against the best by hand that does not fork its caller: its pools of "
        "processes are forks of a server (`forkserver`), as by default from CPython 3.14 on, which has "
        "imported the module of the callable before it forks. It is a bound for a library that does not fork "
        "its caller either, and replaces no figure of issue 4. It is measured where the best by hand is a "
        "pool of processes: that one, and the second best if it is such a pool too, in all rounds but the "
        "first."
    )
    yield (
        "- The best by hand is the least of up to twenty medians of a few runs each, so luck favours it. The "
        "column *once more* shows by how much: it holds for a choice that is known to be the best."
    )
    yield (
        "- After the first round only the best four by hand (of long jobs two) and `auto` are measured "
        "again, and one item after another where it is near `auto`. A hand-tuned run that takes far "
        "longer than the best so far is stopped. A run that was unlucky in the first round may be missed; "
        "then the oracle is a little too slow."
    )
    yield (
        "- Sizes of pools are chosen by what is known of a workload: no processes but those of the rules for "
        "what only waits, no more than three sizes of threads for what holds the GIL. Five-second jobs are "
        "measured of a third of the workloads."
    )
    yield (
        "- Calls are counted in a run of its own for every job, not in those that are timed: counting takes "
        "2 µs a call, as long as some calls."
    )
    yield (
        "- The results of timed runs are compared by a checksum over sixteen of them and their number. "
        "Results of callables that change what they hold are compared one by one."
    )
    yield (
        "- Calls that wait are let overlap even where they change what they hold. Results that tell in which "
        "order such calls came back are measured (" + OVERLAPPING + "), but not counted as different."
    )
    yield "- One machine; server, disk and callables share its cores."


def _notes(text: str) -> Iterator[str]:
    if text:
        yield ""
        yield "## What the losses would take"
        yield ""
        yield text.strip()
