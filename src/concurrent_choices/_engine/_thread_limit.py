"""How many lanes in threads a run may have: some callables belong to one thread."""

from __future__ import annotations

from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from .._inspect._setters import EVERYWHERE, SHARED
from .._mutation._state import State
from .._work._job import Job
from ._bond import Bond
from ._handover import none
from ._report import RunReport

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._judge._controller._controller import Controller
    from .._judge._controller._sight import Arrangement

__all__ = ["ThreadLimit"]

_COMPUTING = frozenset({"pair", "parallel"})


class ThreadLimit:
    """See the module. Make it in the calling thread, which is all there is where `most` is one.

    While a loop is at its last items, which are `in_flight`, its thread is one of those that there may be.

    Attributes:
        stands_in: Whether a lane does what the calling thread would do alone.
        doubted: Whether it has just been found bound by a lock which may be that of the call that is made
            there. The calling thread can tell between two calls, when it is to ask `frees`.
    """

    def __init__(self, job: Job, most: int, state: State, in_flight: Callable[[], int] = none) -> None:
        self._in_flight = in_flight
        self._bond = Bond(job.fn, state.tasks)
        self._most = most
        self._state = state
        self._report: RunReport = job.report
        self.doubted = False
        # Who wants results as they come, or may give up on an item, cannot be busy with one.
        others = job.linger < inf and most > 1 and not self._bond.reason
        self.stands_in = job.timeout is not None or job.is_async or others

    def lanes(self, arrangement: Arrangement, controller: Controller, *, unseen: bool, calling: bool) -> int:
        """Lanes to have, where an arrangement wants some, while the calling thread makes calls too or not.

        The controller is told what keeps the callable in one thread, or its computing, if anything does.
        """
        computing, self.doubted = arrangement.stage in _COMPUTING, False
        wanted = 0 if computing and unseen else arrangement.threads
        if wanted and self._is_bound:
            controller.keep_single(self._bond.reason)
            self.doubted = self._bond.doubtful
            wanted = 0
        elif arrangement.processes and self._bond.reason in EVERYWHERE:
            controller.keep_single(self._bond.reason)  # before workers are to have lanes inside
        elif wanted and computing and self._mutation:
            controller.keep_apart(f"calls change {self._mutation}")
            wanted = 0
        if not self.stands_in:
            return min(wanted, max(0, self._most - calling))  # that one is one of those that may be
        if arrangement.outside or arrangement.stage == "loop":
            return wanted
        beside = self._in_flight() > 0
        return max(1, min(wanted + (not arrangement.relieved), self._most - beside))

    @property
    def _is_bound(self) -> bool:
        """Whether one thread is to make all calls: the calling one, where that makes any; else whichever."""
        reason = self._bond.reason
        return reason in SHARED or bool(reason and not self.stands_in)

    def frees(self, controller: Controller) -> bool:
        """Look once more for what binds the callable, in the calling thread; whether nothing does."""
        self._bond.look_again()
        if self._bond.reason:
            return False
        controller.set_free()
        return True

    def rehearse(self) -> None:
        """Look once in advance for what binds the callable, so that what looking needs is loaded.

        What is found counts only when lanes are wanted: the first call may hold a lock for a moment, or
        has yet to open what belongs to its thread.
        """
        self._bond.look()

    @cached_property
    def _mutation(self) -> str:
        """What calls change, or may come to, before two compute side by side: results may depend on it."""
        altered = self._state.altered()
        self._report.see(altered)
        return altered
