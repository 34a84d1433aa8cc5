"""The command `python -m benchmarks.embedding`: all figures of issue 6, in interleaved rounds.

Each part runs in a process of its own with a limit of its own, so that one that fails or hangs costs the
others nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from benchmarks._bytecode import compile_checkout
from benchmarks._environment import describe, without_paths, write_environment
from benchmarks.embedding._parts import PARTS
from benchmarks.embedding._report import write_report

RESULTS = Path(__file__).parents[1] / "results" / "embedding"
PACKAGES = (
    "anyio",
    "attrs",
    "cloudpickle",
    "concurrent_choices",
    "fastapi",
    "starlette",
    "uvicorn",
    "uvloop",
)

SECONDS = {"executors": 100, "no_ops": 40, "offloading": 100, "computing": 100, "cost": 200, "advice": 45}
"""What each part may take: under ten minutes in all. Rounds stop at four fifths of it."""


def main() -> None:
    """Measure, write the numbers and the report, and print where."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.embedding", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke test: numbers mean nothing")
    parser.add_argument("--rounds", type=int, help="rounds that count (default 7, quick 1)")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="DIR")
    parser.add_argument("--part", choices=PARTS, help="this part only, in this process (used internally)")
    options = parser.parse_args()
    rounds = options.rounds or (1 if options.quick else 7)
    options.output.mkdir(parents=True, exist_ok=True)
    if options.part:
        _measure(options.part, rounds, options.output, 20 if options.quick else 1)
    else:
        _run(rounds, options.output, quick=options.quick)


def _run(rounds: int, folder: Path, *, quick: bool) -> None:
    began = time.monotonic()
    environment = describe(PACKAGES) | {"rounds": rounds, "quick": quick}
    (folder / "results.jsonl").write_text("", encoding="utf-8")
    failures: dict[str, str] = {}
    compile_checkout()
    for part in PARTS:
        print(f"{part} ...", flush=True)
        wrong = _part(part, rounds, folder, quick=quick)
        if wrong:
            failures[part] = wrong
            print(f"{part} failed: {wrong}", flush=True)
    write_environment(folder, environment | {"failures": failures}, began)
    print(write_report(folder).read_text(encoding="utf-8"))


def _part(part: str, rounds: int, folder: Path, *, quick: bool) -> str:
    """Run one part; what went wrong, or nothing."""
    command = [sys.executable, "-m", "benchmarks.embedding", "--part", part, "--rounds", str(rounds)]
    command += ["--output", str(folder), *(["--quick"] if quick else [])]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        _, errors = child.communicate(timeout=SECONDS[part])
    except subprocess.TimeoutExpired:
        return f"not done after {SECONDS[part]} s"
    finally:
        _end(child.pid)
    if child.returncode == 0:
        return ""
    return without_paths((errors.strip().splitlines() or [f"exit code {child.returncode}"])[-1])


def _end(group: int) -> None:
    """End whatever a part has left behind."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def _measure(part: str, rounds: int, folder: Path, scale: int) -> None:
    """Run one part here, and add its numbers to the file as they come."""
    until, turn = time.monotonic() + 0.8 * SECONDS[part], 0
    with (folder / "results.jsonl").open("a", encoding="utf-8", buffering=1) as file:
        for number in PARTS[part](rounds, scale):
            if number.turn > turn and time.monotonic() > until:
                break  # an unfinished round would compare unlike rounds
            turn = number.turn
            file.write(json.dumps(number) + "\n")
    sys.stdout.flush()
    os._exit(0)  # contestants of a run that was cut short need not be awaited


if __name__ == "__main__":
    main()
