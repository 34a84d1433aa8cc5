"""The states of a run in this process. Each looks at it and names the state that follows."""

from __future__ import annotations

from math import ceil, inf

from ._climb import FIRST, Climb
from ._known import ALIKE, SMALL, Known, first_lanes, gil_free, gil_held, in_turns, worth_starting
from ._processes import Starting
from ._sight import Arrangement, Sight
from ._solo import Solo, full
from ._stage import Stage, calm
from ._thresholds import (
    BLIND_LOOKS,
    BOTH,
    CALM,
    COMPUTED,
    COUNTED,
    EAGER,
    FULL,
    GAINS,
    GLANCE,
    IDLE,
    LONGEST,
    MANY,
    MOST_INSIDE,
    MOSTLY,
    NATIVE,
    PARALLEL,
    SHORTEST,
    TINY,
    TWO,
    WAITS,
)

__all__ = ["Alone", "Pair", "Parallel", "Waiting"]

_NATIVE = "an item keeps the cores busy by itself"
_CROWDED = "calls get in each other's way: one at a time is as fast"


class Alone:
    """The calling thread works by itself."""

    name = "alone"

    def __init__(self, known: Known, sight: Sight, reason: str = "the calling thread begins") -> None:
        self._known = known
        self._since = sight
        self._solo = Solo(sight)
        self._reason = reason
        self._look = GLANCE

    def arrange(self) -> Arrangement:
        return Arrangement(stage=self.name, reason=self._reason, look=self._look)

    def look(self, sight: Sight) -> Stage:
        known, solo = self._known, self._solo
        solo.look(sight)
        if solo.items:
            known.each = max(solo.work, 1e-9) / solo.items
        elif not (sight.alone_items and known.each):
            # What has lasted so long may well last as long again.
            known.each = max(known.each, 2 * sight.held, 1e-9)
        if sight.flying:
            return self._beside_others(sight)
        rest = known.rest(sight)
        if sight.remaining == 0 or (solo.items and (rest < SMALL or known.each < TINY)):
            reason = "the rest, or each item, is too small to be worth anything else"
            return self._stay(reason, max(rest, GLANCE))
        if solo.sleeps:
            return self._to_lanes(sight)
        if sight.unseen or not solo.computes:
            return self._stay(self._reason, GLANCE)
        return self._computing(sight)

    def _beside_others(self, sight: Sight) -> Stage:
        """Lanes are still at their last item: what is seen now is not what it is like alone."""
        self._solo.restart()
        done, seconds = sight.done - self._since.done, sight.now - self._since.now
        overdue = seconds > ALIKE * (done + 1) * self._known.each
        if self._known.gil_each and (done >= COUNTED or overdue):
            self._known.each = self._known.gil_each = seconds / max(1, done)
        if self._known.gil_each and self._known.may_change(sight.now):
            return self._under_gil(sight, self._known.rest(sight))
        return self._stay(self._reason, GLANCE)

    def _to_lanes(self, sight: Sight) -> Stage:
        known, solo, waits = self._known, self._solo, self._solo.waits_now
        if known.limits.threads < 2:  # noqa: PLR2004 - one thread is the calling one
            return self._stay(f"it waits, and may run in one thread: {known.obstacle}", CALM)
        if known.contends(sight.now, solo.items):
            return self._stay(_CROWDED, CALM)
        if not known.may_change(sight.now):
            return self._stay(self._reason, CALM)
        known.alone = min(known.each, sight.by_itself) if solo.items > 1 else 0.0
        why = f"{waits:.0%} of an item's time is spent waiting"
        first = first_lanes(solo.waits)
        if not solo.items:
            # What the first call has computed since it began counts, but may have been an import.
            slept = 1.0 - sight.held_cpu / sight.held if sight.held else 1.0
            first = max(min(first, first_lanes(slept)), min(EAGER, first_lanes(waits)))
        return Waiting(known, sight, why, first=first)

    def _computing(self, sight: Sight) -> Stage:
        known, began, work, rest = self._known, self._solo.began, self._solo.work, self._known.rest(sight)
        known.cores = max(0.1, (sight.lane_cpu - began.lane_cpu) / work)
        native = (sight.cpu - began.cpu) / work if work >= 10 * GLANCE else 1.0
        if known.native or (native >= PARALLEL and known.limits.cpus < 2 * native):
            return self._stay(_NATIVE, CALM)
        if known.limits.cpus < 1.5 or rest < 10e-3:  # noqa: PLR2004 - less than a second core; less than a pair takes
            return self._stay("a second lane would gain nothing with what is left", calm(sight))
        if known.contends(sight.now, self._solo.items):
            return self._stay(_CROWDED, CALM)
        tried = known.gil_each and 1 / ALIKE < known.each / known.gil_each < ALIKE
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
        if not known.may_change(sight.now):
            return self._stay(self._reason, CALM)
        if known.limits.cpus >= MANY and gil_free(self._since, sight) and not self._has_threads(sight):
            return Parallel(known, sight, "it computes, and whoever looks at it need not wait for the GIL")
        return Pair(known, sight, wants=1.0 - self._solo.waits)

    def _has_threads(self, sight: Sight) -> bool:
        """Whether an item may compute in threads of its own, as far as a clock tells that lags."""
        began = self._since
        return sight.cpu - began.cpu >= PARALLEL * (sight.now - began.now)

    def _under_gil(self, sight: Sight, rest: float) -> Stage:
        known = self._known
        if known.obstacle:
            return self._stay(f"it computes under the GIL, and {known.obstacle}", calm(sight))
        if not worth_starting(rest, known.limits.process_start, known.limits.processes):
            # Only items that grow could change that; a look at a short job costs a hundredth of it.
            return self._stay("it computes under the GIL; processes would not pay", max(5e-3, rest / 2))
        why = f"it computes under the GIL, and about {rest:.2g} s are left"
        return Starting(known, sight, why, back=Alone)

    def _stay(self, reason: str, look: float) -> Stage:
        self._reason, self._look = reason, max(GLANCE, min(look, CALM))
        return self


