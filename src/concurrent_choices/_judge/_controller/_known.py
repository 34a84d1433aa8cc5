"""What a controller knows across its stages: the limits, what was learnt, and how often it has switched."""

from __future__ import annotations

from math import ceil, inf

from ._climb import FIRST
from ._sight import Limits, Sight
from ._thresholds import CLEAR, GAINS, PARALLEL
from ._witness import gil_free

__all__ = [
    "ABOVE_ALL",
    "ALIKE",
    "FILLED",
    "LEAST_GAIN",
    "SMALL",
    "Known",
    "first_lanes",
    "worth_carrying",
    "worth_sharing",
]

SMALL = 3e-3
"""Seconds of rest that nothing is worth being started for (DECISION.md 5.3, S2)."""

LEAST_GAIN, LEAST_SHARE = 5e-3, 0.07
"""What a switch must save, in seconds and as a share of the rest (DECISION.md 5.3, S3); and seconds of work
for which an earlier run's plan is taken up."""

SWITCH = 0.02
"""Seconds after which a second change of mind is allowed; each further one waits twice as long, so a run
of T seconds changes its mind at most log2(T / 20 ms) times (DECISION.md 5.3, S5)."""

AGAIN = 4.0
"""Factor by which a run must have become longer before lanes that were no use are tried again, and once more
that factor after each further try: a call that lost a lock may sleep for 100 ms (guessed)."""

ABOVE_ALL = 0.75
"""Share of waiting from which more than two lanes begin (guessed: writers of a database wait 60 %)."""

FILLED = "an item keeps the cores busy by itself"
"""Why nothing is worth being done beside it."""

ALIKE = 3.0
"""Factor within which items count as the same kind (guessed)."""


