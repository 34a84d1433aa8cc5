"""Measure the regret of `auto`: `python -m benchmarks.regret [--quick] [--only PATTERN] [--sizes S,S] …`.

Writes results.jsonl (every measurement, as soon as it is made), environment.json and REPORT.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from benchmarks._bytecode import compile_checkout
from benchmarks._command import options_of, positive, seed_of
from benchmarks._environment import describe, write_environment
from benchmarks._results import kept_in, load
from benchmarks.catalogue._server import serving
from benchmarks.catalogue.all import CATALOGUE, Entry, matching
from benchmarks.oracle._protocol import Keep, calibrate, own_cache
from benchmarks.oracle._report import conclude
from benchmarks.oracle._zygote import import_everything
from benchmarks.regret._changing import measure_changes
from benchmarks.regret._deaths import measure_deaths
from benchmarks.regret._protocol import AT_LENGTH, LONG, SIZES, Known, Sizes, get_to_know, measure
from benchmarks.regret._report import write_report
from benchmarks.regret._run import FAILED, Run
from benchmarks.regret._single import measure_jobs

RESULTS = Path(__file__).parents[1] / "results"

QUICK = ("python-200us", "sleep-5ms", "async-sleep-20ms")
QUICK_SIZES = (0.005, 0.05)
SHARE = 0.6
"""Of the time, what is meant for all but the longest jobs."""

DEATHS = 3
"""Rounds of runs with killed workers."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write the report; 1 if something failed that should not have."""
    options = _parser().parse_args(arguments)
    folder = options.output or RESULTS / ("regret-quick" if options.quick else "regret")
    if not options.report_only:
        _Session(options, folder).measure()
    report = write_report(folder)
    failed = [each for each in load(folder, Run)[1] if each.error and each.kind != "hand"]
    return conclude(report, failed)


def _parser() -> argparse.ArgumentParser:
    parser = options_of(
        "benchmarks.regret",
        __doc__,
        quick="three workloads, short jobs, one round: half a minute",
        only='only workloads whose "family/name" contains it, and nothing beside the catalogue',
        rounds="rounds of each job (default 2 to 5, the fewer the longer it is; quick 1)",
    )
    parser.add_argument("--sizes", type=_sizes, metavar="SECONDS", help="of jobs, as in 0.005,0.05,0.5,5")
    parser.add_argument(
        "--minutes", type=positive, default=14, help="after which no more long jobs begin (default 14)"
    )
    return parser


def _sizes(text: str) -> tuple[float, ...]:
    sizes = tuple(map(float, text.split(",")))
    if not all(0.0 < size <= 10.0 for size in sizes):
        msg = f"must be between 0 and 10 seconds, not {text}"
        raise argparse.ArgumentTypeError(msg)
    return sizes


def _rounds(size: float) -> int:
    """The rounds of the nearest size that has some."""
    return SIZES[min(SIZES, key=lambda known: abs(known - size))]


class _Session:
    """One call of the command."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options, self.folder = options, folder
        self.seed = seed_of(options)
        self.random = Random(self.seed)
        self.rounds = options.rounds or (1 if options.quick else None)
        self.began = time.monotonic()
        self.left_out: list[str] = []

    def measure(self) -> None:
        """Measure everything and write the results and the environment."""
        sizes = self._sizes()
        settings = {"quick": self.options.quick, "only": self.options.only, "seed": self.seed, "sizes": sizes}
        environment: dict[str, Any] = describe() | settings
        compile_checkout()
        with own_cache(), kept_in(self.folder) as keep, serving():
            environment |= {"costs": calibrate(), "left_out": self.left_out}
            write_environment(self.folder, environment, self.began)  # an interrupted run can be reported too
            import_everything()
            known = self._shorter_jobs(sizes, keep)
            if not self.options.only:
                self._beside(keep)
            self._longer_jobs(known, sizes, keep)
        write_environment(self.folder, environment, self.began)

    def _sizes(self) -> Sizes:
        chosen = self.options.sizes or (QUICK_SIZES if self.options.quick else tuple(SIZES))
        return {size: self.rounds or _rounds(size) for size in chosen}

    def _shorter_jobs(self, sizes: Sizes, keep: Keep) -> dict[str, Known]:
        """All but the longest; what is known of each workload then."""
        chosen = [entry for entry in matching(self.options.only) if not entry.judged_only]
        if self.options.quick and not self.options.only:
            chosen = [entry for entry in chosen if entry.name in QUICK]
        known: dict[str, Known] = {}
        for place, entry in enumerate(chosen):
            rounds = self._in_time(sizes, place / len(chosen))
            self._try(entry.name, keep, lambda entry=entry, r=rounds: self._shorter(entry, known, r, keep))
        return known

    def _in_time(self, sizes: Sizes, part: float) -> Sizes:
        """The shorter sizes; with two rounds at most where they are behind their time."""
        most = 2 if self._minutes() > SHARE * self.options.minutes * (part + 0.1) else max(sizes.values())
        return {size: min(rounds, most) for size, rounds in sizes.items() if size < LONG}

    def _minutes(self) -> float:
        return (time.monotonic() - self.began) / 60.0

    def _longer_jobs(self, known: dict[str, Known], sizes: Sizes, keep: Keep) -> None:
        """The longest, of some workloads, while time is left."""
        long = {size: rounds for size, rounds in sizes.items() if size >= LONG}
        for name in (name for name in known if long and name in AT_LENGTH):
            self._longer(CATALOGUE[name], known[name], long, keep)

    def _shorter(self, entry: Entry, known: dict[str, Known], sizes: Sizes, keep: Keep) -> None:
        known[entry.name] = get_to_know(entry, keep)
        measure(entry, known[entry.name], sizes, self.random, keep)

    def _longer(self, entry: Entry, known: Known, sizes: Sizes, keep: Keep) -> None:
        if self._minutes() > self.options.minutes:
            self.left_out.append(f"{entry.name} at length")
            return
        self._try(f"{entry.name} at length", keep, lambda: measure(entry, known, sizes, self.random, keep))

    def _beside(self, keep: Keep) -> None:
        """What has nothing to do with the catalogue."""
        rounds = self.rounds or DEATHS
        self._try("the jobs named in the issue", keep, lambda: measure_jobs(self.random, keep, self.rounds))
        self._try("callables that change what they hold", keep, lambda: measure_changes(keep))
        self._try("killed workers", keep, lambda: measure_deaths(keep, rounds))

    def _try(self, name: str, keep: Keep, work: Callable[[], None]) -> None:
        """Do a part; where it fails, that is a result, and the rest goes on."""
        print(f"{time.monotonic() - self.began:6.1f} s  {name}", flush=True)
        try:
            work()
        except Exception as error:  # noqa: BLE001 - whatever a workload's surroundings raise
            keep(Run(workload=name, kind=FAILED, answer={"error": f"{type(error).__name__}: {error}"}))


if __name__ == "__main__":
    sys.exit(main())
