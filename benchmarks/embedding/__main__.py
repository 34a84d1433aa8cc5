"""The command `python -m benchmarks.embedding`: all figures of issue 6, in interleaved rounds."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from random import SystemRandom
from statistics import median

from benchmarks.embedding._contestants import CONTESTANTS
from benchmarks.embedding._figures import awaited, lag, mixed, no_op, warm_offload, warm_up
from benchmarks.embedding._service import Service, resident
from concurrent_choices import offload

RESULTS = Path(__file__).parents[1] / "results" / "embedding"
Rows = dict[str, dict[str, list[float]]]
MB = 1 << 20


def main() -> None:
    """Measure, write the raw numbers, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.embedding", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke test: numbers mean nothing")
    parser.add_argument("--rounds", type=int, help="rounds that count (default 7, quick 1)")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="DIR")
    options = parser.parse_args()
    rounds = options.rounds or (1 if options.quick else 7)
    scale = 20 if options.quick else 1
    rows: Rows = defaultdict(lambda: defaultdict(list))
    for part in (executors, offloading, service):
        part(rows, rounds, scale)
    facts = {"python": platform.python_version(), "cpus": os.cpu_count(), "load": os.getloadavg()}
    options.output.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"environment": facts, "rounds": rounds, "rows": rows}, indent=2)
    (options.output / ("quick.json" if options.quick else "results.json")).write_text(text + "\n")
    print(table(rows))


def executors(rows: Rows, rounds: int, scale: int) -> None:
    """The mixed load, and a call that does nothing."""
    made = {name: make() for name, make in CONTESTANTS.items()}
    for executor in made.values():
        warm_up(executor)
    for turn in range(rounds):
        seed = SystemRandom().randrange(1 << 30)
        for name in shuffled(made):
            rate, p99 = mixed(made[name], 2000 // scale, seed)
            rows["mixed load, calls a second"][name].append(rate)
            rows["mixed load, p99 latency, s"][name].append(p99)
        for name in shuffled({"AdaptiveExecutor", "ThreadPoolExecutor"}):
            rows["no-op, submit to result, s"][name].append(no_op(made[name], 5000 // scale))
        print(f"executors: round {turn + 1} of {rounds}", flush=True)
    for executor in made.values():
        executor.shutdown()


def offloading(rows: Rows, rounds: int, scale: int) -> None:
    """Lag of the loop, and what a call off the loop costs."""
    ways: dict[str, Callable[..., object]] = {"offload": offload, "to_thread": asyncio.to_thread}
    warm_offload()
    for turn in range(rounds):
        for name in shuffled(ways):
            rows["loop lag under computing, p99, s"][name].append(lag(ways[name], 3.0 / scale))
        for name in shuffled(ways):
            rows["a call off the loop, s"][name].append(awaited(ways[name], 3000 // scale))
        print(f"offload: round {turn + 1} of {rounds}", flush=True)


def service(rows: Rows, rounds: int, scale: int) -> None:
    """What the advisor costs a real server, by the server's own computing, and the memory it keeps."""
    services = {"with the advisor": Service(advised=True), "without": Service(advised=False)}
    for each in services.values():
        each.drive(1000 // scale, 0)
    before = resident()
    for turn in range(rounds):
        for name in shuffled(services):
            requests = 10_000 // scale
            cost = services[name].drive(requests, 0) / requests
            rows["a request, s of CPU"][name].append(cost)
        rows["growth of memory, MB"]["both"].append((resident() - before) / MB)
        print(f"service: round {turn + 1} of {rounds}", flush=True)
    for each in services.values():
        each.close()


def shuffled(names: object) -> list[str]:
    """Names in a new order each time."""
    order = sorted(names)  # type: ignore[call-overload] # any collection of names
    SystemRandom().shuffle(order)
    return order


def table(rows: Rows) -> str:
    """Medians, with the spread of the rounds."""
    lines = []
    for row, contestants in rows.items():
        for name, values in contestants.items():
            spread = f"{min(values):.4g} to {max(values):.4g}"
            lines.append(f"{row:36}{name:22}{median(values):>12.4g}   ({spread})")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
