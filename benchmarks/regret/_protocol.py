"""Which measurements are made of a workload at which sizes, in which order, how often."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

import attrs

from benchmarks.catalogue.all import Entry
from benchmarks.oracle._audit import audited
from benchmarks.oracle._grid import Runner, forks_the_caller
from benchmarks.oracle._ours import timed
from benchmarks.oracle._protocol import AGAIN, HANGS, Keep
from benchmarks.oracle._zygote import Answer, in_own_process
from benchmarks.regret._contestants import alone, contestants, rules
from benchmarks.regret._fork_server import by_fork_server
from benchmarks.regret._pace import Mark, count_for, few, paced
from benchmarks.regret._run import AUDIT, AUTO, CONTROL, FORK_SERVER, HAND, NAMED, PACE, Run, decided, named
from concurrent_choices import run

__all__ = ["AT_LENGTH", "LONG", "SIZES", "Known", "Sizes", "get_to_know", "measure"]

SIZES = {0.005: 5, 0.05: 4, 0.5: 3, 5.0: 2}
"""Seconds of jobs done one item after another, and the rounds that each is measured in."""

LONG = 2.0
"""Seconds from which on jobs are measured of the workloads `AT_LENGTH` alone, with who is promising."""

AT_LENGTH = frozenset(
    {
        "python-200us",
        "python-20ms",
        "python-pareto",
        "json",
        "numpy-small",
        "sha256",
        "closure",
        "sleep-5ms",
        "sleep-50ms-few",
        "http-20ms",
        "http-limit-8",
        "lock-3ms",
        "subprocess-cpu",
        "half-and-half",
        "async-sleep-20ms",
        "async-computes",
        "async-half-and-half",
        "async-http-20ms",
    }
)
"""A third of the catalogue, with some of every kind."""

HOPELESS, HOPELESS_AND_LONG = 3.0, 1.5
"""A hand-tuned run that takes so many times the best so far is ended (but not below `LEAST`)."""

LEAST = 0.4
"""Seconds that a hand-tuned run is given in any case."""

MOST_AGAIN = 4
"""Of the hand-tuned runs, so many take part in the rounds after the first …"""

MOST_LONG = 2
"""… and so many, with those that differ from them only in the size of chunks, in jobs that are long."""

NEAR_ALONE = 2.0
"""One item after another is measured again where `auto` is not at least so many times as fast."""


Sizes = Mapping[float, int]
"""Seconds of jobs, and the rounds of each."""


@attrs.define
class Known:
    """What the shorter jobs of a workload tell about its longer ones.

    Attributes:
        marks: How long how many items take, one after another.
        promising: Who was the best by hand at the size before.
    """

    marks: Sequence[Mark]
    promising: Sequence[str] = ()


def get_to_know(entry: Entry, keep: Keep) -> Known:
    """Find out how many items make a job of so many seconds.

    Raises:
        RuntimeError: They cannot even be called one after another.
    """
    with entry.around():
        answer = in_own_process(partial(paced, entry), HANGS)
    keep(Run(workload=entry.name, kind=PACE, answer=answer))
    if "marks" not in answer:
        raise RuntimeError(answer["error"])
    return Known(answer["marks"])


def measure(entry: Entry, known: Known, sizes: Sizes, random: Random, keep: Keep) -> None:
    """A workload at these sizes, the shortest first; each in rounds of shuffled order."""
    with entry.around():
        for size, rounds in sorted(sizes.items()):
            count = count_for(known.marks, size)
            if count is not None:
                job = _Job(entry, size, few(entry, count), keep)
                job.rounds(rounds, _chosen(entry, size, count, known.promising), random)
                known.promising = job.good(MOST_LONG)


def _chosen(entry: Entry, size: float, count: int, promising: Sequence[str]) -> dict[str, Runner]:
    """Everybody; of long jobs only those who did well before, their kin, and the rules."""
    every = contestants(entry, count)
    if size < LONG or not promising:
        return every
    wanted = {_kin(name) for name in promising}
    ruled = rules(entry).values()
    return {name: run for name, run in every.items() if name in ruled or _kin(name) in wanted}


def _kin(name: str) -> str:
    """A name without the size of chunks, which goes with the number of items."""
    return name.partition(" of ")[0]


@attrs.define
class _Job:
    """Measures one workload at one size, and remembers what it needs to know to go on."""

    entry: Entry
    size: float
    items: Sequence[Any]
    keep: Keep
    _taken: dict[str, float] = attrs.field(factory=dict)
    _auto: float = HANGS
    _doing: str = ""

    def rounds(self, number: int, everybody: Mapping[str, Runner], random: Random) -> None:
        """Everybody in the first round; then `auto` and the best, with the best so far as a control.

        Where that is a pool that forks this process, also what it takes if it forks a server instead; and the
        strategy that `auto` ended with, by its name.
        """
        self._round(1, [self._hand(name, runner) for name, runner in everybody.items()], random)
        for later in range(2, number + 1):
            again = {name: everybody[name] for name in self._again()}
            works = [self._hand(name, runner) for name, runner in again.items()]
            best = self.good(1)
            works += [partial(self._control, everybody[name]) for name in best]
            works += [self._named] * bool(self._doing)
            works += [partial(self._served, name, everybody[name]) for name in self._forking(best)]
            self._round(later, works, random)
        self._measure(AUDIT, "", 0, 0, partial(audited, run, self.entry.fn, self.items))

    def good(self, most: int) -> list[str]:
        """The best by hand so far, all within reach of the best."""
        ranked = sorted(self._taken, key=self._taken.__getitem__)
        return [name for name in ranked if self._taken[name] <= AGAIN * self._best()][:most]

    def _again(self) -> list[str]:
        again = self.good(MOST_AGAIN if self.size < LONG else MOST_LONG)
        plain = alone(self.entry)
        if plain not in again and self._taken.get(plain, HANGS) <= NEAR_ALONE * self._auto:
            again.append(plain)
        return again

    def _round(self, number: int, works: list[Callable[[int, int], None]], random: Random) -> None:
        order = [*works, self._decided]
        random.shuffle(order)
        for place, work in enumerate(order):
            work(number, place)

    def _decided(self, number: int, place: int) -> None:
        answer = self._measure(AUTO, "", number, place, partial(decided, self.entry.fn, self.items))
        self._auto = min(self._auto, answer.get("seconds", HANGS))
        self._doing = self._doing or answer.get("doing", "")

    def _named(self, number: int, place: int) -> None:
        once = partial(named, self._doing, self.entry.fn, self.items)
        self._measure(NAMED, self._doing, number, place, once)

    def _forking(self, best: Sequence[str]) -> list[str]:
        """The best pools of processes, where such a one is the best of all."""
        if not any(map(forks_the_caller, best)):
            return []
        return [name for name in self.good(MOST_LONG) if forks_the_caller(name)]

    def _served(self, name: str, runner: Runner, number: int, place: int) -> None:
        once = partial(timed, partial(by_fork_server, runner), self.entry.fn, self.items)
        self._measure(FORK_SERVER, name, number, place, once)

    def _control(self, runner: Runner, number: int, place: int) -> None:
        self._measure(CONTROL, "", number, place, partial(timed, runner, self.entry.fn, self.items))

    def _hand(self, name: str, runner: Runner) -> Callable[[int, int], None]:
        def work(number: int, place: int) -> None:
            once = partial(timed, runner, self.entry.fn, self.items)
            answer = self._measure(HAND, name, number, place, once, self._limit(name))
            if "seconds" in answer:
                self._taken[name] = min(answer["seconds"], self._taken.get(name, answer["seconds"]))

        return work

    def _limit(self, name: str) -> float:
        if name == alone(self.entry):
            return HANGS
        factor = HOPELESS if self.size < LONG else HOPELESS_AND_LONG
        return min(HANGS, max(LEAST, factor * self._best()))

    def _best(self) -> float:
        return min(self._taken.values(), default=HANGS)

    def _measure(  # noqa: PLR0913, PLR0917 - all that a line of the results tells
        self, kind: str, name: str, number: int, place: int, work: Callable[[], Answer], limit: float = HANGS
    ) -> Answer:
        line = Run(
            workload=self.entry.name,
            kind=kind,
            name=name,
            round=number,
            place=place,
            size=self.size,
            items=len(self.items),
        )
        answer = in_own_process(work, limit)
        self.keep(attrs.evolve(line, answer=answer))
        return answer
