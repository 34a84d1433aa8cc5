"""The state of a run that computes without the GIL, in threads."""

from __future__ import annotations

from ._known import Known
from ._processes import Starting
from ._sight import Arrangement, Sight
from ._stage import Back, Stage
from ._thresholds import CALM, COUNTED, FULL, GAINS, MANY, PROVING, TWO, WAITS
from ._waiting import CROWDED, Waiting
from ._witness import in_turns

__all__ = ["Parallel"]


class Parallel:
    """A thread for every core: the callable computes without the GIL."""

    name = "parallel"

    def __init__(self, known: Known, sight: Sight, reason: str) -> None:
        self._known = known
        self._reason = reason
        self._alone = known.each
        self._proven = known.seen < 2  # noqa: PLR2004 - one item may be an exception
        self._lanes = max(2, min(round(known.limits.cpus), known.limits.threads))
        self._since = self._began = self._fed = sight
        known.changed(sight.now)

    def arrange(self) -> Arrangement:
        # Until it has been judged, often enough that looks tell whether the GIL is waited for.
        look = CALM / 5 if self._lanes >= MANY and self._began is self._since else CALM
        return Arrangement(self.name, self._reason, threads=self._lanes, relieved=True, look=look)

    def look(self, sight: Sight) -> Stage | Back:
        began, seconds = self._began, sight.now - self._began.now
        if sight.starved or sight.in_flight < self._lanes:
            self._fed = sight  # what lanes deliver that lack items says nothing of them
        if seconds < CALM or sight.starved:
            return self
        self._began = sight
        busy = sight.busy(began) / self._known.cores
        return self._conclude(began, sight, busy) if self._known.may_change(sight.now) else self

    def _conclude(self, began: Sight, sight: Sight, busy: float) -> Stage | Back:
        if in_turns(self._since, sight, self._lanes, busy) and self._would_pay(began, sight, busy):
            return Starting(self._known, sight, "lanes wait for the GIL in turns", before=self)
        if sight.in_flight < self._lanes:
            return self
        if busy < 1 - WAITS:
            return Waiting(self._known, sight, "the lanes have begun to wait")
        if sight.busy(began) < TWO or self._delivers_less(began, sight, busy):
            # The GIL, under which smaller items are delivered as fast, or a neighbour: one lane and two, now
            # that nothing is new to them, will tell.
            return Back("the lanes leave cores idle")
        return self if self._proven else self._prove(sight)

    def _delivers_less(self, began: Sight, sight: Sight, busy: float) -> bool:
        """Whether lanes neither use the cores nor deliver as if they did.

        Of many lanes some may have no core, and be better than a trial of two all the same.
        """
        full = FULL * min(self._lanes, MANY - 1)
        return busy < full and (sight.done - began.done) * self._alone < full * (sight.now - began.now)

    def _prove(self, sight: Sight) -> Stage | Back:
        """See whether lanes that keep cores busy deliver more than one of them did, as soon as items tell.

        They may not where all of them wait for memory. Later on, items that grow would look the same.
        """
        items, seconds = sight.done - self._fed.done, sight.now - self._fed.now
        self._proven = items >= PROVING
        if not self._proven or items * self._alone >= GAINS * seconds:
            return self
        self._known.alone = self._alone
        self._known.crowded(sight, seconds / items)
        return Back(CROWDED)

    def _would_pay(self, began: Sight, sight: Sight, busy: float) -> bool:
        """Whether processes would, each of which has a GIL of its own."""
        known, items = self._known, sight.done - began.done
        if items < COUNTED:
            return False
        known.each = (sight.now - began.now) / items
        return known.processes_pay(known.rest(sight), beside=busy)
