"""Which measurements are made of a workload, in which order, how often."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from random import Random
from typing import Any

import attrs

from benchmarks.catalogue.all import Entry, prepared
from benchmarks.oracle._audit import audited, judge_and_run
from benchmarks.oracle._grid import grid_for
from benchmarks.oracle._measurement import GRID, ONCE_MORE, OURS, Measurement
from benchmarks.oracle._ours import by_plan, judged, timed
from benchmarks.oracle._witness import watched
from benchmarks.oracle._zygote import Answer, in_own_process
from concurrent_choices._facts._plan import Plan
from concurrent_choices._measure._cache import CACHE_VARIABLE

__all__ = [
    "ALONE",
    "HANGS",
    "WATCHED",
    "Keep",
    "Settings",
    "beside_a_neighbour",
    "calibrate",
    "measure",
    "own_cache",
]

HANGS = 30.0
"""Seconds after which a measurement is ended in any case."""

HOPELESS = 1.6
"""A hand-tuned run that takes so many times the best so far is ended (but not below `LEAST`)."""

LEAST = 0.25
"""Seconds that a hand-tuned run is given in any case."""

HOPED = 1.3
"""Before anything has run, the best is taken to be so many times what the verdict predicts."""

PATIENCE = 4.0
"""One of our strategies is ended when it takes so many times the best, or twice its own prediction …"""

LEAST_OF_OURS = 3.0
"""… but not before so many seconds: what it took at least counts against the prediction."""

OUT_OF_THE_QUESTION = 10.0
"""One of our strategies is not run at all that is predicted to take so many times the least, and
`LEAST_OF_OURS`."""

AGAIN = 1.3
"""Runs within this factor of the best take part in the second round and in those after it …"""

MOST_AGAIN = 4
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
        rounds: Rounds of every workload, at most.
        verdicts: Verdicts on it, and as many beside a busy neighbour.
        minutes: What everything may take; where it gets late, workloads have fewer rounds.
    """

    quick: bool = False
    rounds: int = 3
    verdicts: int = 3
    minutes: float = 11.0

    def more_verdicts(self, number: int) -> int:
        """How many verdicts a round holds: the first comes before it, the others are spread over all."""
        left = self.verdicts - 1
        return left // self.rounds + (number <= left % self.rounds)


@contextmanager
def own_cache() -> Iterator[None]:
    """A folder for the machine's costs, since those kept may be from a busy hour; unless one is named."""
    if CACHE_VARIABLE in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory() as cache:
        os.environ[CACHE_VARIABLE] = cache
        try:
            yield
        finally:
            del os.environ[CACHE_VARIABLE]


def calibrate() -> dict[str, float]:
    """Have this machine's costs measured and kept, so that nobody is charged for it."""
    command = [sys.executable, "-m", "concurrent_choices", "machine", "--json"]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    costs: dict[str, float] = json.loads(told.stdout)["calibration"]["costs"]
    return costs


