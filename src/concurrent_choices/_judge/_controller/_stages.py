"""The states of the controller. Each looks at the run and names the state that follows."""

from __future__ import annotations

from math import ceil, inf

from ._climb import FIRST, Climb
from ._known import SMALL, Known, gil_held, worth_starting
from ._sight import Arrangement, Sight
from ._stage import Stage, calm
from ._thresholds import (
    CALM,
    CLEAR,
    COMPUTED,
    COUNTED,
    FULL,
    GAINS,
    GLANCE,
    MOST_INSIDE,
    MOSTLY,
    NATIVE,
    PARALLEL,
    TINY,
    TWO,
    WAITS,
)
from ._trial import Trial

__all__ = ["Alone", "Outside", "Pair", "Parallel", "Starting", "Waiting"]

_NATIVE = "an item keeps the cores busy by itself"


class Alone:
    """The calling thread works by itself."""

    name = "alone"

    def __init__(self, known: Known, sight: Sight, reason: str = "the calling thread begins") -> None:
        self._known = known
        self._since = self._began = self._last = sight
        self._reason = reason
        self._look = GLANCE

    def arrange(self) -> Arrangement:
        return Arrangement(stage=self.name, reason=self._reason, look=self._look)

    def look(self, sight: Sight) -> Stage:
        began, self._last = self._window(sight), sight
        work = sight.alone_wall - began.alone_wall + sight.held - began.held
        items = sight.alone_items - began.alone_items
        if items:
            self._known.each = max(work, 1e-9) / items
        elif not (sight.alone_items and self._known.each):
            # What has lasted so long may well last as long again.
            self._known.each = max(self._known.each, 2 * sight.held, 1e-9)
        if sight.flying:
            return self._beside_others(sight)
        rest = self._known.rest(sight)
        if sight.remaining == 0 or (items and (rest < SMALL or self._known.each < TINY)):
            reason = "the rest, or each item, is too small to be worth anything else"
            return self._stay(reason, max(rest, GLANCE))
        if work < 0.9 * GLANCE:
            return self._stay(self._reason, GLANCE)
        cpu = sight.alone_cpu - began.alone_cpu + sight.held_cpu - began.held_cpu
        waits = 1.0 - cpu / work
        full = sight.cpu - began.cpu >= FULL * (sight.now - began.now)
        clear = waits >= MOSTLY or (waits >= WAITS and work >= CLEAR)
        if clear and not full:  # where this process computes all the time, it waited for the GIL
            return self._to_lanes(sight, waits)
        if work < (CLEAR if waits >= WAITS else COMPUTED) or sight.unseen:
            return self._stay(self._reason, GLANCE)
        return self._computing(sight, began, work)

    def _window(self, sight: Sight) -> Sight:
        """Since when to count: the latest time that gives enough evidence."""
        fresh = sight.alone_items - self._last.alone_items >= 2  # noqa: PLR2004 - a single one may be unlike the others
        if fresh and sight.alone_wall - self._last.alone_wall >= COMPUTED:
            self._began = self._last
        return self._began

    def _beside_others(self, sight: Sight) -> Stage:
        """Lanes are still at their last item: what is seen now is not what it is like alone."""
        self._began = sight
        done = sight.done - self._since.done
        if done >= COUNTED and self._known.gil_each:
            self._known.each = self._known.gil_each = (sight.now - self._since.now) / done
        if self._known.gil_each and self._known.may_change(sight.now):
            return self._under_gil(sight, self._known.rest(sight))
        return self._stay(self._reason, GLANCE)

    def _to_lanes(self, sight: Sight, waits: float) -> Stage:
        if self._known.limits.threads < 2:  # noqa: PLR2004 - one thread is the calling one
            return self._stay(f"it waits, and may run in one thread: {self._known.obstacle}", CALM)
        if not self._known.may_change(sight.now):
            return self._stay(self._reason, CALM)
        first = max(2, min(FIRST, ceil(2.0 / max(1.0 - waits, 1e-3))))
        why = f"{waits:.0%} of an item's time is spent waiting"
        return Waiting(self._known, sight, why, first=first)

    def _computing(self, sight: Sight, began: Sight, work: float) -> Stage:
        known, rest = self._known, self._known.rest(sight)
        known.cores = max(0.1, (sight.lane_cpu - began.lane_cpu) / work)
        native = (sight.cpu - began.cpu) / work if work >= 10 * GLANCE else 1.0
        if known.native or (native >= PARALLEL and known.limits.cpus < 2 * native):
            return self._stay(_NATIVE, CALM)
        if known.limits.cpus < 1.5 or rest < 10e-3:  # noqa: PLR2004 - less than a second core; less than a pair takes
            return self._stay("there is nothing to gain from a second lane", calm(sight))
        tried = known.gil_each and 1 / 3 < known.each / known.gil_each < 3  # noqa: PLR2004 - the same kind of item
        if not tried and known.limits.threads > 1:
            return self._trying(sight, rest)
        return self._under_gil(sight, rest)

    def _trying(self, sight: Sight, rest: float) -> Stage:
        """It computes: under the GIL, as a thread that looks can tell, or else a second lane will."""
        known, held = self._known, gil_held(self._since, sight)
        if held is None:
            return self._stay(self._reason, GLANCE)
        if held:
            known.gil_each = known.each
            return self._under_gil(sight, rest)
        return Pair(known, sight) if known.may_change(sight.now) else self._stay(self._reason, CALM)

    def _under_gil(self, sight: Sight, rest: float) -> Stage:
        known = self._known
        if known.obstacle:
            return self._stay(f"it computes under the GIL, and {known.obstacle}", calm(sight))
        if not worth_starting(rest, known.limits.process_start, known.limits.processes):
            return self._stay("it computes under the GIL; processes would not pay", max(5e-3, calm(sight)))
        why = f"it computes under the GIL, and about {rest:.2g} s are left"
        return Starting(known, sight, why)

    def _stay(self, reason: str, look: float) -> Stage:
        self._reason, self._look = reason, max(GLANCE, min(look, CALM))
        return self


