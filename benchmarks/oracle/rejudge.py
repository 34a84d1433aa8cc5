"""Judge what an oracle run recorded with the code there is now: `python -m benchmarks.oracle.rejudge [DIR]`.

So a change of the cost model is held against measurements that were made before, within seconds. Profiles,
costs and what races told stay as recorded, and so do the runs: a strategy whose plan changes is held against
the old plan's time. Nothing is written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from benchmarks._results import load
from benchmarks.oracle._figures import cases_of
from benchmarks.oracle._measurement import Measurement
from benchmarks.oracle._ours import told
from benchmarks.oracle._targets import targets
from benchmarks.oracle._zygote import Answer
from concurrent_choices import Machine, Profile, Workload
from concurrent_choices._facts._costs import Costs
from concurrent_choices._judge._recommend import recommend, settle

__all__ = ["judged_again"]

RESULTS = Path(__file__).parents[1] / "results" / "oracle"

Judge = Callable[[Answer], Answer]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print which verdicts change, and the figures then and now."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.oracle.rejudge", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=RESULTS, metavar="DIR", help="of the run")
    environment, before = load(parser.parse_args(arguments).folder, Measurement)
    after = judged_again(before, environment)
    changed = list(_changed(before, after))
    print("\n".join(changed) or "No verdict changes.")
    then, now = (
        {each.figure: each.measured for each in targets(cases_of(lines))} for lines in (before, after)
    )
    for figure in then | now:
        if then.get(figure) != now.get(figure):
            print(f"{figure}: {then.get(figure)} -> {now.get(figure)}")
    return 0


def judged_again(lines: Sequence[Measurement], environment: dict[str, Any]) -> list[Measurement]:
    """The measurements of a run, with verdicts as they would be now."""
    # Where verdicts are measured uvloop is loaded, as all that is imported (`import_everything`).
    costs = attrs.evolve(Costs(**environment["costs"]), uvloop_start=0.0)
    machine = Machine(cpus=environment["usable_cpus"], gil=environment["gil"])
    return [_again(each, costs, machine) if "verdict" in each.answer else each for each in lines]


def _again(line: Measurement, costs: Costs, machine: Machine) -> Measurement:
    profile = Profile.from_json(line.answer["verdict"]["profile"])
    estimates = line.answer["verdict"]["estimates"]
    obstacles = {name: each["obstacle"] for name, each in estimates.items() if each["obstacle"]}
    raced = {name: each["measured"] for name, each in estimates.items() if each["measured"] is not None}
    work = Workload(len, items_count=profile.items, name=line.workload)
    verdict = recommend(work, profile, costs, machine, obstacles=obstacles)
    again = told(settle(verdict, raced) if raced else verdict)
    return attrs.evolve(line, answer=line.answer | {"verdict": again})


def _changed(before: Sequence[Measurement], after: Sequence[Measurement]) -> Iterator[str]:
    """A line for each verdict that says something else."""
    for then, now in zip(before, after, strict=True):
        said, says = _words(then), _words(now)
        if said != says:
            yield f"{now.workload}, {now.kind} of round {now.round}: {said} -> {says}"


def _words(line: Measurement) -> str:
    said = line.answer.get("verdict")
    return f"{said['strategy']} ({said['bound']}, {said['diagnosis']})" if said else ""


if __name__ == "__main__":
    sys.exit(main())
