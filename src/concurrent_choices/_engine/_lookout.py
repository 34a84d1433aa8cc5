"""Looking at a run of a `def`: from when on that pays, what is seen, and what the controller says to it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from .._judge._controller._controller import Controller
from .._judge._controller._first_look import FIRST_LOOK, at_call_start, sleeps
from .._judge._controller._sight import Arrangement, Prior, Sight
from .._mutation._state import State
from ._elastic_pool import ElasticPool
from ._first_glances import FirstGlances
from ._handover import Handover
from ._lateness import Lateness
from ._observer import Observer
from ._tally import Tally

if TYPE_CHECKING:
    from ._worker_startup import WorkerStartup

__all__ = ["Lookout"]


class Lookout:
    """Makes the observer and the controller when there is something to see, since many a run is over by then.

    Made in the calling thread; from `begin` on for the ticker's, or for who holds the conductor's lock.

    Args:
        decider: Makes the controller.
        eager: Whether to ask it before the first call, since it knows the callable.
        stands_in: Whether a lane does what the calling thread would do alone.

    Attributes:
        lateness: How late the looks come.
        is_looking: Whether there are these two.
        observer: What sees how the run stands.
        controller: What says what is to be done.
    """

    observer: Observer
    controller: Controller

    def __init__(  # noqa: PLR0913 - where everything is read from; each by name
        self,
        decider: Callable[[], Controller],
        pool: ElasticPool,
        tally: Tally,
        state: State,
        handover: Handover,
        *,
        eager: bool,
        stands_in: bool,
    ) -> None:
        self._decider = decider
        self._pool = pool
        self._tally = tally
        self._state = state
        self._handover = handover
        self._asked = eager  # whether the controller was
        self._stands_in = stands_in
        self.lateness = Lateness()
        self._first_glances = FirstGlances(tally, self.lateness)
        self.is_looking = False

    def begin(self) -> None:
        """The run begins."""
        self._began = time.monotonic(), time.process_time()

    # The first milliseconds

    def prepare(self) -> bool:
        """Make observer and controller, if the first call sleeps meanwhile; whether it does."""
        dozes = self._first_glances.dozes
        if dozes:
            self._make_observer()
            self.observer.sight(None, alone=True)  # opens files, and finds out what stays as it is
        return dozes

    def until_first(self) -> float:
        """Seconds until the first glance."""
        since = self._tally.began or self._began[0]
        return max(0.0, FIRST_LOOK - (time.monotonic() - since))

    def rest(self, left: int | None) -> float | None:
        """Seconds until there may be something to decide; None if that is now. So many items are `left`."""
        return None if self._asked else self._first_glances.rest(left)

    # Looks

    def look(self, startup: WorkerStartup | None, *, alone: bool) -> tuple[Sight, Arrangement] | None:
        """What is seen, and what is to be done; None where a second look has to show that."""
        if not self.is_looking:
            self._make_observer()
        sight = self.observer.sight(startup, alone=alone)
        if not self._asked:
            self._asked = True
            if not self._first_glances.computed:
                self.controller.begin(at_call_start(sight))
            # Calls may have queued for a core, and nobody has watched the queue until now.
            if not ((self._first_glances.computed and self.lateness.looks) or sleeps(sight)):
                return None
        return sight, self.controller.look(sight)

    def _make_observer(self) -> None:
        self.controller = self._decider()
        pool, tally, state, lateness = self._pool, self._tally, self._state, self.lateness
        self.observer = Observer(pool, tally, state, lateness, began=self._began, stands_in=self._stands_in)
        self.observer.count_inside = self._handover.count_inside
        self.is_looking = True

    # At any time

    @property
    def done(self) -> int:
        """Items finished, by others too."""
        here = self.observer.done if self.is_looking else self._tally.items + self._pool.counts().items
        return here + self._handover.done()

    @property
    def learnt(self) -> Prior | None:
        """What another run of the same callable may begin with; None where that is nothing."""
        return self.controller.learnt if self.is_looking else None

    def close(self) -> None:
        """Close what is read from."""
        if self.is_looking:
            self.observer.close()