class Pair:
    """The calling thread and one lane: do two compute faster than one?

    Args:
        known: What is known.
        sight: The run.
        wants: Share of the time in which the calling thread alone wants a core.
    """

    name = "pair"

    def __init__(self, known: Known, sight: Sight, wants: float = 1.0) -> None:
        self._known = known
        self._wants = wants
        self._alone = 1.0 / known.each
        self._span = max(SHORTEST, min(LONGEST, 3 * known.each))
        self._began: Sight | None = None
        self._latest = sight
        self._since = sight.now

    def arrange(self) -> Arrangement:
        why = "a second lane shows whether threads compute in parallel"
        return Arrangement(stage=self.name, reason=why, threads=1)

    def look(self, sight: Sight) -> Stage:
        if self._began is None:
            if sight.flying:
                self._began = self._latest = sight
            elif sight.now - self._since > 10 * self._span:
                return self._under_gil(sight)  # the lane found nothing to do
            return self
        latest, began = self._latest, self._began
        if sight.now - latest.now >= IDLE:
            self._latest = sight
            if _busy(latest, sight) < WAITS and not full(latest, sight):
                return Waiting(self._known, sight, "both lanes have begun to wait", first=EAGER)
        seconds = sight.now - began.now
        sure = seconds >= SHORTEST and _busy(began, sight) >= BOTH
        return self._conclude(sight, began, seconds) if sure or seconds >= self._span else self

    def _conclude(self, sight: Sight, began: Sight, seconds: float) -> Stage:
        busy = _busy(began, sight)
        gain = busy / self._known.cores
        if (sight.cpu - began.cpu) / seconds - busy >= NATIVE:
            self._known.native = True
            return Alone(self._known, sight, _NATIVE)
        items = sight.done - began.done
        slower = items >= 3 * COUNTED and items / seconds < GAINS * self._alone
        if gain >= PARALLEL and busy >= TWO and not slower:
            return Parallel(self._known, sight, f"two lanes compute {gain:.1f} times as much as one")
        if gain < 2 * WAITS:
            why = f"two lanes computed {busy / 2:.0%} of the time"
            return Waiting(self._known, sight, why, first=EAGER)
        if self._wants < MOSTLY + WAITS / 2 and gain < GAINS and items / seconds < GAINS * self._alone:
            # Under the GIL two would have filled a core.
            self._known.alone = self._known.each
            self._known.crowded(sight, seconds / max(1, items))
            return Alone(self._known, sight, _CROWDED)
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
        self._since = self._began = sight
        known.changed(sight.now)

    def arrange(self) -> Arrangement:
        # Until it has been judged, often enough that looks tell whether the GIL is waited for.
        look = CALM / 5 if self._lanes >= MANY and self._began is self._since else CALM
        return Arrangement(self.name, self._reason, threads=self._lanes, relieved=True, look=look)

    def look(self, sight: Sight) -> Stage:
        began, seconds = self._began, sight.now - self._began.now
        if seconds < CALM or sight.starved:
            return self
        self._began = sight
        busy = (sight.lane_cpu - began.lane_cpu) / seconds / self._known.cores
        return self._conclude(began, sight, busy) if self._known.may_change(sight.now) else self

    def _conclude(self, began: Sight, sight: Sight, busy: float) -> Stage:
        if in_turns(self._since, sight, self._lanes, busy) and self._would_pay(began, sight, busy):
            return Starting(self._known, sight, "lanes wait for the GIL in turns", back=Alone, before=self)
        if sight.flying < self._lanes:
            return self
        if busy < 1 - WAITS:
            return Waiting(self._known, sight, "the lanes have begun to wait")
        if busy < 0.8 * PARALLEL and self._lanes > 1:
            self._known.changed(sight.now)
            return Alone(self._known, sight, "the lanes are no longer faster together")
        return self

    def _would_pay(self, began: Sight, sight: Sight, busy: float) -> bool:
        """Whether processes would, each of which has a GIL of its own."""
        known, items = self._known, sight.done - began.done
        if known.obstacle or items < COUNTED:
            return False
        known.each = (sight.now - began.now) / items
        return worth_starting(known.rest(sight), known.limits.process_start, known.limits.processes / busy)


