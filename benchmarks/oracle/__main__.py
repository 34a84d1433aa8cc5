"""Measure every verdict against an oracle: `python -m benchmarks.oracle [--quick] [--only PATTERN] …`.

Writes results.jsonl (every measurement, as soon as it is made), environment.json and REPORT.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import attrs

from benchmarks._bytecode import compile_checkout
from benchmarks._command import options_of, seed_of
from benchmarks._environment import describe, write_environment
from benchmarks._results import kept_in, load
from benchmarks.catalogue._server import serving
from benchmarks.catalogue.all import Entry, matching
from benchmarks.oracle._measurement import GRID, Measurement
from benchmarks.oracle._protocol import Settings, beside_a_neighbour, calibrate, measure, own_cache
from benchmarks.oracle._report import conclude, write_report
from benchmarks.oracle._zygote import import_everything

RESULTS = Path(__file__).parents[1] / "results"

QUICK = ("tiny", "python-200us", "sha256", "sleep-5ms", "lock-3ms", "async-sleep-20ms", "async-blocks")
"""Workloads of a quick run: one of each kind that matters most."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write the report; 1 if a measurement failed that should not have."""
    options = _parser().parse_args(arguments)
    folder = options.output or RESULTS / ("oracle-quick" if options.quick else "oracle")
    if not options.report_only:
        _measure(options, folder)
    report = write_report(folder)
    failed = [
        each
        for each in load(folder, Measurement)[1]
        if each.error and each.kind != GRID and not each.at_least
    ]
    return conclude(report, failed)


def _parser() -> argparse.ArgumentParser:
    parser = options_of(
        "benchmarks.oracle",
        __doc__,
        quick="a few workloads, few items, one round",
        only='workloads whose "family/name" contains it',
        rounds="rounds of each workload (default 3, quick 1)",
    )
    late = "where it gets late, workloads have fewer rounds (default 11)"
    parser.add_argument("--minutes", type=float, default=11.0, help=late)
    return parser


def _measure(options: argparse.Namespace, folder: Path) -> None:
    chosen = matching(options.only)
    if options.quick and not options.only:
        chosen = [entry for entry in chosen if entry.name in QUICK]
    rounds = options.rounds or (1 if options.quick else 3)
    seed = seed_of(options)
    verdicts = 1 if options.quick else 3
    settings = Settings(quick=options.quick, rounds=rounds, verdicts=verdicts, minutes=options.minutes)
    environment = describe() | attrs.asdict(settings) | {"only": options.only, "seed": seed}
    began = time.monotonic()
    compile_checkout()
    with own_cache(), kept_in(folder) as keep, serving():
        environment["costs"] = calibrate()
        write_environment(folder, environment, began)  # an interrupted run can be reported too
        import_everything()
        _all(chosen, settings, Random(seed), keep, began)
    write_environment(folder, environment, began)


def _all(
    chosen: Sequence[Entry],
    settings: Settings,
    random: Random,
    keep: Callable[[Measurement], None],
    began: float,
) -> None:
    end = began + 60 * settings.minutes
    for place, entry in enumerate(chosen):
        now = time.monotonic()
        print(f"{now - began:6.1f} s  {entry.name}", flush=True)
        until = now + max(0.0, end - now) / (len(chosen) - place)
        try:
            measure(entry, settings, random, keep, until)
            beside_a_neighbour(entry, settings, keep)
        except Exception as error:  # noqa: BLE001 - one workload that cannot be set up must not end all others
            answer = {"error": f"{type(error).__name__}: {error}"}
            keep(Measurement(workload=entry.name, kind="failed", answer=answer))


if __name__ == "__main__":
    sys.exit(main())