def measure(entry: Entry, settings: Settings, random: Random, keep: Keep, until: float) -> None:
    """Verdicts, the audit, the cost of looking, rounds of everything in shuffled order, the best once more.

    Args:
        entry: The workload.
        settings: How much is measured.
        random: Shuffles.
        keep: Takes each measurement.
        until: The monotonic time from which on no further round is begun. The first one is cut short only
            when that much is exceeded by half.
    """
    began = time.monotonic()
    count = entry.quick if settings.quick else entry.count
    with prepared(entry, count) as items:
        field = _Field(entry, items, keep, until + max(LEAST_OF_OURS, (until - began) / 2))
        first = field.verdict(0, 0)
        field.hope(first)
        contestants = _contestants(entry, len(items), first)
        field.round(1, contestants, settings.more_verdicts(1), random)
        if not entry.judged_only:
            part = items[: max(2, count // 2)]
            field.ask("audit", partial(audited, judge_and_run, entry.fn, part))
        if entry.name in WATCHED:
            field.ask("witness", partial(watched, entry.fn, items))
        for number in range(2, settings.rounds + 1):
            late = time.monotonic() >= until
            again = field.decisive(contestants) if late else field.good(contestants)
            field.round(number, again, settings.more_verdicts(number), random)
        field.once_more(contestants)


def beside_a_neighbour(entry: Entry, settings: Settings, keep: Keep) -> None:
    """Verdicts while another process keeps one core busy."""
    with prepared(entry, entry.quick if settings.quick else entry.count) as items, _neighbour():
        for number in range(settings.verdicts):
            answer = in_own_process(partial(judged, entry.fn, items, finish=False), HANGS)
            keep(Measurement(workload=entry.name, kind="neighbour", round=number, answer=answer))


@contextmanager
def _neighbour() -> Iterator[None]:
    core = max(os.sched_getaffinity(0))
    # it ends with whoever started it, however that one ends
    script = (
        f"import os; os.sched_setaffinity(0, {{{core}}})\n"
        f"while os.getppid() == {os.getpid()}: sum(range(100_000))"
    )
    with subprocess.Popen([sys.executable, "-c", script]) as busy:
        try:
            yield
        finally:
            busy.kill()


Contestants = dict[tuple[str, str], Callable[..., list[Any]]]


def _contestants(entry: Entry, count: int, verdict: Answer) -> Contestants:
    """The grid, and our strategies at the plans of a verdict."""
    field: Contestants = {}
    if entry.judged_only:
        return field
    for name, runner in grid_for(is_async=entry.is_async, count=count).items():
        if entry.apart or not name.startswith("processes"):
            field[GRID, name] = runner
    estimates = verdict.get("verdict", {}).get("estimates", {})
    least = min((each["seconds"] for each in estimates.values() if each["seconds"]), default=0.0)
    for name, each in estimates.items():
        if each["obstacle"] or (not entry.apart and name in {"process", "hybrid"}):
            continue
        if name == "sequential" or each["seconds"] <= max(LEAST_OF_OURS, OUT_OF_THE_QUESTION * least):
            field[OURS, name] = partial(by_plan, Plan.from_json(each["plan"]))
    return field


@attrs.define
class _Field:
    """Measures one workload, and remembers what it needs to know to go on."""

    entry: Entry
    items: Sequence[Any]
    keep: Keep
    end: float
    _taken: dict[tuple[str, str], float] = attrs.field(factory=dict)
    _chosen: set[tuple[str, str]] = attrs.field(factory=set)
    _predicted: dict[str, float] = attrs.field(factory=dict)

    def hope(self, verdict: Answer) -> None:
        """Expect what a verdict predicts, so that the first runs too are ended when they are hopeless."""
        estimates = verdict.get("verdict", {}).get("estimates", {})
        self._predicted = {name: each["seconds"] for name, each in estimates.items() if each["seconds"]}

    def round(self, number: int, contestants: Contestants, verdicts: int, random: Random) -> None:
        """Everybody once, and some verdicts, in shuffled order; round 0 was the first verdict."""
        order: list[tuple[str, str] | None] = [*contestants, *[None] * verdicts]
        # where it gets too late, some of the grid is left out: chance decides which
        random.shuffle(order)
        for place, who in enumerate(order):
            if who is None:
                self.verdict(number, place)
            elif time.monotonic() < self.end or who[0] == OURS or who[1] in ALONE:
                self._run(who, contestants[who], number, place)

    def good(self, contestants: Contestants) -> Contestants:
        """Those near the best so far, and what is decisive."""
        limit = self._best() * AGAIN
        near = sorted((seconds, who) for who, seconds in self._taken.items() if seconds <= limit)
        few = [[who for _, who in near if who[0] == kind][:MOST_AGAIN] for kind in (GRID, OURS)]
        return {who: contestants[who] for each in few for who in each} | self.decisive(contestants)

    def decisive(self, contestants: Contestants) -> Contestants:
        """What verdicts chose, and the best so far: of these two is what a choice is said to lose.

        Run once, a choice that met a slow moment would lose by that for good, as its rivals are many.
        """
        best = self._fastest()
        return {who: runner for who, runner in contestants.items() if who == best or who in self._chosen}

    def once_more(self, contestants: Contestants) -> None:
        """The best of all again: a perfect choice would take that long."""
        if (who := self._fastest()) is not None:
            taken = Measurement(workload=self.entry.name, kind=ONCE_MORE, name=who[1])
            self._keep(taken, partial(timed, contestants[who], self.entry.fn, self.items), HANGS)

    def verdict(self, number: int, place: int) -> Answer:
        """Ask `recommend`, and let it finish the work."""
        taken = Measurement(workload=self.entry.name, kind="recommend", round=number, place=place)
        work = partial(judged, self.entry.fn, self.items, finish=not self.entry.judged_only)
        answer = self._keep(taken, work, HANGS)
        if "verdict" in answer:
            self._chosen.add((OURS, answer["verdict"]["strategy"]))
        return answer

    def ask(self, kind: str, work: Callable[[], Answer]) -> None:
        """Measure something once."""
        self._keep(Measurement(workload=self.entry.name, kind=kind), work, HANGS)

    def _run(self, who: tuple[str, str], runner: Callable[..., list[Any]], number: int, place: int) -> None:
        kind, name = who
        work = partial(timed, runner, self.entry.fn, self.items)
        taken = Measurement(workload=self.entry.name, kind=kind, name=name, round=number, place=place)
        answer = self._keep(taken, work, self._limit(kind, name))
        if "seconds" in answer:
            self._taken[who] = min(answer["seconds"], self._taken.get(who, answer["seconds"]))

    def _limit(self, kind: str, name: str) -> float:
        if name in ALONE:
            return HANGS
        best = self._best()
        if kind == GRID:
            return min(HANGS, max(LEAST, HOPELESS * best))
        return min(HANGS, max(LEAST_OF_OURS, PATIENCE * best, 2 * self._predicted.get(name, HANGS)))

    def _fastest(self) -> tuple[str, str] | None:
        return min(self._taken, key=self._taken.__getitem__, default=None)

    def _best(self) -> float:
        hoped = HOPED * min(self._predicted.values(), default=HANGS)
        return min(self._taken.values(), default=hoped)

    def _keep(self, taken: Measurement, work: Callable[[], Answer], limit: float) -> Answer:
        answer = in_own_process(work, limit)
        self.keep(attrs.evolve(taken, answer=answer))
        return answer