class Known:
    """See the module.

    Attributes:
        limits: What the run may use.
        each: Seconds an item takes, or took when it was last known.
        seen: Items alone that have told so; 0 where others have, or nobody.
        cores: CPU seconds per second of the calling thread's work alone: 1 where it computes undisturbed.
        gil_each: Seconds an item took when it was found to compute under the GIL, by looks, by two lanes that
            were no faster than one, or in an earlier run; 0 where it was not.
        barred: Why processes were given up; empty while they were not.
        apart: Why no two calls may compute at once; empty where they may.
        changes: How often work that had been arranged was arranged anew.
        native: Whether an item computes in threads of its own, which share the cores already.
        alone: Seconds an item took with nothing beside it, by more than one of them; 0 where not known.
        worked: Seconds the run had lasted before this controller's part of it.
        expected: How many items there are in all, if there are as many as in an earlier run; 0 without one.
        forgone: Seconds that worker processes would have saved runs just before this one, which had none
            for what those have to import.
    """

    def __init__(self, limits: Limits, each: float = 0.0) -> None:
        self.limits = limits
        self.each = each
        self.seen = 0
        self.cores = 1.0
        self.gil_each = 0.0
        self.barred = ""
        self.apart = ""
        self.changes = 0
        self.worked = 0.0
        self.expected = 0
        self.forgone = 0.0
        self._forgoes = 0.0  # the same of this run
        self.native = False
        self.alone = 0.0
        self._not_before = 0.0  # when another change of mind is allowed
        # Where lanes were no use: how often, seconds of an item then and between two of them, and until when
        # that counts.
        self._tries = 0
        self._crowded_each = self._crowded_gap = self._crowded_until = 0.0

    def may_change(self, now: float) -> bool:
        """Whether another change of mind fits the budget."""
        return now >= self._not_before

    def changed(self, now: float) -> None:
        """One more change of mind."""
        self._not_before = now + SWITCH * 2**self.changes
        self.changes += 1

    def may_return(self, now: float) -> bool:
        """Whether items may go back to one loop, which they have left."""
        return now >= self.limits.stays and self.may_change(now)

    def crowded(self, sight: Sight, gap: float) -> None:
        """Several lanes have delivered no more than one; a long time from now they may be tried once more.

        They delivered an item every `gap` seconds.
        """
        self.changed(sight.now)
        self.each = self._crowded_each = self.alone or sight.by_itself
        self._tries += 1
        self._crowded_gap = gap
        self._crowded_until = AGAIN**self._tries * sight.now

    def contends(self, now: float, items: int) -> bool:
        """Whether such items were found to get in each other's way.

        Args:
            now: The time.
            items: From how many `each` is known: several that took so long that they tell more than those few
                before there were lanes may show that these were faster after all.
        """
        told = items > 1 and items * self.each >= CLEAR
        if now >= self._crowded_until or (told and self.each > GAINS * self._crowded_gap):
            return False
        return _are_alike(self.each, self._crowded_each)

    @property
    def under_gil(self) -> bool:
        """Whether items like these were found to compute under the GIL."""
        return self.gil_each > 0 and _are_alike(self.each, self.gil_each)

    def gil_is_free(self, since: Sight, sight: Sight) -> bool:
        """Whether lanes need not wait for the GIL: there is none, or they have left it free since then."""
        return not self.limits.gil or gil_free(since, sight)

    def fills(self, cores: float) -> bool:
        """Whether items that keep so many cores busy leave too few for another beside each."""
        return self.native or (cores >= PARALLEL and self.limits.cpus < 2 * cores)

    def rest(self, sight: Sight) -> float:
        """Seconds of one lane's work that are left.

        Where nobody knows, as much as is done, or as an earlier run had beyond that.
        """
        if sight.remaining is None:
            expected = (self.expected - sight.done) * self.each
            return max(self.worked + sight.now, SMALL, expected)
        return sight.remaining * self.each if self.each else (inf if sight.remaining else 0.0)

    def left(self, sight: Sight) -> str:
        """What is left, in words."""
        if sight.remaining is None:
            return "nobody knows how much is left"
        return f"about {self.rest(sight):.2f} s are left"

    @property
    def obstacle(self) -> str:
        """Why there may be no processes, and no threads either where there may not; empty where there may."""
        if self.limits.processes < 2:  # noqa: PLR2004 - one process gains nothing over none
            return "there is one processor"
        single = self.limits.single
        return f"{single}; {self.barred}" if single and self.barred else self.barred

    def processes_pay(self, rest: float, beside: float = 1.0, later: float = 0.0) -> bool:
        """Whether worker processes may be started, and save enough.

        What each has to import and to read for the callable is taken from what they would save.

        Args:
            rest: Seconds that what is left would take as it goes on now, which it does until they are up.
            beside: How many workers would be as fast as that.
            later: Seconds by which they come up later than beside one lane.
        """
        if self.obstacle:
            return False
        limits = self.limits
        spare = _beyond_least(rest, limits.process_start + later, limits.processes / beside)
        if spare >= 0 and not limits.ready_within(spare):
            self._forgoes = max(self._forgoes, spare)
            return False
        return spare >= 0

    @property
    def forgone_so_far(self) -> float:
        """As `forgone`, for a run just after this one."""
        return self.forgone + self._forgoes


def _are_alike(each: float, other: float) -> bool:
    """Whether items that take so many seconds count as the same kind."""
    return 1 / ALIKE < each / other < ALIKE


def worth_sharing(rest: float, lanes: int) -> bool:
    """Whether so many lanes that are up already save enough of the rest, beside a single one."""
    return _beyond_least(rest, 0.0, lanes) >= 0


def _beyond_least(rest: float, start: float, lanes: float) -> float:
    """Seconds, beyond the least that is worth it, that lanes save which are up after `start` seconds.

    One lane goes on meanwhile, so only what is left after the start is shared.
    """
    gain = max(0.0, rest - start) * (1.0 - 1.0 / lanes)
    return gain - max(LEAST_GAIN, LEAST_SHARE * rest)


def first_lanes(waits: float) -> int:
    """Lanes to begin with for items that wait so much of their time: what they compute fills a core.

    Two where waiting is not most of it: what it waits for, a disk or a lock, may be there only once.
    """
    if waits < ABOVE_ALL:
        return 2
    return min(FIRST, ceil(1.0 / max(1.0 - waits, 1e-3)))


def worth_carrying(each: float, carried: float, lanes: int) -> bool:
    """Whether processes are faster than one lane here, though items travel to them and results back.

    Half of what carrying costs is spent here, one item after another, and all of it on the same cores.

    Args:
        each: CPU seconds of an item.
        carried: CPU seconds to carry it, and its result.
        lanes: How many processes, each on a core of its own.
    """
    return GAINS * max((each + carried) / lanes, carried / 2) < each
