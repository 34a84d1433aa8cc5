"""The states in which the calling thread works by itself, or has one lane beside it for a trial."""

from __future__ import annotations

from ._home import Home
from ._known import ABOVE_ALL, ALIKE, FILLED, LEAST_GAIN, SMALL, Known, first_lanes
from ._parallel import Parallel
from ._processes import Starting
from ._sight import Arrangement, Sight
from ._solo import Solo
from ._stage import Stage
from ._thresholds import (
    CALM,
    CLEAR,
    COUNTED,
    GAINS,
    GLANCE,
    LONGEST,
    MANY,
    MOSTLY,
    PARALLEL,
    PROVING,
    SHORTEST,
    TINY,
    TWO,
    WAITS,
)
from ._waiting import CROWDED, Waiting
from ._witness import gil_free, gil_held

__all__ = ["EAGER", "Alone", "Pair"]

EAGER = 4
"""Lanes to begin with where the first call has computed for a while and waits now, or has only begun to wait
(guessed: if it goes on to compute, they have claimed few items that processes could have had). Sixteen that
sleep for 2 ms and then compute kept the GIL from the thread that starts workers for 0.3 s (measured)."""

NATIVE = 0.6
"""Cores that a process uses beside its lanes from which its items have threads of their own: the clock of
a process is late by 4 ms for each of its threads, which is 0.4 of a core in 20 ms (guessed: half as much
again)."""

BRIEF = 10e-3
"""Seconds of work that a trial of two lanes takes longer than (guessed: `SHORTEST` and the lane's start).
Without it hashes of 12 to 15 ms in all took 1.02 to 1.04 times as long on a busy machine (measured)."""

SCARCE = 0.1
"""Share of a core that a lane is taken to have had at least: with less, hardly a thing is known (guessed)."""


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
        known.seen = solo.items
        if solo.items:
            known.each = max(solo.work, 1e-9) / solo.items
        elif not (sight.alone_items and known.each):
            # What has lasted so long may well last as long again.
            known.each = max(known.each, 2 * sight.held, 1e-9)
        if sight.in_flight:
            return self._beside_others(sight)
        rest = known.rest(sight)
        if sight.remaining == 0 or (solo.items and (rest < SMALL or known.each < TINY)):
            reason = known.limits.single or "the rest, or each item, is too small to be worth anything else"
            return self._stay(reason, rest)
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
        why = f"{waits:.0%} of an item's time is spent waiting"
        if known.may_return(sight.now) and not known.contends(sight.now, solo.items):
            return Home(why)
        if known.limits.threads < 2:  # noqa: PLR2004 - one thread is the calling one
            return self._in_one_thread(sight)
        if known.apart and solo.waits < ABOVE_ALL:  # lanes would compute at once, or it waits for a core
            return self._stay(f"it computes, and {known.apart}", CALM)
        if known.contends(sight.now, solo.items):
            return self._stay(CROWDED, CALM)
        if not known.may_change(sight.now):
            return self._stay(self._reason, CALM)
        known.alone = _one_alone(known.each, sight.by_itself) if solo.items > 1 else 0.0
        first = first_lanes(solo.waits)
        if not solo.items:
            # What the first call has computed since it began counts, but may have been an import.
            slept = 1.0 - sight.held_cpu / sight.held if sight.held else 1.0
            first = max(min(first, first_lanes(slept)), min(EAGER, first_lanes(waits)))
            if sight.held < GLANCE:
                first = min(first, EAGER)
        return Waiting(known, sight, why, first=first)

    def _in_one_thread(self, sight: Sight) -> Stage:
        """It waits, and may not do so in several threads of a process, but in one of each of several."""
        known = self._known
        if known.may_change(sight.now) and known.processes_pay(known.rest(sight)):
            why = f"it waits, and {known.left(sight)}"
            return Starting(known, sight, why, workers=known.limits.waiting)
        why = known.limits.single or "as was asked for"
        return self._stay(f"it waits, and may run in one thread: {why}", CALM)

    def _computing(self, sight: Sight) -> Stage:
        known, began, work, rest = self._known, self._solo.began, self._solo.work, self._known.rest(sight)
        # More than one core is what a lane used that has left meanwhile.
        known.cores = max(SCARCE, min(1.0, (sight.lane_cpu - began.lane_cpu) / work))
        native = sight.used(began) / work if work >= CLEAR else 1.0
        # Threads of NumPy's library spin for 0.1 s after it was loaded: whose they are, the next look tells.
        known.native &= work < CLEAR or native >= PARALLEL
        if known.fills(native):
            return self._stay(FILLED, CALM)
        if known.apart:
            return self._rest(f"it computes, and {known.apart}", sight)
        if known.limits.cpus < 1.5 or rest < BRIEF:  # noqa: PLR2004 - less than a second core
            reason = known.limits.single or "a second lane would gain nothing with what is left"
            return self._rest(reason, sight)
        if known.contends(sight.now, self._solo.items):
            return self._stay(CROWDED, CALM)
        if not known.under_gil and known.limits.threads > 1:
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
        free = not known.limits.gil or (known.limits.cpus >= MANY and gil_free(self._since, sight))
        if free and not self._has_threads(sight):
            return Parallel(known, sight, "it computes, and whoever looks at it need not wait for the GIL")
        return Pair(known, wants=1.0 - self._solo.waits)

    def _has_threads(self, sight: Sight) -> bool:
        """Whether an item may compute in threads of its own, as far as a clock tells that lags."""
        began = self._since
        return sight.used(began) >= PARALLEL * (sight.now - began.now)

    def _under_gil(self, sight: Sight, rest: float) -> Stage:
        known = self._known
        computes = "it computes under the GIL" if known.limits.gil else "it computes"
        if known.obstacle:
            return self._rest(f"{computes}, and {known.obstacle}", sight)
        if not known.processes_pay(rest):
            # Only items that grow could change that; a look at a short job costs a hundredth of it.
            return self._stay(f"{computes}; processes would not pay", max(LEAST_GAIN, rest / 2))
        why = f"{computes}, and {known.left(sight)}"
        return Starting(known, sight, why)

    def _rest(self, reason: str, sight: Sight) -> Stage:
        """The same where nothing is expected: the next look comes after a tenth of what has passed."""
        return self._stay(reason, sight.now / 10)

    def _stay(self, reason: str, look: float) -> Stage:
        """This state goes on, and has a look after so many seconds, within bounds."""
        self._reason, self._look = reason, max(GLANCE, min(look, CALM))
        return self


