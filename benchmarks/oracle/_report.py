"""REPORT.md: figures against their targets, a table of workloads, what was lost, and the limits."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks._environment import sentence
from benchmarks._results import heads, load, row, written
from benchmarks.oracle._figures import Case, cases_of
from benchmarks.oracle._measurement import Measurement
from benchmarks.oracle._protocol import (
    AGAIN,
    HOPELESS,
    LEAST,
    LEAST_OF_OURS,
    MOST_AGAIN,
    OUT_OF_THE_QUESTION,
    PATIENCE,
)
from benchmarks.oracle._targets import LOST, targets

__all__ = ["conclude", "write_report"]

FAR = 0.25
"""A prediction that is further off than this is named."""


def write_report(folder: Path) -> Path:
    """Write REPORT.md from the files of a run, beside them."""
    environment, measurements = load(folder, Measurement)
    return written(folder, _lines(environment, measurements, cases_of(measurements)))


def conclude(report: Path, failed: Sequence[Measurement]) -> int:
    """Say what failed and where the report is; the exit code: 1 if something failed."""
    for each in failed:
        print(f"FAILED {each.workload}: {each.kind} {each.name}: {each.error}", file=sys.stderr)
    print(f"{report.name} is in {os.path.relpath(report.parent)}")
    return 1 if failed else 0


def _lines(
    environment: dict[str, Any], measurements: Sequence[Measurement], cases: Sequence[Case]
) -> Iterator[str]:
    yield "# Verdicts against an oracle"
    for section in (
        _what(environment, measurements, cases),
        _summary(cases),
        _workloads(cases),
        _losses(cases),
        _failures(measurements),
        _limits(),
    ):
        yield ""
        yield from section


def _what(
    environment: dict[str, Any], measurements: Sequence[Measurement], cases: Sequence[Case]
) -> Iterator[str]:
    size = "few items (a quick run: its figures mean little)" if environment["quick"] else "full size"
    yield (
        f"{len(cases)} workloads of the catalogue, {size}, {environment['rounds']} rounds at most, "
        f"{len(measurements)} measurements, each in a process of its own, order shuffled with seed "
        f"{environment['seed']}. The oracle is the fastest of a grid of hand-tuned runs with the standard "
        "library and of our own strategies, whichever it is."
    )
    yield ""
    yield sentence(environment)


def _summary(cases: Sequence[Case]) -> Iterator[str]:
    yield from heads("figure", "to reach", "measured", "")
    for each in targets(cases):
        yield row(each.figure, each.goal, each.measured, each.mark)


def _workloads(cases: Sequence[Case]) -> Iterator[str]:
    yield "## Workloads"
    yield ""
    yield (
        "Times in ms, medians. *Chosen* is the strategy of each verdict and what it took; *ratio* is over "
        "the best of all; *cost* is the dearest `recommend`; *off* is measured over predicted for the "
        "chosen strategy."
    )
    yield ""
    yield from heads("workload", "verdict", "chosen", "ms", "best by hand", "ms", "ratio", "cost", "off")
    for case in cases:
        yield _workload(case)


def _workload(case: Case) -> str:
    hand, by_hand = case.best_by_hand
    if not case.choices:
        return row(case.workload, "no verdict", "", "", hand, f"{by_hand * 1e3:.0f}", "", "", "")
    last = case.choices[-1]
    wrong = [choice.words for choice in case.choices if not choice.right]
    words = f"**wrong: {wrong[0]}**" if wrong else last.words
    strategies = "/".join(dict.fromkeys(choice.strategy for choice in case.choices))
    ratios = [choice.ratio for choice in case.choices if choice.ratio is not None]
    took = [choice.seconds for choice in case.choices if choice.seconds is not None]
    off = [each.ratio for each in case.forecasts if each.strategy == last.strategy]
    return row(
        case.workload,
        words,
        strategies,
        "/".join(dict.fromkeys(f"{each * 1e3:.0f}" for each in took)),
        hand,
        f"{by_hand * 1e3:.0f}",
        f"{max(ratios):.2f}" if ratios else "",
        f"{max(choice.cost for choice in case.choices) * 1e3:.0f}",
        f"{off[0]:.2f}" if off else "",
    )


def _losses(cases: Sequence[Case]) -> Iterator[str]:
    yield "## What was lost"
    yield ""
    lines = [line for case in cases for line in _lost(case)]
    yield from lines or ["Nothing."]


def _lost(case: Case) -> Iterator[str]:
    name, best = case.best
    for choice in case.choices:
        if choice.ratio is not None and choice.ratio > LOST:
            assert choice.seconds is not None
            yield (
                f"- {case.workload}: {choice.strategy} took {choice.seconds * 1e3:.0f} ms, "
                f"{choice.ratio:.2f} times the {best * 1e3:.0f} ms of {name}."
            )
        if not choice.right:
            yield f"- {case.workload}: the verdict said {choice.words}."
        if choice.cost > case.allowed:
            yield f"- {case.workload}: `recommend` took {choice.cost * 1e3:.0f} ms."
    for choice in case.neighbours:
        if not choice.right:
            yield f"- {case.workload}, beside a neighbour: the verdict said {choice.words}."
    for each in case.forecasts:
        if abs(each.ratio - 1.0) > FAR:
            yield (
                f"- {case.workload}: {each.strategy} ({each.plan}) took {each.measured * 1e3:.0f} ms, "
                f"predicted {each.predicted * 1e3:.0f} ± {each.error * 1e3:.0f} ms ({each.ratio:.2f})."
            )


def _failures(measurements: Sequence[Measurement]) -> Iterator[str]:
    yield "## What failed or was stopped"
    yield ""
    failed = dict.fromkeys(
        f"- {each.workload}: {each.kind} {each.name}: {each.error.splitlines()[0][:160]}"
        for each in measurements
        if each.error
    )
    yield from failed or ["Nothing."]


def _limits() -> Iterator[str]:
    yield "## Limits"
    yield ""
    yield (
        "- A measurement's process is forked from one that has imported everything and started nothing, so "
        "imports are not part of any time. Pools of the standard library fork from it in milliseconds; our "
        "worker processes are fresh interpreters, and their start is part of our times."
    )
    yield (
        f"- Hand-tuned runs that take more than {HOPELESS} times the best so far, and {LEAST} s, are "
        f"stopped. So are ours after {PATIENCE:g} times the best or twice their prediction, and "
        f"{LEAST_OF_OURS:g} s; what they took by then counts. Those predicted to take more than that, and "
        f"{OUT_OF_THE_QUESTION:g} times the least, are not run."
    )
    yield (
        f"- Only the {MOST_AGAIN} best by hand and of ours, within {AGAIN} times the best, are repeated, and "
        "what verdicts chose; where it got late, only that and the best."
    )
    yield (
        "- The oracle is the least of some twenty medians of few runs, so luck favours it: a choice that is "
        "truly as good as any shows up some per cent behind."
    )
    yield (
        "- Where calls share a lock of this process (lock-3ms), nobody runs them in several processes: each "
        "would have a lock of its own. A verdict for processes there has no ratio."
    )
    yield (
        "- *Witness and timers running* is told over the same calls entered in the same ledger without "
        "instruments: what keeping results costs is in both. It is no comparison with a bare loop."
    )
    yield "- One machine; servers, disk and callables share its cores."
