"""The states of a run that goes to worker processes: they come up, and they have it."""

from __future__ import annotations

from ._home import Home, leave_cores_idle
from ._known import FILLED, Known, worth_sharing
from ._process_trial import ProcessTrial, Window
from ._sight import Arrangement, Sight
from ._solo import Solo
from ._stage import Back, Stage
from ._thresholds import CALM, CLEAR, COUNTED, LONGEST

__all__ = ["Outside", "Starting"]


LONG = 3 * CLEAR
"""Seconds of one lane's work after which this process's computing tells of the items: to order workers takes
some 30 ms of it (measured)."""

ATTENTIVE = 5e-3
"""Seconds between looks while workers come up, and until they have proved themselves (guessed)."""

OVERDUE = 10.0
"""Seconds after which workers do not come up any more (guessed: a busy machine may take several)."""


class Starting:
    """Processes come up in the background, while work goes on as it was.

    Args:
        before: Who works until they are up; the calling thread if None.
        inside: Lanes in each.
        workers: How many; 0 for as many as there may be of items that compute.
    """

    name = "starting"

    def __init__(  # noqa: PLR0913 - what differs by name
        self,
        known: Known,
        sight: Sight,
        reason: str,
        *,
        before: Stage | None = None,
        inside: int = 1,
        workers: int = 0,
    ) -> None:
        self._known = known
        self._reason = reason
        self._before = before
        self._inside = inside
        self._workers = workers or known.limits.processes
        self._since = self._began = sight
        self._slowest = known.each
        # Calls that lanes were at when others were found to compute tell nothing of those that are left.
        self._leftovers = before is None and sight.in_flight > 0
        self._solo = Solo(sight)

    def arrange(self) -> Arrangement:
        until = self._before.arrange() if self._before else None
        return Arrangement(
            stage=self.name,
            reason=self._reason,
            threads=until.threads if until else 0,
            relieved=until is not None,
            processes=self._workers,
            inside=self._inside,
            look=ATTENTIVE,
        )

    def look(self, sight: Sight) -> Stage | Back:
        known = self._known
        self._time_items(sight)
        if known.obstacle:
            return self._give_up(sight, known.obstacle)
        if self._has_begun_to_wait(sight):
            return Back("items have begun to wait")
        if self._fills_cores(sight):
            known.native = True
            return self._give_up(sight, FILLED)
        if sight.ready < 2:  # noqa: PLR2004 - one worker is no faster than who works now; the others join in
            if sight.now - self._since.now > OVERDUE:
                known.barred = "worker processes did not come up in time"
            return self
        if not worth_sharing(known.rest(sight), self._workers):
            return self._give_up(sight, "the rest has become too small for processes")
        return self._outside(sight)

    def _time_items(self, sight: Sight) -> None:
        """Items that grow are like the latest of them; uneven ones like any window's."""
        items, seconds = sight.done - self._began.done, sight.now - self._began.now
        if not self._leftovers and items > 1 and seconds >= CLEAR:
            self._known.each = seconds / items
            self._slowest = max(self._slowest, self._known.each)
            self._began = sight

    def _outside(self, sight: Sight) -> Outside:
        alike = sight.done >= COUNTED and not self._leftovers  # fewer items may be unlike the others
        before = 1.0 / self._slowest if alike else 0.0
        trial = ProcessTrial(self._workers, self._inside, before)
        return Outside(self._known, sight, self._reason, trial)

    def _has_begun_to_wait(self, sight: Sight) -> bool:
        """Whether only the first calls computed, to import or to connect."""
        if self._before is not None or sight.in_flight or self._known.limits.threads < 2:  # noqa: PLR2004 - as in Alone
            return False
        self._solo.look(sight)
        return self._solo.sleeps and (self._solo.work >= CLEAR or not sight.alone_items)

    def _fills_cores(self, sight: Sight) -> bool:
        """Whether items compute in threads of their own, which a trial of two may have left without cores."""
        since, seconds = self._since, sight.now - self._since.now
        if self._before is not None or self._leftovers or seconds < LONG:
            return False
        return self._known.fills(sight.used(since) / seconds)

    def _give_up(self, sight: Sight, reason: str) -> Stage | Back:
        if self._before is not None:
            return self._before
        self._known.changed(sight.now)
        return Back(reason)


class Outside:
    """Worker processes; the first batches have to confirm it."""

    name = "outside"

    def __init__(self, known: Known, sight: Sight, reason: str, trial: ProcessTrial) -> None:
        self._known = known
        self._reason = reason
        self._began = sight
        self._warm = False
        self._trial = trial
        known.changed(sight.now)

    def arrange(self) -> Arrangement:
        return Arrangement(
            stage=self.name,
            reason=self._reason,
            relieved=True,
            processes=self._trial.processes,
            outside=True,
            inside=self._trial.inside,
            look=CALM if self._trial.passed else ATTENTIVE,
        )

    def look(self, sight: Sight) -> Stage | Back:
        known, window = self._known, Window(self._began, sight)
        if known.barred:
            return self._come_back(sight, known.barred)
        if sight.in_flight:
            self._began = sight  # a lane here is still at its last item
            return self
        if not self._warm:
            # Workers load the callable before their first item: once it is over it does not count.
            if window.items >= self._trial.processes * self._trial.inside:
                self._began, self._warm = sight, True
            return self
        least = 2 * CALM if self._trial.passed else LONGEST
        if window.seconds < least or window.items < self._trial.enough:
            return self
        self._began = sight
        return self._judge(window)

    def _judge(self, window: Window) -> Stage | Back:
        known, sight, found = self._known, window.sight, self._trial.judge(window)
        if found.for_good:
            known.barred = found.reason
            return self._come_back(sight, found.reason)
        if known.may_return(sight.now) and leave_cores_idle(window):
            return Home("items wait, and leave the cores of worker processes idle")
        if not found.reason or not known.may_change(sight.now):
            return self
        if found.waits and known.limits.threads < 2:  # noqa: PLR2004 - as in Alone
            return self._widen(window)
        crowd = found.inside and known.limits.overlap_inside
        return self._crowd(window, found.inside) if crowd else self._come_back(sight, found.reason)

    def _widen(self, window: Window) -> Stage:
        """More workers, if there may be, for items that wait in one thread of each."""
        if self._trial.processes >= self._known.limits.waiting:
            return self
        self._known.each = window.seconds / window.items
        why = "items wait in one thread of each worker process: more of these"
        return Starting(self._known, window.sight, why, workers=self._known.limits.waiting)

    def _crowd(self, window: Window, inside: int) -> Stage:
        """More lanes in each worker, for items that wait there and compute."""
        known = self._known
        known.each = window.seconds / window.items
        why = "items wait and compute: more lanes in each worker process"
        return Starting(known, window.sight, why, inside=known.limits.inside(inside))

    def _come_back(self, sight: Sight, reason: str) -> Stage | Back:
        self._known.changed(sight.now)
        self._known.each = 0.0
        return Back(reason)
