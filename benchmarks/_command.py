"""What the commands of the benchmarks have in common: their options."""

from __future__ import annotations

import argparse
from pathlib import Path
from random import SystemRandom

__all__ = ["options_of", "positive", "seed_of"]


def options_of(
    command: str, about: str | None, *, quick: str, only: str, rounds: str
) -> argparse.ArgumentParser:
    """A parser of the options that all of them take; the last three tell what each of these does there."""
    parser = argparse.ArgumentParser(prog=f"python -m {command}", description=about)
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--only", default="", metavar="PATTERN", help=only)
    parser.add_argument("--rounds", type=positive, help=rounds)
    parser.add_argument("--seed", type=int, help="of the order in each round (default: drawn)")
    parser.add_argument("--output", type=Path, metavar="DIR", help="where the three files go")
    parser.add_argument("--report-only", action="store_true", help="write REPORT.md again from the files")
    return parser


def positive(text: str) -> int:
    """A whole number above nought."""
    number = int(text)
    if number < 1:
        msg = f"must be 1 or more, not {number}"
        raise argparse.ArgumentTypeError(msg)
    return number


def seed_of(options: argparse.Namespace) -> int:
    """The seed that was asked for, or a new one."""
    return SystemRandom().randrange(2**32) if options.seed is None else options.seed
