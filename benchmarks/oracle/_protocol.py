"""Which measurements are made of a workload, in which order, how often."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from random import Random
from typing import Any

import attrs

from benchmarks.catalogue.all import Entry, prepared
from benchmarks.oracle._audit import audited, judge_and_run
from benchmarks.oracle._grid import grid_for
from benchmarks.oracle._measurement import GRID, OURS, Measurement
from benchmarks.oracle._ours import by_plan, judged, timed
from benchmarks.oracle._witness import watched
from benchmarks.oracle._zygote import Answer, in_own_process
from concurrent_choices._facts._plan import Plan

__all__ = ["ALONE", "HANGS", "WATCHED", "Keep", "Settings", "beside_a_neighbour", "calibrate", "measure"]

HANGS = 30.0
"""Seconds after which a measurement is ended in any case."""

HOPELESS = 3.0
"""A hand-tuned run that takes so many times the best of the first round is ended (but not below `LEAST`)."""

LEAST = 0.7
"""Seconds that a hand-tuned run is given in any case."""

AGAIN = 1.5
"""Runs within this factor of the best take part in the second round and in those after it …"""

MOST_AGAIN = 5
"""… but of the hand-tuned ones no more than so many, and of ours as many again."""

ALONE = ("loop", "await one by one")
"""One item after another: it is never ended early, since costs are told as a share of it."""

WATCHED = frozenset({"python-200us", "json", "recursion", "numpy-small", "sha256", "zlib"})
"""Workloads on which the cost of looking is measured: computing, under the GIL and outside it."""

Keep = Callable[[Measurement], None]


@attrs.frozen(kw_only=True)
class Settings:
    """How much is measured.

    Attributes:
        quick: Few items.
        rounds: Rounds of every workload.
        verdicts: Verdicts on it, and as many beside a busy neighbour.
    """

    quick: bool = False
    rounds: int = 2
    verdicts: int = 3

    def more_verdicts(self, number: int) -> int:
        """How many verdicts a round holds: the first comes before it, the others are spread over all."""
        left = self.verdicts - 1
        return left // self.rounds + (number <= left % self.rounds)


def calibrate() -> None:
    """Have this machine's costs measured and kept, so that nobody is charged for it."""
    command = [sys.executable, "-m", "concurrent_choices", "machine"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def measure(entry: Entry, settings: Settings, random: Random, keep: Keep) -> None:
    """A verdict, then rounds of everything in shuffled order, then the audit and the cost of looking."""
    count = entry.quick if settings.quick else entry.count
    with prepared(entry, count) as items:
        field = _Field(entry, items, keep)
        first = field.verdict(0, 0)
        contestants = _contestants(entry, len(items), first)
        field.round(1, contestants, settings.more_verdicts(1), random)
        for number in range(2, settings.rounds + 1):
            field.round(number, field.good(contestants), settings.more_verdicts(number), random)
        field.ask("audit", partial(audited, judge_and_run, entry.fn, items[: max(2, count // 2)]))
        if entry.name in WATCHED:
            field.ask("witness", partial(watched, entry.fn, items))


def beside_a_neighbour(entry: Entry, settings: Settings, keep: Keep) -> None:
    """Verdicts while another process keeps one core busy."""
    with prepared(entry, entry.quick if settings.quick else entry.count) as items, _neighbour():
        for number in range(settings.verdicts):
            answer = in_own_process(partial(judged, entry.fn, items, finish=False), HANGS)
            keep(Measurement(workload=entry.name, kind="neighbour", round=number, answer=answer))


@contextmanager
def _neighbour() -> Iterator[None]:
    core = max(os.sched_getaffinity(0))
    script = f"import os; os.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", script]) as busy:
        try:
            yield
        finally:
            busy.kill()


Contestants = dict[tuple[str, str], Callable[..., list[Any]]]


def _contestants(entry: Entry, count: int, verdict: Answer) -> Contestants:
    """The grid, and our strategies at the plans of a verdict."""
    field: Contestants = {}
    for name, runner in grid_for(is_async=entry.is_async, count=count).items():
        if entry.apart or not name.startswith("processes"):
            field[GRID, name] = runner
    for name, each in verdict.get("verdict", {}).get("estimates", {}).items():
        if not each["obstacle"] and (entry.apart or name not in {"process", "hybrid"}):
            field[OURS, name] = partial(by_plan, Plan.from_json(each["plan"]))
    return field


@attrs.define
class _Field:
    """Measures one workload, and remembers what it needs to know to go on."""

    entry: Entry
    items: Sequence[Any]
    keep: Keep
    _taken: dict[tuple[str, str], float] = attrs.field(factory=dict)

    def round(self, number: int, contestants: Contestants, verdicts: int, random: Random) -> None:
        """Everybody once, and some verdicts, in shuffled order; round 0 was the first verdict."""
        order: list[tuple[str, str] | None] = [*contestants, *[None] * verdicts]
        random.shuffle(order)
        for place, who in enumerate(order):
            if who is None:
                self.verdict(number, place)
            else:
                self._run(who, contestants[who], number, place)

    def good(self, contestants: Contestants) -> Contestants:
        """Those near the best so far."""
        limit = self._best() * AGAIN
        near = sorted((seconds, who) for who, seconds in self._taken.items() if seconds <= limit)
        chosen = [[who for _, who in near if who[0] == kind][:MOST_AGAIN] for kind in (GRID, OURS)]
        return {who: contestants[who] for each in chosen for who in each}

    def verdict(self, number: int, place: int) -> Answer:
        """Ask `recommend`, and let it finish the work."""
        taken = Measurement(workload=self.entry.name, kind="recommend", round=number, place=place)
        return self._keep(taken, partial(judged, self.entry.fn, self.items, finish=True), HANGS)

    def ask(self, kind: str, work: Callable[[], Answer]) -> None:
        """Measure something once."""
        self._keep(Measurement(workload=self.entry.name, kind=kind), work, HANGS)

    def _run(self, who: tuple[str, str], runner: Callable[..., list[Any]], number: int, place: int) -> None:
        kind, name = who
        limit = max(LEAST, HOPELESS * self._best()) if kind == GRID and name not in ALONE else HANGS
        work = partial(timed, runner, self.entry.fn, self.items)
        taken = Measurement(workload=self.entry.name, kind=kind, name=name, round=number, place=place)
        answer = self._keep(taken, work, min(limit, HANGS))
        if "seconds" in answer:
            self._taken[who] = min(answer["seconds"], self._taken.get(who, answer["seconds"]))

    def _best(self) -> float:
        return min(self._taken.values(), default=HANGS)

    def _keep(self, taken: Measurement, work: Callable[[], Answer], limit: float) -> Answer:
        answer = in_own_process(work, limit)
        self.keep(attrs.evolve(taken, answer=answer))
        return answer
