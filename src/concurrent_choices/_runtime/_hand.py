"""Somebody else to call with: a thread that may be left behind.

A callable that never returns must not take its caller along. So calls that may last are made in a daemon
thread, one piece of work at a time, and the caller waits only as long as it can.
"""

from __future__ import annotations

import threading
import weakref
from functools import partial
from queue import SimpleQueue

from .._facts._lean import TYPE_CHECKING
from ._new_thread import new_thread, start

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

__all__ = ["DaemonHand", "Hand", "OwnHand", "in_time"]


class DaemonHand:
    """Works in a daemon thread of its own, which is left behind if it does not come back."""

    def __init__(self, name: str = "sampling") -> None:
        self._wanted: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._done = threading.Event()
        self._error: BaseException | None = None
        self._late = False
        self.thread = new_thread(partial(_serve, self._wanted), name)
        weakref.finalize(self, self._wanted.put, None)  # where Ctrl-C comes before anybody could close it
        start(self.thread)

    def do(self, work: Callable[[], None], seconds: float) -> bool:
        """Do a piece of work, and wait at most so many seconds for its end."""
        self.begin(work)
        return self.ended(seconds)

    def begin(self, work: Callable[[], None]) -> None:
        """Start a piece of work."""
        self._done.clear()
        self._late = True  # until it is seen to have ended: Ctrl-C may come before that
        self._wanted.put(partial(self._perform, work))

    def ended(self, seconds: float) -> bool:
        """Whether the work that was begun ends in so many seconds. What it raised is raised."""
        if not self._done.wait(max(0.0, min(seconds, threading.TIMEOUT_MAX))):
            return False
        self._late = False
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        return True

    def close(self) -> None:
        """End the thread, after the work it is at; wait for it only if that was seen to have ended."""
        self._wanted.put(None)
        if not self._late:
            self.thread.join()

    def join(self) -> None:
        """Wait for the end of the thread."""
        self.thread.join()

    def _perform(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised to whoever asked for the work
            self._error = error
        self._done.set()


def _serve(wanted: SimpleQueue[Callable[[], None] | None]) -> None:
    """In the thread: do what is wanted, and hold nobody meanwhile."""
    while (work := wanted.get()) is not None:
        work()
        del work


class OwnHand:
    """Works in the calling thread: for callables that need it, and for exact tests.

    It cannot stop waiting: the caller's budget holds only between pieces of work.
    """

    def __init__(self) -> None:
        self.thread = threading.current_thread()

    def do(self, work: Callable[[], None], seconds: float) -> bool:  # noqa: ARG002 - the protocol's
        """Do a piece of work here and now."""
        work()
        return True

    def ended(self, seconds: float) -> bool:  # noqa: ARG002 - as above
        """It always has."""
        return True

    def close(self) -> None:
        """Nothing is held."""

    def join(self) -> None:
        """Nothing is under way."""


Hand = DaemonHand | OwnHand
"""Who makes the calls."""


def in_time(work: Callable[[], T], seconds: float, otherwise: T, *, name: str) -> T:
    """What work gives in a thread of its own, if that is within so many seconds; what it raises is raised."""
    given = [otherwise]
    hand = DaemonHand(name)
    try:
        hand.do(lambda: given.append(work()), seconds)
    finally:
        hand.close()
    return given[-1]
