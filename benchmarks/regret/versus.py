"""Hold two checkouts of this library against each other: `python -m benchmarks.regret.versus A B WORKLOAD …`.

Both do the same jobs under `auto`, in turns, each run in a fresh process, with the catalogue and harness of
the checkout that is asked. So a change is told from the hour's noise, which two runs of the whole harness
cannot do. Nothing is written.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import IO, Any

from benchmarks._bytecode import compile_checkout
from benchmarks._command import positive
from benchmarks._interval import interval
from benchmarks.catalogue._server import serving
from benchmarks.catalogue.all import CATALOGUE
from benchmarks.oracle._protocol import HANGS, own_cache
from benchmarks.oracle._zygote import import_everything, in_own_process
from benchmarks.regret._pace import count_for, few, paced
from benchmarks.regret._run import decided

__all__ = ["main"]

ROOT = Path(__file__).parents[2]

Ask = Callable[[], float]
"""Gives the seconds of one more run."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the medians of both for each workload, and that of their ratios with its 95 % interval."""
    options = _parser().parse_args(arguments)
    random = Random()
    with serving(), own_cache():
        for name in options.workloads:
            count = _count(name, options.size)
            with ExitStack() as both:
                asked = [both.enter_context(_contestant(tree, name, count)) for tree in options.trees]
                print(f"{name}, {count} items: {_compared(asked, options.rounds, random)}", flush=True)
    return 0


def serve(name: str, count: int) -> None:
    """Answer each line that is read with the seconds of one run; the library is that of this process."""
    import_everything()
    entry = CATALOGUE[name]
    with entry.around():
        items = few(entry, count)
        for _ in sys.stdin:
            print(json.dumps(in_own_process(partial(decided, entry.fn, items), HANGS)), flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regret.versus", description=__doc__)
    parser.add_argument("trees", nargs=2, type=Path, metavar="CHECKOUT", help="a folder that holds src/")
    parser.add_argument("workloads", nargs="+", choices=sorted(CATALOGUE), metavar="WORKLOAD")
    parser.add_argument("--size", type=float, default=0.5, help="seconds of the job one by one (default 0.5)")
    parser.add_argument("--rounds", type=positive, default=15, help="default 15")
    return parser


def _count(name: str, size: float) -> int:
    """The items of a job of so many seconds."""
    entry = CATALOGUE[name]
    with entry.around():
        answer = in_own_process(partial(paced, entry), HANGS)
    count = count_for(_answered(answer, "marks"), size)
    if count is None:
        msg = f"{name} has no job of {size} s: a single item takes longer, or too many would be needed"
        raise SystemExit(msg)
    return count


@contextmanager
def _contestant(tree: Path, name: str, count: int) -> Iterator[Ask]:
    """A process with the library of that tree."""
    compile_checkout(tree)
    paths = os.pathsep.join(map(str, (tree.resolve() / "src", ROOT)))
    script = f"from benchmarks.regret.versus import serve; serve({name!r}, {count})"
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": paths},
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield partial(_seconds, process.stdin, process.stdout)
        process.stdin.close()


def _seconds(writing: IO[str], reading: IO[str]) -> float:
    """The seconds of one more run there."""
    print(file=writing, flush=True)
    return float(_answered(json.loads(reading.readline()), "seconds"))


def _answered(answer: dict[str, Any], wanted: str) -> Any:
    """What a process of its own was asked for; an error or a time-out ends the comparison."""
    if wanted not in answer:
        msg = f"a run failed: {answer['error']}"
        raise SystemExit(msg)
    return answer[wanted]


def _compared(asked: Sequence[Ask], rounds: int, random: Random) -> str:
    """Rounds of both in shuffled order, the first of which does not count."""
    taken: list[list[float]] = [[], []]
    for number in range(rounds + 1):
        for who in random.sample((0, 1), 2):
            seconds = asked[who]()
            if number:
                taken[who].append(seconds)
    ratios = [later / before for before, later in zip(*taken, strict=True)]
    low, high = interval(ratios)
    return f"{_spread(taken[0])} -> {_spread(taken[1])} ms, {median(ratios):.3f} ({low:.3f} to {high:.3f})"


def _spread(seconds: Sequence[float]) -> str:
    """The median and its interval, in milliseconds."""
    low, high = interval(seconds)
    return f"{1e3 * median(seconds):.1f} [{1e3 * low:.1f} {1e3 * high:.1f}]"


if __name__ == "__main__":
    sys.exit(main())
