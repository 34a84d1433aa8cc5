"""The command `python -m benchmarks.dispatch`."""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from benchmarks._command import options_of, seed_of
from benchmarks._environment import describe, write_environment
from benchmarks._results import kept_in, load
from benchmarks.dispatch._case import Measurement, Size
from benchmarks.dispatch._groups import all_groups, matching
from benchmarks.dispatch._harness import run_group
from benchmarks.dispatch._report import write_report

HUNG = 330.0  # seconds; guessed: a little more than a fresh interpreter is given
RESULTS = Path(__file__).parents[1] / "results"


def main() -> int:
    """Measure and write the report; give 1 if any contestant failed."""
    options = _parser().parse_args()
    folder = options.output or RESULTS / ("dispatch-quick" if options.quick else "dispatch")
    if not options.report_only:
        _measure(options, folder)
    report = write_report(folder)
    failures = [m for m in load(folder, Measurement)[1] if m.error]
    for m in failures:
        print(f"FAILED {m.row}: {m.contestant}: {m.error}", file=sys.stderr)
    print(f"{report.name} is in {os.path.relpath(folder)}")
    return 1 if failures else 0


def _parser() -> argparse.ArgumentParser:
    return options_of(
        "benchmarks.dispatch",
        __doc__,
        quick="few items and 2 rounds: half a minute",
        only='rows whose "group/row" contains it',
        rounds="rounds that count (default 5, quick 2)",
    )


def _measure(options: argparse.Namespace, folder: Path) -> None:
    groups = matching(all_groups(Size(options.quick)), options.only)
    rounds = options.rounds or (2 if options.quick else 5)
    seed = seed_of(options)
    settings = {"quick": options.quick, "only": options.only, "rounds": rounds, "seed": seed}
    environment = describe() | settings
    began = time.monotonic()
    with kept_in(folder) as keep:
        random = Random(seed)
        for group in groups:
            print(f"{time.monotonic() - began:6.1f} s  {group.name}: {_names(group)}", flush=True)
            run_group(group, rounds, random, keep, _ended_when_hung)
    write_environment(folder, environment, began)


@contextmanager
def _ended_when_hung() -> Iterator[None]:
    """End the run, telling where every thread stands, instead of waiting for ever."""
    faulthandler.dump_traceback_later(HUNG, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _names(group: Any) -> str:
    return "; ".join(row.name for row in group.rows)


if __name__ == "__main__":
    sys.exit(main())