class Pair:
    """The calling thread and one lane: do two compute faster than one?"""

    name = "pair"

    def __init__(self, known: Known, sight: Sight) -> None:
        self._known = known
        self._alone = 1.0 / known.each
        self._span = max(6e-3, min(20e-3, 3 * known.each))
        self._began: Sight | None = None
        self._since = sight.now

    def arrange(self) -> Arrangement:
        why = "a second lane shows whether threads compute in parallel"
        return Arrangement(stage=self.name, reason=why, threads=1)

    def look(self, sight: Sight) -> Stage:
        if self._began is None:
            if sight.flying:
                self._began = sight
            elif sight.now - self._since > 10 * self._span:
                return self._under_gil(sight)  # the lane found nothing to do
            return self
        seconds = sight.now - self._began.now
        return self._conclude(sight, self._began, seconds) if seconds >= self._span else self

    def _conclude(self, sight: Sight, began: Sight, seconds: float) -> Stage:
        busy = (sight.lane_cpu - began.lane_cpu) / seconds
        gain = busy / self._known.cores
        if (sight.cpu - began.cpu) / seconds - busy >= NATIVE:
            self._known.native = True
            return Alone(self._known, sight, _NATIVE)
        items = sight.done - began.done
        slower = items >= 3 * COUNTED and items / seconds < GAINS * self._alone
        if gain >= PARALLEL and busy >= TWO and not slower:
            return Parallel(self._known, sight, f"two lanes compute {gain:.1f} times as much as one")
        if gain < 2 * WAITS:
            return Waiting(self._known, sight, f"two lanes computed {busy / 2:.0%} of the time")
        return self._under_gil(sight)

    def _under_gil(self, sight: Sight) -> Stage:
        self._known.gil_each = self._known.each
        return Alone(self._known, sight, "two lanes are no faster than one").look(sight)


