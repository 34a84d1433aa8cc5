"""Measure every verdict against an oracle: `python -m benchmarks.oracle [--quick] [--only PATTERN] …`.

Writes results.jsonl (every measurement, as soon as it is made), environment.json and REPORT.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random, SystemRandom
from typing import TextIO

import attrs

from benchmarks.catalogue._server import serving
from benchmarks.catalogue.all import Entry, matching
from benchmarks.dispatch._environment import describe, without_paths
from benchmarks.oracle._measurement import Measurement, load
from benchmarks.oracle._protocol import Settings, beside_a_neighbour, measure
from benchmarks.oracle._report import write_report
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
    failed = [each for each in load(folder)[1] if each.error and each.kind != "grid"]
    for each in failed:
        print(f"FAILED {each.workload}: {each.kind} {each.name}: {each.error}", file=sys.stderr)
    print(f"{report.name} is in {os.path.relpath(folder)}")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.oracle", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few workloads, few items, one round")
    parser.add_argument("--only", metavar="PATTERN", help='workloads whose "family/name" contains it')
    parser.add_argument("--rounds", type=_positive, help="rounds of each workload (default 2, quick 1)")
    parser.add_argument("--seed", type=int, help="of the order in each round (default: drawn)")
    parser.add_argument("--output", type=Path, metavar="DIR", help="where the three files go")
    parser.add_argument("--report-only", action="store_true", help="write REPORT.md again from the files")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        msg = f"must be 1 or more, not {number}"
        raise argparse.ArgumentTypeError(msg)
    return number


def _measure(options: argparse.Namespace, folder: Path) -> None:
    chosen = matching(options.only or "")
    if options.quick and options.only is None:
        chosen = [entry for entry in chosen if entry.name in QUICK]
    rounds = options.rounds or (1 if options.quick else 2)
    seed = SystemRandom().randrange(2**32) if options.seed is None else options.seed
    settings = Settings(quick=options.quick, rounds=rounds, verdicts=1 if options.quick else 3)
    environment = describe() | attrs.asdict(settings) | {"only": options.only or "", "seed": seed}
    began = time.monotonic()
    _calibrate()
    import_everything()
    with _results(folder) as keep, serving():
        _all(chosen, settings, Random(seed), keep, began)
    environment |= {"took_seconds": round(time.monotonic() - began), "load_after": os.getloadavg()}
    text = json.dumps(environment, indent=2) + "\n"
    (folder / "environment.json").write_text(text, encoding="utf-8")


def _calibrate() -> None:
    """Have this machine's costs measured and kept, so that no verdict is charged for it."""
    command = [sys.executable, "-m", "concurrent_choices", "machine"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _all(
    chosen: Sequence[Entry],
    settings: Settings,
    random: Random,
    keep: Callable[[Measurement], None],
    began: float,
) -> None:
    for entry in chosen:
        print(f"{time.monotonic() - began:6.1f} s  {entry.name}", flush=True)
        measure(entry, settings, random, keep)
    print(f"{time.monotonic() - began:6.1f} s  verdicts beside a busy neighbour", flush=True)
    for entry in chosen:
        beside_a_neighbour(entry, settings, keep)


@contextmanager
def _results(folder: Path) -> Iterator[Callable[[Measurement], None]]:
    """Open results.jsonl; every line is written at once, so an interrupted run leaves some."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "results.jsonl").open("w", encoding="utf-8") as file:
        yield lambda measurement: _write(file, measurement)


def _write(file: TextIO, measurement: Measurement) -> None:
    # files are named by their last part: results are read on other machines too
    file.write(without_paths(json.dumps(attrs.asdict(measurement))) + "\n")
    file.flush()


if __name__ == "__main__":
    sys.exit(main())
