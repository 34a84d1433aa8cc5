"""Racing the leading plans on real items, which are thereby done.

Each contender gets several short heats, in turn with the others, so that a neighbour who takes a core for a
while slows all of them alike.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from math import inf
from typing import cast

from attrs import define, evolve, field

from .._errors import WorkerStartError
from .._facts._estimate import Estimate
from .._facts._plan import Plan
from .._facts._profile import Profile
from .._facts._recommendation import Recommendation
from .._judge._formulas import Case, starting
from .._judge._obstacles import IN_PROCESSES
from .._strategies._registry import strategy_for
from ..protocols import Strategy
from ._elsewhere import LoadOnly, no_worker
from ._leftover import Leftover
from ._prepare import prepare

__all__ = ["Race"]

SHARE = 0.2
"""Of the items left, the part that a race may use up: the rest is to profit from it (guessed)."""

HEATS = 3
"""Heats of each contender: the fewest of which one may be spoilt (guessed)."""

LEAST_HEAT = 4e-3
"""Seconds below which a heat tells nothing (guessed: a scheduler's time slice)."""

RESERVE = 0.5
"""The share of what starting processes is reckoned to take that is kept free besides: to count the modules
that they load tells it within a third (`_transfer._imports`), and others compute meanwhile (guessed)."""

_PAIR = 2  # processes that `Profile.process_speedup` is of


@define
class Race:
    """A race on items that are left, which keep what comes of them.

    Attributes:
        leftover: Where items are drawn; no more are once a call has raised.
        case: What starting up takes, and what workers have to load.
        dry: Whether there were fewer items than was said.
        obstacle: Why worker processes could not be started; empty where they could, or were not to be.
        starts: By strategy, the seconds that starting it up really took, where it has processes.
        heats: By plan, the seconds for an item in each of its heats.
    """

    leftover: Leftover
    case: Case
    dry: bool = False
    obstacle: str = ""
    starts: dict[str, float] = field(factory=dict[str, float])
    heats: dict[Plan, list[float]] = field(factory=dict[Plan, list[float]])

    def hold(self, verdict: Recommendation, left: int, seconds: float) -> dict[str, float]:
        """By strategy, the seconds all items would take, going by its heats; nothing without a race.

        The verdict's contenders race on items of their own, in turn: on so many of those that are left as fit
        into so many seconds, by its estimates.
        """
        deadline = time.perf_counter() + seconds
        racers, count = self._drawn_up(verdict, left, seconds)
        if not racers:
            return {}
        with ExitStack() as stack:
            running = list(self._starters(stack, racers))
            if not running[1:]:
                return {}
            self.heats = {plan: [] for plan, _ in running}
            self._run_heats(running, count, deadline)
        if self.leftover.raised or self.dry or not all(self.heats.values()):
            return {}
        return {
            plan.strategy: self._start_of(plan) + self._each(plan, heats) * verdict.items
            for plan, heats in self.heats.items()
        }

    def _each(self, plan: Plan, heats: Sequence[float]) -> float:
        """Seconds for an item, and for the next to come, meanwhile or before it; heats had theirs ready."""
        pace, source = statistics.median(heats), self.case.profile.source
        return pace + source if plan.strategy == "sequential" else max(pace, source)

    def _run_heats(self, running: Sequence[tuple[Plan, Strategy]], count: int, deadline: float) -> None:
        """Let each do so many items, in turn, until the deadline: predictions may have been too good."""
        for _ in range(HEATS):
            for plan, strategy in running:
                if time.perf_counter() > deadline or self.leftover.raised or self.dry:
                    return
                self.heats[plan].append(self._do(strategy, count) / count)

    def learnt(self, profile: Profile) -> Profile:
        """The profile with what only processes can tell: how long they take to load, what two of them do."""
        told = {plan: statistics.median(heats) for plan, heats in self.heats.items() if heats}
        pairs = (each for plan, each in told.items() if plan.strategy == "process" and plan.workers == _PAIR)
        pair, start = next(pairs, 0.0), self.starts.get("process")
        if start is not None:
            known = self.case.costs.process_start + self.case.costs.process_worker
            loading = max(0.0, start - known - profile.first_excess - profile.wall)
            profile = evolve(profile, payload=evolve(profile.payload, load_seconds=loading))
        return evolve(profile, process_speedup=profile.wall / pair) if pair > 0 else profile

    def _start_of(self, plan: Plan) -> float:
        return self.starts.get(plan.strategy, starting(self.case, plan))

    def _drawn_up(self, verdict: Recommendation, left: int, seconds: float) -> tuple[Sequence[Estimate], int]:
        """Who races, and with how many items a heat; nobody where that would tell nothing.

        The dearest to start stays away until there are time and items for all.
        """
        racers = [verdict.estimate(plan.strategy) for plan in verdict.contenders]
        while len(racers) > 1:
            count = self._fair_count(racers, verdict.items, left, seconds)
            if count >= max(2 * each.plan.in_flight for each in racers):
                return racers, count
            racers.remove(max(racers, key=lambda each: (self._start_of(each.plan), each.plan.in_flight)))
        return (), 0

    def _fair_count(self, racers: Sequence[Estimate], items: int, left: int, seconds: float) -> int:
        """Items of a heat: as many as all can do in the time, and a share of what is left."""
        starts = [(each, self._start_of(each.plan)) for each in racers]
        pace = max(max(0.0, each.expected - start) / max(1, items) for each, start in starts)
        reserve = RESERVE * sum(start for each, start in starts if each.plan.strategy in IN_PROCESSES)
        heat = (seconds - sum(start for _, start in starts) - reserve) / HEATS / len(racers)
        if heat < LEAST_HEAT or not pace:
            return 0
        return min(int(heat / pace), int(left * SHARE / HEATS / len(racers)))

    def _starters(self, stack: ExitStack, racers: Sequence[Estimate]) -> Iterator[tuple[Plan, Strategy]]:
        """The racers that can start; the others withdraw."""
        for each in racers:
            # All of ours can be entered.
            strategy = cast("AbstractContextManager[Strategy]", strategy_for(each.plan))
            entered = stack.enter_context(strategy)
            if self._comes_up(entered, each.plan):
                yield each.plan, entered

    def _comes_up(self, strategy: Strategy, plan: Plan) -> bool:
        """Whether its processes, if it has any, are up; an item has gone through each."""
        if plan.strategy not in IN_PROCESSES:
            return True
        try:
            coming_up = _come_up(strategy, self.leftover.fn, plan.workers)
        except (OSError, WorkerStartError) as failed:
            self.obstacle = no_worker(failed)
            return False
        self.starts[plan.strategy] = coming_up + self._do(strategy, plan.workers)
        return True

    def _do(self, strategy: Strategy, count: int) -> float:
        """Seconds for `count` items."""
        drawn = self.leftover.draw(count)
        self.dry = self.dry or len(drawn) < count
        return self.leftover.perform(drawn, strategy)


def _come_up(strategy: Strategy, fn: object, workers: int) -> float:
    """Seconds in which workers start and load a callable. It is not called: an item might be lost."""
    began = time.perf_counter()
    job, strategy = prepare(LoadOnly(fn), range(workers), strategy, linger=inf)
    for _ in strategy.execute(job):
        pass
    return time.perf_counter() - began
