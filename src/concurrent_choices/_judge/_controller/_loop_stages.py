"""The states of a run of coroutines: they are on one loop, processes come up, others shall have the rest."""

from __future__ import annotations

from math import ceil, sqrt
from typing import TypeAlias

from ._climb import FIRST
from ._first_look import FIRST_LOOK
from ._known import worth_sharing
from ._loop_known import LoopKnown, served
from ._loop_lanes import REST
from ._sight import Arrangement, LoopSight, Sight
from ._thresholds import COUNTED, FULL, GLANCE

__all__ = ["LoopStage", "OnLoop", "StartingBeside"]

BLOCKS = 0.4
"""Share of the time in which the loop stands still inside the callable, without computing, from which
threads with loops are the better place (guessed: a verdict says so from 0.3, DECISION.md 5.1)."""

THREAD_LOOP = 0.4e-3
"""CPU seconds for a thread with a loop of its own, from start to end (measured: 32 in 12 ms)."""

MOST_BLIND = 64
"""Most threads with loops to begin with (guessed, as where a `def` waits)."""

TELLING = 0.3e-3
"""Seconds of an item from which looks tell of the GIL: between items it is let go of (DECISION.md, EXP 3)."""

TOO_SHORT = "the loop is full, and carrying such short items elsewhere would cost more"


class OnLoop:
    """One loop has the items; windows of looks show whether it waits, computes or is blocked."""

    name = "loop"

    def __init__(self, known: LoopKnown, reason: str) -> None:
        self._known = known
        self.reason = reason

    def arrange(self) -> Arrangement:
        return _arrangement(self._known, self.name, f"{self.reason}; {self._known.lanes.why}")

    def look(self, sight: LoopSight) -> LoopStage:
        known = self._known
        since = known.since
        if self._is_stuck(sight):
            seconds = sight.run.now - since.run.now
            return self._blocked(sight.run, (sight.stuck - since.stuck) / seconds)
        if not known.tells(sight):
            return self
        before = known.close_window(sight)
        following = self._weigh(sight, before) if known.may_leave(sight) else self
        known.turned_away = False
        return following

    def _is_stuck(self, sight: LoopSight) -> bool:
        """Whether an item was seen to block the loop: longer than it would wait for the GIL."""
        known, since = self._known, self._known.since
        least = max(GLANCE, BLOCKS * (sight.run.now - since.run.now))
        stuck = sight.stuck - since.stuck >= least
        return stuck and known.may_leave(sight) and known.limits.threads > 1

    def _weigh(self, sight: LoopSight, before: LoopSight) -> LoopStage:
        """Whether the loop waits, computes or is blocked."""
        known, run, since = self._known, sight.run, before.run
        busy, blocked, calls = sight.busy(before), sight.blocked(before), run.calls - since.calls
        if blocked >= BLOCKS and known.limits.threads > 1:
            return self._blocked(run, blocked)
        if busy < FULL:
            return self
        if calls < COUNTED and not known.never_wait(sight):
            known.since = before  # a longer window will tell what an item takes
            return self
        seconds = run.now - since.now
        known.each = seconds / served(run, since) if calls >= COUNTED else _each_so_far(run)
        return self._filled(sight, before, busy)

    def _blocked(self, sight: Sight, share: float) -> LoopStage:
        """Over to threads: the more there are the less each has to do, and the more their loops cost."""
        known = self._known
        known.inside = 1
        known.each = _each_so_far(sight)
        most = min(MOST_BLIND, known.limits.threads)
        wanted = FIRST if sight.remaining is None else ceil(sqrt(known.rest(sight) / THREAD_LOOP))
        reason = f"items block their loop {share:.0%} of the time"
        return Leaving(known, "waiting", reason, threads=max(1, min(wanted, most)))

    def _filled(self, sight: LoopSight, before: LoopSight, busy: float) -> LoopStage:
        """One loop is full: more of them, in threads or in processes, if the rest pays for those."""
        known, plain = self._known, self._known.never_wait(sight)
        if self._leaves_gil_free(sight, before):
            known.inside = 1
            return Leaving(known, "pair", "items compute, and whoever looks need not wait for the GIL")
        if known.obstacle:
            self.reason = _full_but(known.obstacle)
        elif not (plain or known.is_worth_carrying(sight, before)):
            self.reason = TOO_SHORT
        elif known.processes_pay(known.rest(sight.run)):
            known.inside = 1 if plain else known.lanes_inside(sight.run.in_flight)
            reason = f"the loop computes {busy:.0%} of the time, and {known.left(sight.run)}"
            return StartingBeside(known, reason, plain=plain)
        return self

    def _leaves_gil_free(self, sight: LoopSight, before: LoopSight) -> bool:
        """Whether two threads may compute more than one: items need nothing of their loop, nor the GIL."""
        known, limits = self._known, self._known.limits
        if min(limits.threads, round(limits.cpus)) < 2 or known.each < TELLING:  # noqa: PLR2004 - two threads on two cores
            return False
        free = known.never_wait(sight) and known.gil_is_free(before.run, sight.run)
        return free and worth_sharing(known.rest(sight.run), 2)


