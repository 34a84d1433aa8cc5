"""The command `python -m benchmarks.experiments`: run the experiments, write the pages."""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
import time
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from .._bytecode import compile_checkout
from ._catalogue import EXPERIMENTS
from ._model import Size
from ._pages import write_pages
from ._record import Record, told
from ._runner import Manner, run_experiment

ROOT = Path(__file__).resolve().parents[2]
HUNG = 900.0  # seconds; guessed: an experiment in its full size takes less
ROUNDS = {Size.QUICK: 1, Size.SCALED: 3, Size.FULL: 3}
AGAIN = 3  # times as many rounds of what is compared: of three, the fastest differ by 10 % without a reason
BUDGET = {Size.QUICK: 0.2, Size.SCALED: 1.0, Size.FULL: 1.0}


def main() -> int:
    """Measure and write the pages; give 1 if anything failed."""
    options = _parser().parse_args()
    record = Record(options.results)
    if not options.report_only:
        compile_checkout()
        _measure(options, record)
    pages = write_pages(record, options.output)
    failures = [each for each in record.readings if each.error]
    for each in failures:
        print(
            f"FAILED {each.experiment} {each.task}, {each.way} {each.strategy}: {each.error}", file=sys.stderr
        )
    print(f"written: {', '.join(os.path.relpath(page) for page in pages)}")
    return 1 if failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.experiments", description=__doc__)
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--quick", dest="size", action="store_const", const=Size.QUICK, help="a minute in all")
    sizes.add_argument(
        "--full", dest="size", action="store_const", const=Size.FULL, help="the sizes as reported: an hour"
    )
    parser.add_argument(
        "--only", type=_numbers, default=(), metavar="N[,N...]", help="these experiments; the others stay"
    )
    parser.add_argument("--rounds", type=int, help="how often everybody is measured (default 3, quick 1)")
    parser.add_argument("--seed", type=int, help="of the order in each round (default: drawn)")
    parser.add_argument(
        "--output", type=Path, default=ROOT / "docs", metavar="DIR", help="where the pages go"
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=ROOT / "benchmarks" / "results" / "experiments",
        metavar="DIR",
        help="where the figures go",
    )
    parser.add_argument("--report-only", action="store_true", help="write the pages again from the figures")
    parser.set_defaults(size=Size.SCALED)
    return parser


def _numbers(text: str) -> tuple[int, ...]:
    known = {each.number for each in EXPERIMENTS}
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or not known.issuperset(numbers):
        msg = f"must be numbers from 1 to {max(known)} with commas between them, not {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return numbers


def _measure(options: Any, record: Record) -> None:
    seed = SystemRandom().randrange(2**32) if options.seed is None else options.seed
    size: Size = options.size
    began = time.monotonic()
    for experiment in EXPERIMENTS:
        if options.only and experiment.number not in options.only:
            continue
        print(f"{time.monotonic() - began:6.1f} s  {experiment.number}: {experiment.title}", flush=True)
        faulthandler.dump_traceback_later(HUNG, exit=True)
        rounds = options.rounds or ROUNDS[size]
        kept: list[Any] = []
        again = 0 if size is Size.QUICK else AGAIN * rounds
        manner = Manner(
            rounds=rounds, again=again, random=Random(seed), keep=kept.append, budget=BUDGET[size]
        )
        about = told(size, rounds, seed)
        run_experiment(experiment, size, manner)
        faulthandler.cancel_dump_traceback_later()
        record.replace(experiment.number, kept, about)


if __name__ == "__main__":
    sys.exit(main())