class Parallel:
    """A thread for every core: the callable computes without the GIL."""

    name = "parallel"

    def __init__(self, known: Known, sight: Sight, reason: str) -> None:
        self._known = known
        self._reason = reason
        self._lanes = max(2, min(round(known.limits.cpus), known.limits.threads))
        self._began = sight
        known.changed(sight.now)

    def arrange(self) -> Arrangement:
        name, lanes = self.name, self._lanes
        return Arrangement(stage=name, reason=self._reason, threads=lanes, relieved=True, look=CALM)

    def look(self, sight: Sight) -> Stage:
        began, seconds = self._began, sight.now - self._began.now
        if seconds < CALM or sight.starved:
            return self
        self._began = sight
        busy = (sight.lane_cpu - began.lane_cpu) / seconds / self._known.cores
        if sight.flying < self._lanes or not self._known.may_change(sight.now):
            return self
        if busy < 1 - WAITS:
            return Waiting(self._known, sight, "the lanes have begun to wait")
        if busy < 0.8 * PARALLEL and self._lanes > 1:
            self._known.changed(sight.now)
            return Alone(self._known, sight, "the lanes are no longer faster together")
        return self


class Waiting:
    """Lanes in threads, as many as the delivery rate says."""

    name = "waiting"

    def __init__(self, known: Known, sight: Sight, reason: str, first: int = FIRST) -> None:
        self._known = known
        self._reason = reason
        self._climb = Climb(sight, known.limits.threads, first)
        self._began = sight
        self._look = GLANCE
        known.changed(sight.now)

    def arrange(self) -> Arrangement:
        climb = self._climb
        why, lanes = f"{self._reason}; {climb.why}", climb.lanes
        return Arrangement(stage=self.name, reason=why, threads=lanes, relieved=True, look=self._look)

    def look(self, sight: Sight) -> Stage:
        self._climb.look(sight)
        trip = self._climb.round_trip
        self._look = max(GLANCE, min(trip / 4, CALM)) if trip < inf else GLANCE
        began, seconds = self._began, sight.now - self._began.now
        calls = sight.calls - began.calls
        if seconds < 10 * GLANCE:
            return self
        if not calls and sight.flying > 1:
            return self._computing(sight, (sight.lane_cpu - began.lane_cpu) / seconds)
        if calls < max(COUNTED, self._climb.lanes / 4):
            return self
        self._began = sight
        return self._bound(sight, (sight.cpu - began.cpu) / seconds, seconds / calls)

    def _computing(self, sight: Sight, busy: float) -> Stage:
        """Whether long calls compute under the GIL: none has come back, and all together use one core."""
        known = self._known
        if not FULL <= busy < TWO or not known.may_change(sight.now):
            return self
        known.gil_each = known.each
        known.changed(sight.now)
        return Alone(known, sight, "the lanes compute rather than wait")

    def _bound(self, sight: Sight, busy: float, gap: float) -> Stage:
        """What follows where the lanes compute as much as this process can."""
        known, cpu = self._known, busy * gap
        known.each = gap
        if busy < FULL or sight.starved or not known.may_change(sight.now):
            return self
        inside = ceil(self._wall(sight) / cpu) if cpu else 1
        if busy >= PARALLEL:
            return self  # several cores at work: the climb finds how many lanes they need
        if inside <= 1:
            if busy < TWO:
                known.gil_each = known.each  # so many lanes, and together they use one core
            known.changed(sight.now)
            return Alone(known, sight, "the lanes compute rather than wait")
        rest = known.rest(sight)
        if known.obstacle or not worth_starting(rest, known.limits.process_start, known.limits.processes):
            return self
        share = ceil(min(sight.flying, MOST_INSIDE * known.limits.processes) / known.limits.processes)
        why = f"it waits and computes under the GIL, and about {rest:.2g} s are left"
        return Starting(known, sight, why, before=self, inside=known.limits.inside(max(inside + 1, share)))

    def _wall(self, sight: Sight) -> float:
        """Seconds of a call that does not wait for the GIL."""
        return sight.alone_wall / sight.alone_items if sight.alone_items else sight.quickest


