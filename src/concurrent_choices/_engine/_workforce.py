"""The worker processes of a run: they are asked for while it goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .._inspect._words import no_workers
from .._mutation._state import State
from .._runtime._mutex import Mutex
from .._strategies._lanes._thread_pool import ThreadPool
from .._work._job import Job
from ._loss import loss
from ._tally import Done
from ._urgency import Urgency

if TYPE_CHECKING:
    from ._worker_startup import WorkerStartup

__all__ = ["Workforce"]


class Workforce:
    """The worker processes of a run, whoever conducts it.

    Attributes:
        startup: Where they come up; None before they were ordered, and once they are gone.
        ordered: How many were, or are about to be.
        urgency: What the run's threads give way to, from one batch to the next.
    """

    def __init__(self, job: Job, state: State) -> None:
        self._job = job
        self._state = state
        self._lock = Mutex()
        self._over = False
        self.startup: WorkerStartup | None = None
        self.ordered = 0
        self.urgency = Urgency()

    def order_beside(
        self, thread_pool: ThreadPool, workers: int, order: Callable[[], object], bar: Callable[[str], None]
    ) -> None:
        """Have a thread `order` so many; where there is none to be had, bar them."""
        self.ordered = workers
        try:
            thread_pool.start(order)
        except RuntimeError as error:
            bar(no_workers(str(error)))

    def order(self, workers: int, inside: int, done: Callable[[], Done], bar: Callable[[str], None]) -> None:
        """Have them come up, for as long as that takes, unless the run is over by then."""
        if lost := loss(self._job.report, self._state):
            bar(lost)  # before what they need is imported: beside 20 lanes that takes 0.1 to 0.3 s (measured)
            return
        try:
            startup = self._make_startup()
        except OSError as error:  # what that takes is imported, and there is no descriptor to read it by
            bar(no_workers(str(error)))
            return
        if startup is not None:
            startup.order(workers, inside, done(), bar)

    def _make_startup(self) -> WorkerStartup | None:
        with self.urgency.claimed():  # each module's file gives the GIL away some four times
            from ._worker_startup import WorkerStartup  # noqa: PLC0415 - most runs need no processes
        with self._lock:
            if not self._over:
                self.startup = WorkerStartup(self._job, self._state, self.urgency)
            return self.startup

    @property
    def is_idle(self) -> bool:
        """Whether they have nothing to do: none were ordered, or something keeps the callable here."""
        return not self.ordered or self.startup is None or bool(self.startup.obstacle)

    def leave(self) -> None:
        """The run is over: no more are to come up, and nobody is to listen to those there are."""
        with self._lock:
            self._over = True
        if self.startup is not None:
            self.startup.leave()

    def close(self, error: BaseException | None) -> None:
        """Let them rest, or end them if the run failed with an error."""
        self.leave()
        startup, self.startup = self.startup, None
        if startup is not None:
            startup.close(error)
