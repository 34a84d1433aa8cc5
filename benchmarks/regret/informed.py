"""What any controller loses by having to find out: `python -m benchmarks.regret.informed [--size 0.05]`.

In virtual time, on workloads drawn at random: somebody works in the calling thread for so many milliseconds,
then knows all, and takes up whichever plan is the best from there on. The calling thread goes on until
processes are up. No controller that looks as late does better with these plans, so that this is a bound; what
`auto` takes beyond it is its own. Nothing is written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from random import Random

from benchmarks._command import positive
from benchmarks._results import heads, row
from benchmarks.oracle._figures import geometric_mean
from benchmarks.oracle._targets import share
from benchmarks.regret._drawn import KINDS, MACHINES, best_of, drawn, plans, taken_by_auto
from concurrent_choices._facts._costs import Costs
from concurrent_choices._facts._machine import Machine
from concurrent_choices._facts._plan import Plan
from concurrent_choices._judge._simulator import Script, steer
from concurrent_choices._judge._simulator._run import Controls
from concurrent_choices._judge._simulator._work_queue import Completion

__all__ = ["LATE", "informed_after", "main"]

LATE = (0.0, 1e-3, 2e-3, 5e-3, 10e-3)
"""Seconds after which all is known. A call is known to wait after 2 ms, and two lanes show in 6 to 20 whether
they compute beside each other (DECISION.md 0.7 and 5.3)."""


class _Informed:
    """An agent that takes up a plan after so many seconds."""

    def __init__(self, plan: Plan, after: float, costs: Costs) -> None:
        self._plan = plan
        self._after = after
        self._start = costs.process_start if plan.strategy in {"process", "hybrid"} else 0.0

    def began(self, controls: Controls) -> None:
        """Begin with the calling thread."""
        controls.add_caller()
        if self._plan.strategy != "sequential":
            controls.call_after(self._after, partial(self._take_up, controls))

    def completed(self, completion: Completion, controls: Controls) -> None:
        """Nothing has to be learnt."""

    def _take_up(self, controls: Controls) -> None:
        if controls.left:
            controls.obey(self._plan)
            controls.call_after(self._start, partial(controls.remove, "caller", 1))


def informed_after(seconds: float, script: Script, cores: int, seed: int) -> float:
    """Seconds that a workload takes whoever knows all after so many."""
    machine, costs = Machine(cpus=cores), Costs()
    agents = (_Informed(plan, seconds, costs) for plan in plans(cores))
    return min(steer(script, agent, machine, costs, seed=seed).seconds for agent in agents)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the regrets of the controller, and of those who know all sooner or later."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regret.informed", description=__doc__)
    parser.add_argument("--size", type=float, default=0.05, help="seconds of the jobs (default 0.05)")
    parser.add_argument("--count", type=positive, default=280, help="of workloads (default 280)")
    parser.add_argument("--workers", type=positive, help="processes (default: one for each core)")
    options = parser.parse_args(arguments)
    with ProcessPoolExecutor(options.workers) as pool:
        regrets = list(pool.map(partial(_regrets, options.size), range(options.count), chunksize=4))
    print("\n".join(_table(regrets)))
    return 0


def _regrets(size: float, number: int) -> tuple[float, ...]:
    """Those of the controller and of the informed, for one workload; kinds and machines take turns."""
    kind, cores = KINDS[number % len(KINDS)], MACHINES[number % len(MACHINES)]
    script = drawn(Random(f"{kind} {number}"), kind, (size,))
    best = best_of(script, cores, number)
    informed = (informed_after(late, script, cores, number) for late in LATE)
    return tuple(seconds / best for seconds in (taken_by_auto(script, cores, number), *informed))


def _table(regrets: Sequence[Sequence[float]]) -> Iterator[str]:
    yield from heads("geometric mean", *KINDS, "all", "within 1.15")
    names = ("`auto`", *(f"knows all after {late * 1e3:g} ms" for late in LATE))
    for name, column in zip(names, zip(*regrets, strict=True), strict=True):
        means = (geometric_mean(column[first :: len(KINDS)]) for first in range(len(KINDS)))
        within = share(sum(regret <= 1.15 for regret in column), len(column))
        yield row(name, *(f"{mean:.2f}" for mean in means), f"{geometric_mean(column):.3f}", within)


if __name__ == "__main__":
    sys.exit(main())
