"""The controller in simulation: `python -m benchmarks.regret.simulated [--count 2000] [--seed 0]`.

Writes simulated.json beside the results of `python -m benchmarks.regret`, whose report takes it in
(`--report-only` writes that again). Simulated time is exact: other work on this machine changes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random

import attrs

from benchmarks._command import positive
from benchmarks.oracle._figures import geometric_mean, quantile
from benchmarks.regret._drawn import KINDS, MACHINES, drawn, regret_of

__all__ = ["FILE", "Drawn", "Simulated", "simulated_in"]

RESULTS = Path(__file__).parents[1] / "results" / "regret"
FILE = "simulated.json"


@attrs.frozen
class Drawn:
    """One workload on one machine."""

    kind: str
    seed: int
    cores: int
    regret: float


@attrs.frozen
class Simulated:
    """All of them."""

    drawn: tuple[Drawn, ...]

    @property
    def mean(self) -> float:
        """The geometric mean."""
        return geometric_mean([each.regret for each in self.drawn])

    @property
    def most(self) -> float:
        """What 99 % of them stay within."""
        return quantile([each.regret for each in self.drawn], 0.99)

    def part(self, *, kind: str | None = None, cores: int | None = None) -> Simulated:
        """Those of a kind, or of a machine."""
        return Simulated(
            tuple(each for each in self.drawn if kind in {None, each.kind} and cores in {None, each.cores})
        )

    def worst(self, most: int) -> list[Drawn]:
        """The worst of them."""
        return sorted(self.drawn, key=lambda each: -each.regret)[:most]


def simulated_in(folder: Path) -> Simulated:
    """What was simulated for the results in a folder; nothing where nobody did."""
    file = folder / FILE
    if not file.exists():
        return Simulated(())
    return Simulated(tuple(Drawn(**each) for each in json.loads(file.read_text(encoding="utf-8"))))


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regret.simulated", description=__doc__)
    parser.add_argument("--count", type=positive, default=2000, help="of workloads (default 2000)")
    parser.add_argument("--seed", type=int, default=0, help="of the first workload (default 0)")
    parser.add_argument("--workers", type=positive, help="processes (default: one for each core)")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="DIR", help="where the file goes")
    options = parser.parse_args(arguments)
    began = time.monotonic()
    with ProcessPoolExecutor(options.workers) as pool:
        numbers = range(options.seed, options.seed + options.count)
        simulated = Simulated(tuple(pool.map(_one, numbers, chunksize=4)))
    options.output.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(attrs.asdict(each)) for each in simulated.drawn)
    (options.output / FILE).write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"geometric mean {simulated.mean:.3f}, 99 % within {simulated.most:.2f}", end="; ")
    print(f"{len(simulated.drawn)} workloads, {time.monotonic() - began:.0f} s")
    for each in simulated.worst(10):
        print(f"{each.regret:6.2f}  {each.kind}, seed {each.seed}, {each.cores} cores")
    return 0


def _one(number: int) -> Drawn:
    """Kinds and machines take turns; their numbers have no common divisor, so that every pair comes up."""
    kind, cores = KINDS[number % len(KINDS)], MACHINES[number % len(MACHINES)]
    script = drawn(Random(f"{kind} {number}"), kind)
    return Drawn(kind, number, cores, regret_of(script, cores, number))


if __name__ == "__main__":
    sys.exit(main())
