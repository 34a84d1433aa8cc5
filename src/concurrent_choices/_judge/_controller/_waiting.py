"""The state of a run that waits: lanes in threads, as many as the delivery rate says."""

from __future__ import annotations

from math import ceil, inf

from ._climb import FIRST, Climb
from ._first_look import FIRST_LOOK
from ._home import Home, LoopWatch
from ._known import ALIKE, Known
from ._processes import Starting
from ._sight import Arrangement, Sight
from ._stage import Back, Stage
from ._thresholds import (
    CALM,
    COMPUTED,
    COUNTED,
    FULL,
    GLANCE,
    HANDED,
    LEARNING_LOOKS,
    MOSTLY,
    PARALLEL,
    SHORTEST,
    TWO,
    WAITS,
)
from ._witness import gil_held

__all__ = ["CROWDED", "Waiting"]

BLIND_LOOKS = 16
"""Looks in a time as long as lanes have waited for a first call to come back: what they show is late by a
sixteenth of it, and fifty lanes that send their requests meanwhile keep the GIL (guessed)."""

WATCHED = 10 * GLANCE
"""Seconds of calls that wait after which it is asked whether they compute instead (guessed)."""

LATER = 8e-3
"""Seconds by which workers come up later for each lane that fills the GIL meanwhile (measured on two cores:
0.1 s after they were asked for beside 4 lanes, 0.15 to 0.2 beside 10, 0.4 to 0.5 beside 40)."""

CROWDED = "calls get in each other's way: one at a time is as fast"


