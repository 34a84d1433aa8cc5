"""How many waiting calls may run at once: found by trying, in rounds, where calls queue."""

from __future__ import annotations

__all__ = ["Ramp"]

GROWS = 1.25
"""Growth of the delivery rate from which doubling was worth it (DECISION.md 1.4: as in BBR)."""

PATIENCE = 3
"""Rounds without growth after which the limit is left where it is (DECISION.md 1.4)."""


class Ramp:
    """Doubles a limit while the rate of ended calls grows with it.

    A round is over when as many have ended as may run at once. Those that began together end together, so the
    rate counts as no more than the time that they took allows (Little's law). Where a lock lets in whoever
    came last, those that end have not waited, so it counts as no more than what came back since the first of
    them.

    Attributes:
        most: The highest limit.
        limit: How many may run at once now.
    """

    def __init__(self, start: int, most: int) -> None:
        self.most = most
        self.limit = min(start, most)
        self._good = self.limit
        self._best = 0.0
        self._flat = 0
        self._ended = self._spent = self._first = 0

    def ended(self, began: int, now: int, *, queued: bool) -> None:
        """A call has ended `now` that `began` then, in nanoseconds.

        Only where others are `queued` for their turn does the limit matter to those that run.
        """
        if not (queued or self._ended):
            return
        if not self._ended:
            self._first = now
        self._ended += 1
        self._spent += now - began
        if self._ended >= self.limit:
            at_once = self.limit / max(1, self._spent)
            self._round(self._ended * min(at_once, 1 / max(1, now - self._first)))
            self._ended = self._spent = 0

    @property
    def is_counting(self) -> bool:
        """Whether it is to be told of the next that ends, though nobody waits any more."""
        return self._ended > 0

    def at_least(self, limit: int) -> None:
        """A limit that is known to be harmless."""
        if self.limit < limit:
            self.limit = min(self.most, limit)
            self._ended = self._spent = 0

    def stuck(self) -> None:
        """All that run stand still while others wait: more at once cannot hurt them."""
        self.limit = min(self.most, 2 * self.limit)
        self._ended = self._spent = 0

    def _round(self, rate: float) -> None:
        if rate > self._best * GROWS:
            self._best, self._good, self._flat = rate, self.limit, 0
            self.limit = min(self.most, 2 * self.limit)
            return
        self._flat += 1
        if self._flat == PATIENCE:
            self.limit = min(self.most, max(1, 2 * self._good))