class Waiting:
    """Lanes in threads, as many as the delivery rate says."""

    name = "waiting"

    def __init__(self, known: Known, sight: Sight, reason: str, first: int = FIRST) -> None:
        self._known = known
        self._reason = reason
        self._climb = Climb(sight, known.limits.threads, first, alone=known.alone)
        # When this stage began; its present window; the last look; and the last that saw the GIL left free.
        self._since = self._began = self._last = self._free = sight
        self._look = GLANCE
        known.changed(sight.now)

    def arrange(self) -> Arrangement:
        climb = self._climb
        return Arrangement(
            stage=self.name,
            reason=f"{self._reason}; {climb.why}",
            threads=climb.lanes,
            relieved=True,
            look=self._look,
        )

    def look(self, sight: Sight) -> Stage:
        known, climb = self._known, self._climb
        climb.look(sight)
        if climb.alone_is_best:
            since = self._since
            known.crowded(sight, (sight.now - since.now) / max(1, sight.calls - since.calls))
            return Alone(known, sight, _CROWDED)
        self._look = self._pace(sight)
        if self._has_begun_to_compute(sight):
            return self._computing(sight)
        began, seconds = self._began, sight.now - self._began.now
        calls = sight.calls - began.calls
        if seconds < 10 * GLANCE:
            return self
        busy = (sight.lane_cpu - began.lane_cpu) / seconds
        full = FULL <= busy < TWO
        if not calls and sight.flying > 1:
            full = full or sight.now - self._free.now >= 10 * GLANCE
            sure = full and not self._may_only_begin(sight)
            return self._computing(sight) if sure and known.may_change(sight.now) else self
        enough = calls >= max(COUNTED, climb.lanes / 4)
        if not enough and not (full and calls and self._would_pay(sight, seconds / calls)):
            return self
        self._began = sight
        return self._bound(sight, (sight.cpu - began.cpu) / seconds, seconds / calls)

    def _may_only_begin(self, sight: Sight) -> bool:
        """Whether the first calls may have sent what they wait for, all at once, and no more than that.

        Fifty that send a request, in lanes that an earlier run found best, fill the GIL for 65 ms (measured).
        """
        since = self._since
        return sight.calls == since.calls and sight.now - since.now < COMPUTED * sight.flying

    def _has_begun_to_compute(self, sight: Sight) -> bool:
        """Whether calls that hardly computed are followed by some that fill the GIL.

        Each lane that comes back meanwhile takes one more of those, which then has to end here: unseen, it
        cost runs that turn to computing on 64 cores 14 % (benchmarks.regret.simulated, drift).
        """
        last, self._last = self._last, sight
        # The calling thread may compute too, where it makes the items.
        if not FULL <= _busy(last, sight) < TWO or sight.remaining is None:
            self._free = sight
            return False
        since, free = self._since, self._free
        before, calls = free.calls - since.calls, max(1, sight.calls - free.calls)
        seconds = sight.now - free.now
        if before < COUNTED or seconds < SHORTEST:
            return False
        light, heavy = (free.lane_cpu - since.lane_cpu) / before, (sight.lane_cpu - free.lane_cpu) / calls
        if heavy < ALIKE * light:
            return False
        self._known.each = seconds / calls
        return True

    def _would_pay(self, sight: Sight, gap: float) -> bool:
        """Whether processes would, if a call went on to come back each `gap` seconds: a guess from few.

        Each further call that the lanes begin has to end in them, under the GIL.
        """
        known, rest = self._known, (sight.remaining or 0) * gap
        return not known.obstacle and worth_starting(rest, known.limits.process_start, known.limits.processes)

    def _pace(self, sight: Sight) -> float:
        """Seconds to the next look: several in a round trip, and seldom once nothing is left to find out."""
        trip = self._climb.round_trip
        if trip == inf:
            return max(GLANCE, min((sight.now - self._since.now) / BLIND_LOOKS, CALM))
        return max(4 * GLANCE if self._climb.settled else GLANCE, min(trip / 4, CALM))

    def _computing(self, sight: Sight) -> Stage:
        """The lanes compute under the GIL: all of them together use one core."""
        known, rest = self._known, self._known.rest(sight)
        known.gil_each = known.each
        if not known.obstacle and worth_starting(rest, known.limits.process_start, known.limits.processes):
            why = f"the lanes compute under the GIL, and about {rest:.2g} s are left"
            return Starting(known, sight, why, back=Alone)
        return Alone(known, sight, "the lanes compute rather than wait")

    def _bound(self, sight: Sight, busy: float, gap: float) -> Stage:
        """What follows where the lanes compute as much as this process can."""
        known, cpu = self._known, busy * gap
        known.each = gap
        if sight.starved or not FULL <= busy < PARALLEL:
            return self  # beyond it, several cores are at work: the climb finds how many lanes they need
        inside = ceil((known.alone or sight.by_itself) / cpu)
        if inside > 1:
            return self._split(sight, inside)
        if not known.may_change(sight.now):
            return self
        if busy < TWO:
            return self._computing(sight)
        known.changed(sight.now)
        return Alone(known, sight, "the lanes compute rather than wait")

    def _split(self, sight: Sight, inside: int) -> Stage:
        """Processes with lanes inside, if the rest pays for them; these lanes go on until they are up."""
        known, rest = self._known, self._known.rest(sight)
        if not (known.may_change(sight.now) or sight.others_compute >= WAITS):
            return self  # they may only have connected or imported
        if known.obstacle or not worth_starting(rest, known.limits.process_start, known.limits.processes):
            return self
        share = ceil(min(sight.flying, MOST_INSIDE * known.limits.processes) / known.limits.processes)
        why = f"it waits and computes under the GIL, and about {rest:.2g} s are left"
        lanes = known.limits.inside(max(inside + 1, share))
        return Starting(known, sight, why, back=Alone, before=self, inside=lanes)


def _busy(began: Sight, sight: Sight) -> float:
    """Cores that lanes use."""
    return (sight.lane_cpu - began.lane_cpu) / (sight.now - began.now)
