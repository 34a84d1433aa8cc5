"""Performing a `def` that somebody must be able to give up on: beside the thread that waits for it."""

from __future__ import annotations

from .._errors import ItemTimeoutError
from .._facts._batch import Batch, Claim
from .._facts._lean import TYPE_CHECKING
from .._inspect._words import show
from .._runtime._hand import DaemonHand
from .._runtime._mutex import Mutex

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Watched", "overdue", "time_up", "unless_late"]

_ENDED = "it has ended since, and its outcome is discarded"

_ADRIFT = "its thread cannot be stopped and still runs it; only a process can be"


class Watched:
    """Performs claims of a `def`; gives up on an item when its seconds are up. For any number of threads."""

    def __init__(self, perform: Callable[[Claim], Batch], timeout: float, *, tolerant: bool) -> None:
        self._perform = perform
        self._timeout = timeout
        self._tolerant = tolerant
        self._lock = Mutex()
        self._idle: list[DaemonHand] = []
        self._stopped = False

    def __call__(self, claim: Claim) -> Batch:
        """Perform a claim, item by item."""
        values: list[Any] = []
        for place, item in enumerate(claim.items):
            if self._stopped:
                break
            batch = self._watch(Claim(claim.start + place, [item]))
            values.extend(batch.values)
            if batch.error is not None:
                return Batch(claim.start, values, batch.error)
        return Batch(claim.start, values)

    def stop(self) -> None:
        """Send the idle threads home; the others go when they are done. Safe from any thread."""
        with self._lock:
            self._stopped = True
            idle, self._idle = self._idle, []
        for hand in idle:
            hand.close()

    def _watch(self, claim: Claim) -> Batch:
        with self._lock:
            hand = self._idle.pop() if self._idle else DaemonHand("concurrent_choices-watched")
        done: list[Batch] = []
        came_back = False
        try:
            came_back = hand.do(lambda: done.append(self._perform(claim)), self._timeout)
        finally:
            with self._lock:
                stays = came_back and not self._stopped
                if stays:
                    self._idle.append(hand)
            if not stays:
                hand.close()
        return done[0] if came_back else overdue(claim, self._timeout, tolerant=self._tolerant)


def overdue(claim: Claim, timeout: float, aftermath: str = _ADRIFT, *, tolerant: bool) -> Batch:
    """What comes of the one item of a claim whose seconds were up: its error in its place, or as the end."""
    error = time_up(claim.start, claim.items[0], timeout, aftermath)
    return Batch(claim.start, [error]) if tolerant else Batch(claim.start, [], error)


def unless_late(claim: Claim, batch: Batch, seconds: float, timeout: float, *, tolerant: bool) -> Batch:
    """What came of the one item of a claim, unless it took too long, though nobody gave up on it meanwhile.

    What is no `Exception` ends the run even then.
    """
    if seconds <= timeout or not isinstance(batch.error, Exception | None):
        return batch
    return overdue(claim, timeout, _ENDED, tolerant=tolerant)


def time_up(index: int, item: object, timeout: float, aftermath: str = _ADRIFT) -> ItemTimeoutError:
    """The error of an item whose seconds are up; its call goes on in its thread, unless that is said."""
    return ItemTimeoutError(index, show(item), timeout, aftermath)
