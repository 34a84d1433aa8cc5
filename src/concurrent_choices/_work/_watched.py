"""Performing a `def` that somebody must be able to give up on: beside the thread that waits for it."""

from __future__ import annotations

import threading
from queue import SimpleQueue

from .._errors import ItemTimeoutError
from .._facts._batch import Batch, Claim
from ._mutex import Mutex
from ._new_thread import new_thread, start
from ._perform import show

TYPE_CHECKING = False  # checkers know the name; importing typing would cost a worker's start 5 ms

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Watched", "overdue", "time_up"]

_ADRIFT = "its thread cannot be stopped and still runs it; only a process can be"

PARTING = 0.2
"""Seconds to wait for an idle thread to end (as for a thread pool)."""


class Watched:
    """Performs claims of a `def`; gives up on an item when its seconds are up. For any number of threads.

    Args:
        perform: Performs a claim, however long it takes.
        timeout: Seconds an item may take.
        tolerant: Whether the error stands in its item's place and the rest goes on.
    """

    def __init__(self, perform: Callable[[Claim], Batch], timeout: float, *, tolerant: bool) -> None:
        self._perform = perform
        self._timeout = timeout
        self._tolerant = tolerant
        self._lock = Mutex()
        self._idle: list[_Hand] = []
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
            hand.dismiss()
            hand.thread.join(PARTING)

    def _watch(self, claim: Claim) -> Batch:
        with self._lock:
            hand = self._idle.pop() if self._idle else _Hand(self._perform)
        batch: Batch | None = None
        try:
            batch = hand.ask(claim, self._timeout)
        finally:
            with self._lock:
                if batch is None or self._stopped:
                    hand.dismiss()
                else:
                    self._idle.append(hand)
        return overdue(claim, self._timeout, tolerant=self._tolerant) if batch is None else batch


def overdue(claim: Claim, timeout: float, *, tolerant: bool) -> Batch:
    """What comes of the one item of a claim whose seconds were up: its error in its place, or as the end.

    Args:
        claim: The item.
        timeout: The seconds it had.
        tolerant: Whether the error stands in its place.
    """
    error = time_up(claim.start, claim.items[0], timeout)
    return Batch(claim.start, [error]) if tolerant else Batch(claim.start, [], error)


def time_up(index: int, item: object, timeout: float) -> ItemTimeoutError:
    """The error of an item whose call goes on in its thread, though its seconds are up."""
    return ItemTimeoutError(index, show(item), timeout, _ADRIFT)


class _Hand:
    """A thread that performs one claim after another."""

    def __init__(self, perform: Callable[[Claim], Batch]) -> None:
        self._perform = perform
        self._claims: SimpleQueue[Claim | None] = SimpleQueue()
        self._batch: Batch | None = None
        self._done = threading.Semaphore(0)
        self.thread = new_thread(self._serve, "concurrent_choices-watched")
        start(self.thread)

    def ask(self, claim: Claim, seconds: float) -> Batch | None:
        """Perform a claim; None where the seconds are up, after which this hand is of no more use."""
        self._claims.put(claim)
        if not self._done.acquire(timeout=min(seconds, threading.TIMEOUT_MAX)):
            return None
        batch, self._batch = self._batch, None
        return batch

    def dismiss(self) -> None:
        """End the thread, when it is done."""
        self._claims.put(None)

    def _serve(self) -> None:
        while (claim := self._claims.get()) is not None:
            self._batch = self._perform(claim)
            del claim  # or it would live until the next one
            self._done.release()
