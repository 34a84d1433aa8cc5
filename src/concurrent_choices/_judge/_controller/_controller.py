"""The controller: sights in, arrangements out."""

from __future__ import annotations

from math import inf

from ._alone import Alone, Pair
from ._home import Home
from ._known import LEAST_GAIN, Known
from ._parallel import Parallel
from ._processes import Starting
from ._sight import Arrangement, Limits, Prior, Sight
from ._stage import Back, Stage
from ._waiting import Waiting

__all__ = ["Controller"]


class Controller:
    """Decides about one run of a `def`."""

    def __init__(self, limits: Limits, prior: Prior | None = None) -> None:
        self._known = Known(limits)
        self._prior = prior
        self._last = Sight(now=0.0)
        self._given = limits
        self._stage: Stage = Alone(self._known, self._last)

    def begin(self, sight: Sight) -> None:
        """Learn where the counting begins; before the first look."""
        self._last = sight
        self._stage = Alone(self._known, sight)

    def look(self, sight: Sight) -> Arrangement:
        """Learn how the run stands; what to do until the next look."""
        self._last = sight
        if self._prior is not None:
            prior, self._prior = self._prior, None
            following = self._resumed(prior, sight)
        else:
            following = self._stage.look(sight)
        if isinstance(following, Back):
            following = Alone(self._known, sight, following.reason)
        self._stage = following
        return self._stage.arrange()

    def bar(self, reason: str) -> None:
        """Learn that processes cannot serve: the callable changes what it holds, or cannot travel."""
        self._known.barred = reason

    def keep_single(self, reason: str) -> None:
        """Learn that the callable belongs to the calling thread, and in a worker process to one."""
        self._known.limits = self._given._replace(threads=1, single=reason)
        now = self._stage.arrange()
        if not now.processes or now.threads or now.inside > 1:
            self._stage = Alone(self._known, self._last, reason)

    def set_free(self) -> None:
        """Learn that it does not belong there: what seemed to bind it was a call's own."""
        self._known.limits = self._given
        self._stage = Alone(self._known, self._last, "the calling thread goes on")

    def keep_apart(self, reason: str) -> None:
        """Learn that no two calls may compute at once; while they wait they may overlap.

        So they do on one loop. Whoever was told to leave the rest to it may have ended by now.
        """
        self._known.apart = reason
        if not self.homeward:
            self._stage = Alone(self._known, self._last, reason)

    @property
    def homeward(self) -> str:
        """Why coroutines go back to one loop; empty while they do not."""
        return self._stage.reason if isinstance(self._stage, Home) else ""

    @property
    def barred(self) -> str:
        """Why processes cannot serve; empty where nothing says so."""
        return self._known.barred

    @property
    def learnt(self) -> Prior | None:
        """What another run of the same callable may begin with; None where that is nothing."""
        known, arrangement, items = self._known, self._stage.arrange(), self._last.done
        if self._stage.name == "alone":
            gil = Prior("gil", lanes=1, each=known.gil_each, items=items, forgone=known.forgone_so_far)
            return gil if known.gil_each else None
        if self._stage.name in {"waiting", "parallel", "outside"}:
            lanes = arrangement.threads or arrangement.processes
            forgone = inf if arrangement.outside else known.forgone_so_far
            inside = arrangement.inside
            return Prior(self._stage.name, lanes, known.each, inside=inside, items=items, forgone=forgone)
        return None

    def _resumed(self, prior: Prior, sight: Sight) -> Stage | Back:
        """Where an earlier run ended, if this one is worth it."""
        known = self._known
        known.each, known.worked, known.expected = prior.each, prior.worked, prior.items
        known.forgone = prior.forgone
        if prior.stage in {"gil", "outside"} and prior.inside == 1:
            known.gil_each = prior.each
        rest = known.rest(sight)
        if sight.remaining is None and prior.stage == "waiting":
            rest = max(rest, prior.item)  # lanes start as items come, and there is one at least
        if rest >= LEAST_GAIN:  # less is over before lanes have started
            reason = prior.reason
            if prior.stage == "waiting":
                return Waiting(known, sight, reason, first=prior.lanes)
            if prior.stage == "pair":
                return Pair(known, wants=1.0)
            if prior.stage == "parallel":
                return Parallel(known, sight, reason)
            if prior.stage == "outside" and not known.obstacle:
                workers = min(prior.lanes, max(known.limits.processes, known.limits.waiting))
                return Starting(known, sight, reason, inside=prior.inside, workers=workers).look(sight)
        return Alone(known, sight)