class Starting:
    """Processes come up in the background, while work goes on as it was.

    Args:
        known: What is known.
        sight: The run.
        reason: Why processes.
        before: Who works until they are up; the calling thread if None.
        inside: Lanes in each process.
    """

    name = "starting"

    def __init__(
        self, known: Known, sight: Sight, reason: str, *, before: Waiting | None = None, inside: int = 1
    ) -> None:
        self._known = known
        self._reason = reason
        self._before = before
        self._inside = inside
        self._since = self._first_ready = sight.now
        self._began = sight

    def arrange(self) -> Arrangement:
        until = self._before.arrange() if self._before else None
        return Arrangement(
            stage=self.name,
            reason=self._reason,
            threads=until.threads if until else 0,
            relieved=until is not None,
            processes=self._known.limits.processes,
            look=5e-3,
        )

    def look(self, sight: Sight) -> Stage:
        known = self._known
        items, seconds = sight.done - self._began.done, sight.now - self._began.now
        if items and seconds:
            known.each = seconds / items
        if known.obstacle:
            return self._give_up(sight, known.obstacle)
        if not sight.ready:
            self._first_ready = sight.now
            if sight.now - self._since > 10.0 + 20 * known.limits.process_start:
                known.barred = "worker processes did not come up in time"
            return self
        if sight.ready < 2:  # noqa: PLR2004 - one worker is no faster than who works now; the others join in
            return self
        if not worth_starting(known.rest(sight), 0.0, known.limits.processes):
            return self._give_up(sight, "the rest has become too small for processes")
        before = items / seconds if seconds and items else 1.0 / known.each
        return Outside(known, sight, self._reason, before=before, inside=self._inside)

    def _give_up(self, sight: Sight, reason: str) -> Stage:
        if self._before is not None:
            return self._before
        self._known.changed(sight.now)
        return Alone(self._known, sight, reason)


class Outside:
    """Worker processes; the first batches have to confirm it."""

    name = "outside"

    def __init__(self, known: Known, sight: Sight, reason: str, *, before: float, inside: int) -> None:
        self._known = known
        self._reason = reason
        self._inside = inside
        self._began = sight
        self._warm = False
        self._trial = Trial(known.limits.processes, inside, before)
        known.changed(sight.now)

    def arrange(self) -> Arrangement:
        return Arrangement(
            stage=self.name,
            reason=self._reason,
            relieved=True,
            processes=self._known.limits.processes,
            outside=True,
            inside=self._inside,
            look=CALM if self._trial.passed else 5e-3,
        )

    def look(self, sight: Sight) -> Stage:
        known, began = self._known, self._began
        seconds, items = sight.now - began.now, sight.outside_items - began.outside_items
        if known.barred:
            return self._back(sight, known.barred)
        if sight.flying:
            self._began = sight  # a lane here is still at its last item
            return self
        if not self._warm:
            # Workers load the callable before their first item: once it is over it does not count.
            if items >= known.limits.processes * self._inside:
                self._began, self._warm = sight, True
            return self
        if seconds < (2 * CALM if self._trial.passed else 20e-3) or items < self._trial.enough:
            return self
        self._began = sight
        return self._judge(sight, began)

    def _judge(self, sight: Sight, began: Sight) -> Stage:
        reason, for_good = self._trial.judge(began, sight)
        if for_good:
            self._known.barred = reason
            return self._back(sight, reason)
        return self._changed(sight, reason) if reason else self

    def _changed(self, sight: Sight, reason: str) -> Stage:
        return self._back(sight, reason) if self._known.may_change(sight.now) else self

    def _back(self, sight: Sight, reason: str) -> Stage:
        self._known.changed(sight.now)
        self._known.each = 0.0
        return Alone(self._known, sight, reason)
