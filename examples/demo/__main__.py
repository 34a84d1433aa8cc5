"""`make demo`: race every strategy over real work and show one table.

Exit code 0 where all strategies gave the sequential results, 1 where one did not, 130 on Ctrl-C; other
signals that ask it to end add their number to 128, as in a shell.
"""

import argparse
import signal
import sys

from concurrent_choices._strategies._registry import NAMES

from .catalogue import catalogue
from .race import race
from .show import complain, console, progress, table

FOOT = """\
Seconds include starting workers, unless those of the previous run are still waiting.
close: within 5 % of the fastest; auto: finds out while it works."""


def arguments(words, names):
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(prog="python -m examples.demo", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="times as many items (default 1)")
    parser.add_argument("--only", default="", help="workloads whose name contains this")
    parser.add_argument("--strategies", nargs="+", default=names, choices=names, metavar="NAME")
    return parser.parse_args(words)


def main(words):
    """Race, show, and answer with an exit code."""
    asked = arguments(words, [*NAMES, "auto"])
    there = console()
    finishes = []
    for number in {signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}:  # Windows has but one
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _interrupt)
    try:
        _race_all(there, asked, finishes)
    except KeyboardInterrupt as interrupt:
        there.print("Stopped: everything that was started has ended.")
        (number,) = interrupt.args or (signal.SIGINT,)
        return 128 + number
    there.print(table(finishes))
    there.print(FOOT)
    return 1 if complain(there, finishes) else 0


def _interrupt(number, _frame):
    """End as on Ctrl-C: by default these signals end the process at once, and its files stay behind."""
    raise KeyboardInterrupt(number)


def _race_all(there, asked, finishes):
    with catalogue(asked.scale) as everything:
        workloads = [workload for workload in everything if asked.only in workload.name]
        if not workloads:
            sys.exit(f"no workload has {asked.only!r} in its name")
        names = ["sequential", *(name for name in asked.strategies if name != "sequential")]
        display, bar = progress(there, len(workloads) * len(names))
        with display:
            for workload in workloads:
                display.update(bar, description=workload.name)
                for finish in race(workload, names):
                    finishes.append(finish)
                    display.advance(bar)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