class Waiting:
    """Lanes in threads, as many as the delivery rate says."""

    name = "waiting"

    def __init__(self, known: Known, sight: Sight, reason: str, first: int = FIRST) -> None:
        self._known = known
        self._reason = reason
        limits = known.limits
        self._climb = Climb(
            sight, limits.threads, first, alone=known.alone, one_core=limits.gil, cpus=limits.cpus
        )
        # When this stage began; its present window; the last look; and the last that saw the GIL left free.
        self._since = self._began = self._last = self._free = sight
        self._watch = LoopWatch(sight)
        # A call that has only begun to wait has few lanes beside it, until it has done so for a glance.
        self._look = max(FIRST_LOOK, GLANCE - sight.held) if sight.held < GLANCE else GLANCE
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

    def look(self, sight: Sight) -> Stage | Back:
        known, climb = self._known, self._climb
        climb.look(sight)
        if self._watch.frees(sight) and known.may_return(sight.now):
            return Home("items wait for their loops, and hardly hold them up")
        if climb.alone_is_best:
            since = self._since
            known.crowded(sight, (sight.now - since.now) / max(1, sight.calls - since.calls))
            return Back(CROWDED)
        self._look = self._pace(sight)
        if climb.is_rationed:
            # That takes no time, so that asking again and again fills the GIL; workers would not give way.
            self._began = self._last = self._free = sight
            return self
        return self._weigh(sight)

    def _weigh(self, sight: Sight) -> Stage | Back:
        """Whether the lanes wait, or compute."""
        if self._has_begun_to_compute(sight):
            return self._computing(sight)
        if sight.now - self._began.now < WATCHED:
            return self
        full = _fill_one_core(self._began, sight)
        if sight.calls == self._began.calls:
            return self._without_calls(sight, full=full)
        return self._by_calls(sight, full=full)

    def _without_calls(self, sight: Sight, *, full: bool) -> Stage | Back:
        """What follows where none has come back in a window."""
        full = full or sight.now - self._free.now >= WATCHED
        sure = full and not self._may_only_begin(sight)
        return self._computing(sight) if sure and self._known.may_change(sight.now) else self

    def _by_calls(self, sight: Sight, *, full: bool) -> Stage | Back:
        """What follows from the calls that have come back in a window, once they are enough."""
        began, seconds = self._began, sight.now - self._began.now
        calls = sight.calls - began.calls
        enough = calls >= max(COUNTED, self._climb.lanes / 4)
        gap = seconds / _begun(began, sight)
        if not enough and not (full and self._would_pay(sight, gap)):
            return self
        self._began = sight
        if sight.beside(began) > MOSTLY * sight.computed(began) and not gil_held(began, sight):
            return self  # a library's threads compute: the climb finds how many calls keep them busy
        free = self._known.gil_is_free(began, sight)
        return self._bound(sight, (sight.cpu - began.cpu) / seconds, gap, free=free)

    def _may_only_begin(self, sight: Sight) -> bool:
        """Whether the first calls may have sent what they wait for, all at once, and no more than that.

        Fifty that send a request, in lanes that an earlier run found best, fill the GIL for 65 ms (measured).
        """
        since = self._since
        return sight.calls == since.calls and sight.now - since.now < COMPUTED * sight.in_flight

    def _has_begun_to_compute(self, sight: Sight) -> bool:
        """Whether calls that hardly computed are followed by some that fill the GIL.

        Each lane that comes back meanwhile takes one more of those, which then has to end here: unseen, it
        cost runs that turn to computing on 64 cores 14 % (benchmarks.regret.simulated, drift).
        """
        last, self._last = self._last, sight
        # The calling thread may compute too, where it makes the items.
        if not _fill_one_core(last, sight) or sight.remaining is None:
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
        return self._known.processes_pay((sight.remaining or 0) * gap)

    def _pace(self, sight: Sight) -> float:
        """Seconds to the next look: several in a round trip, and seldom once nothing is left to find out."""
        trip = self._climb.round_trip
        if trip == inf:
            looks = BLIND_LOOKS if sight.remaining else LEARNING_LOOKS
            return max(GLANCE, min((sight.now - self._since.now) / looks, CALM))
        return max(4 * GLANCE if self._climb.settled else GLANCE, min(trip / 4, CALM))

    def _computing(self, sight: Sight) -> Stage | Back:
        """The lanes compute under the GIL, if there is one: all of them together use one core."""
        known = self._known
        if known.limits.gil:
            known.gil_each = known.each
            if known.processes_pay(known.rest(sight)):
                why = f"the lanes compute under the GIL, and {known.left(sight)}"
                return Starting(known, sight, why)
        return Back("the lanes compute rather than wait")

    def _bound(self, sight: Sight, busy: float, gap: float, *, free: bool) -> Stage | Back:
        """What follows where the lanes compute as much as this process can.

        With the GIL `free` it is the system that computes, for files or a network: in worker processes it
        would have as much to do.
        """
        known, cpu = self._known, busy * gap
        known.each = gap
        if sight.starved or not FULL <= busy < PARALLEL:
            return self  # beyond it, several cores are at work: the climb finds how many lanes they need
        alone = known.alone or sight.by_itself
        if alone > cpu:
            if free:
                return self
            # A worker's seconds for an item: one by one, or in lanes inside.
            there = min(alone, cpu + HANDED) if known.limits.overlap_inside else alone
            filling = ceil(alone / cpu)
            # The lanes that fill this process fill any; a first call that a disk held up would ask for more.
            inside = min(filling, self._climb.lanes) if there < alone else 1
            return self._split(sight, filling, inside=inside, beside=there / gap)
        if not known.may_change(sight.now):
            return self
        if busy < TWO and not free:
            return self._computing(sight)
        known.changed(sight.now)
        return Back("the lanes compute rather than wait")

    def _split(self, sight: Sight, filling: int, *, inside: int, beside: float) -> Stage | Back:
        """Processes, with lanes inside, if the rest pays for them; lanes that fill the GIL stay meanwhile."""
        known = self._known
        if not (known.may_change(sight.now) or sight.others_compute >= WAITS):
            return self  # they may only have connected or imported
        if not known.processes_pay(known.rest(sight), beside, LATER * self._climb.narrowed(filling)):
            return self
        share = known.limits.share(sight.in_flight)
        why = f"it waits and computes under the GIL, and {known.left(sight)}"
        lanes = known.limits.inside(max(inside + 1, share)) if inside > 1 else 1
        self._climb.narrow(filling)
        return Starting(known, sight, why, before=self, inside=lanes)


def _fill_one_core(since: Sight, sight: Sight) -> bool:
    """Whether lanes have computed as much as under a GIL they can, and no library's threads beside them."""
    return sight.busy(since) >= FULL and sight.computed(since) < TWO * (sight.now - since.now)


def _begun(began: Sight, sight: Sight) -> int:
    """Calls that have been made since then, or begun, where more are under way by now.

    Lanes that have begun meanwhile have computed too, to connect and to send: put down to those few that have
    come back by the time, it made a call seem to compute three times what it does (measured with requests).
    """
    return sight.calls - began.calls + max(0, sight.in_flight - began.in_flight)