class StartingBeside:
    """Processes come up in the background, while the loop goes on.

    Args:
        plain: Whether they were ordered for items that never wait.
    """

    name = "starting"

    def __init__(self, known: LoopKnown, reason: str, *, plain: bool) -> None:
        self._known = known
        self._plain = plain
        self.reason = reason

    def arrange(self) -> Arrangement:
        known = self._known
        return _arrangement(known, self.name, self.reason, processes=known.limits.processes, look=REST / 2)

    def look(self, sight: LoopSight) -> LoopStage:
        known = self._known
        if known.obstacle:
            return OnLoop(known, _full_but(known.obstacle))
        if self._plain and not known.never_wait(sight):
            # Those before had a lane in each process to come. Whether these need a place beside the loop, and
            # how many lanes there, is seen anew.
            return self._back(sight, "after items that computed, some wait")
        if not (self._plain or known.is_worth_carrying(sight, known.since)):
            # Those in the first window may have computed, or begun their lanes.
            return self._back(sight, TOO_SHORT)
        return self if sight.run.ready < min(2, known.limits.processes) else self._ready(sight)

    def _ready(self, sight: LoopSight) -> LoopStage:
        known, processes = self._known, self._known.limits.processes
        known.movable = worth_sharing(known.rest(sight.run), processes)
        if known.may_leave(sight):
            return Leaving(known, "outside", self.reason, processes=processes)
        return OnLoop(known, self.reason)

    def _back(self, sight: LoopSight, reason: str) -> LoopStage:
        """The loop goes on, and is looked at anew."""
        self._known.open_window(sight)
        return OnLoop(self._known, reason)


class Leaving(OnLoop):
    """Others shall have the rest: as long as they cannot, the loop goes on, and is looked at as before.

    Args:
        name: What those begin with: "waiting", so many threads; "pair", two; or "outside", so many processes.
    """

    def __init__(
        self, known: LoopKnown, name: str, reason: str, *, threads: int = 0, processes: int = 0
    ) -> None:
        super().__init__(known, reason)
        self.name = name
        self._threads = threads
        self._processes = processes

    def arrange(self) -> Arrangement:
        known, threads, processes = self._known, self._threads, self._processes
        return _arrangement(known, self.name, self.reason, threads=threads, processes=processes)


LoopStage: TypeAlias = OnLoop | StartingBeside
"""One state; `Leaving` is the loop's, too."""


def _arrangement(  # noqa: PLR0913 - what is rare each by name
    known: LoopKnown, stage: str, reason: str, *, threads: int = 0, processes: int = 0, look: float = 0.0
) -> Arrangement:
    """What a state wants: as many lanes as the loop has, and the next look as these need it, if not said."""
    return Arrangement(
        stage=stage,
        reason=reason,
        threads=threads or known.lanes.wanted,
        relieved=True,
        processes=processes,
        outside=stage == "outside",
        inside=known.inside,
        look=(look or known.lanes.next_look) if known.weighed else FIRST_LOOK,
    )


def _each_so_far(sight: Sight) -> float:
    """Seconds of an item that never waits, where few are over: half of one, until the first is."""
    return sight.now / max(sight.calls, 0.5)


def _full_but(obstacle: str) -> str:
    return f"the loop is full, and {obstacle}"