def _one_alone(lately: float, ever: float) -> float:
    """Seconds of an item with nothing beside it, by those seen lately, and by all that ever were.

    Many tell more than a few; but not if those before were of another kind, as where a server that answers
    has at first done nothing but refuse.
    """
    return lately if lately > ALIKE * ever else min(lately, ever)


class Pair:
    """The calling thread and one lane: do two compute faster than one?

    Args:
        wants: Share of the time in which the calling thread alone wants a core.
    """

    name = "pair"

    def __init__(self, known: Known, wants: float) -> None:
        self._known = known
        self._wants = wants
        self._alone = 1.0 / known.each
        self._span = max(SHORTEST, min(LONGEST, 3 * known.each))
        self._began: Sight | None = None  # when the lane was first at an item

    def arrange(self) -> Arrangement:
        why = "a second lane shows whether threads compute in parallel"
        return Arrangement(stage=self.name, reason=why, threads=1)

    def look(self, sight: Sight) -> Stage:
        if self._began is None:
            if sight.in_flight:
                self._began = sight
            return self
        seconds = sight.now - self._began.now
        return self._conclude(sight, self._began, seconds) if seconds >= self._span else self

    def _conclude(self, sight: Sight, began: Sight, seconds: float) -> Stage:
        busy = sight.busy(began)
        gain = busy / self._known.cores
        native = sight.beside(began) / seconds >= NATIVE
        if native and busy >= 2 * WAITS:
            self._known.native = True
            self._known.changed(sight.now)
            return Alone(self._known, sight, FILLED)
        items = sight.done - began.done
        slower = items >= PROVING and items / seconds < GAINS * self._alone
        if gain >= PARALLEL and busy >= TWO and not slower:
            return Parallel(self._known, sight, f"two lanes compute {gain:.1f} times as much as one")
        if native or gain < 2 * WAITS:
            why = f"two lanes computed {busy / 2:.0%} of the time"
            return Waiting(self._known, sight, why, first=EAGER)
        if self._wants < MOSTLY + WAITS / 2 and gain < GAINS and items / seconds < GAINS * self._alone:
            # Under the GIL two would have filled a core.
            self._known.alone = self._known.each
            self._known.crowded(sight, seconds / max(1, items))
            return Alone(self._known, sight, CROWDED)
        return self._under_gil(sight)

    def _under_gil(self, sight: Sight) -> Stage:
        self._known.gil_each = self._known.each
        return Alone(self._known, sight, "two lanes are no faster than one").look(sight)
