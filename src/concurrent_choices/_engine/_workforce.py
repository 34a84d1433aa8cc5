"""The worker processes of a run: they are asked for while it goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .._strategies._lanes._thread_pool import ThreadPool
from .._work._job import Job
from .._work._mutex import Mutex
from .._work._state import State
from .._work._words import no_workers
from ._tally import Done
from ._urgency import Urgency

if TYPE_CHECKING:
    from ._worker_startup import WorkerStartup

__all__ = ["Workforce", "new_startup", "order_beside"]


def new_startup(job: Job, state: State, urgency: Urgency) -> WorkerStartup:
    """Where the worker processes of a run come up.

    Raises:
        OSError: What that takes is to be imported, and there is no descriptor to read it by.
    """
    with urgency.claimed():  # each module's file gives the GIL away some four times
        from ._worker_startup import WorkerStartup  # noqa: PLC0415 - most runs need no processes
    return WorkerStartup(job, state, urgency)


def order_beside(thread_pool: ThreadPool, order: Callable[[], None], bar: Callable[[str], None]) -> None:
    """Order worker processes in a thread of its own; where there is none to be had, bar them."""
    try:
        thread_pool.start(order)
    except RuntimeError as error:
        bar(no_workers(str(error)))


class Workforce:
    """The worker processes of a conductor's run.

    Attributes:
        startup: Where they come up; None before they were ordered.
        ordered: How many were, or are about to be.
    """

    def __init__(self, job: Job, state: State, urgency: Urgency, startup: WorkerStartup | None) -> None:
        self._job = job
        self._state = state
        self._urgency = urgency
        self._lock = Mutex()
        self._over = False
        self.startup = startup
        self.ordered = startup.workers if startup else 0

    def order(self, workers: int, inside: int, done: Callable[[], Done], bar: Callable[[str], None]) -> bool:
        """Have them come up, for as long as that takes; False where the run is over, or there can be none."""
        try:
            startup = self._make_startup()
        except OSError as error:
            bar(no_workers(str(error)))
            return False
        if startup is not None:
            startup.order(workers, inside, done(), bar)
        return startup is not None

    def _make_startup(self) -> WorkerStartup | None:
        made = new_startup(self._job, self._state, self._urgency)
        with self._lock:
            if self.startup is None and not self._over:
                self.startup = made
            return None if self._over else self.startup

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
        if self.startup is not None:
            self.startup.close(error)
