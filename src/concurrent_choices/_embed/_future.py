"""A future that costs a third: of a call that does nothing, its condition takes the greatest part.

`concurrent.futures.Future` waits on a `threading.Condition`, which is written in Python around a lock. Ours
has that lock itself in its place, which all who change a state hold, and whoever waits has a lock of its own
that is let go of at the end. So nothing is locked to wait, or to have the result of a call that has ended.
"""

from __future__ import annotations

from _thread import RLock, allocate_lock
from concurrent.futures import Future, InvalidStateError
from concurrent.futures._base import CANCELLED, CANCELLED_AND_NOTIFIED, FINISHED, PENDING
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _thread import LockType

__all__ = ["LeanFuture"]

R = TypeVar("R")
_ENDED = frozenset({CANCELLED, CANCELLED_AND_NOTIFIED, FINISHED})


class _Monitor(RLock):  # type: ignore[misc]  # pyright: ignore[reportGeneralTypeIssues] - final in the stubs only
    """What a future asks of its condition."""

    __slots__ = ("waiting",)
    waiting: list[LockType]  # set by the future: an `__init__` would be one more call in Python

    def notify_all(self) -> None:
        """Wake all who wait; the state says already that it has ended."""
        for turn in self.waiting.copy():  # who has waited for long enough takes his turn away
            turn.release()


class LeanFuture(Future[R]):
    """A `Future` in every respect but its price."""

    def __init__(self) -> None:
        # All that the base class sets, which would make a condition.
        monitor = _Monitor()
        monitor.waiting = []
        self._condition: Any = monitor
        self._state = PENDING
        self._result = None
        self._exception = None
        self._waiters: list[Any] = []
        self._done_callbacks: list[Any] = []

    def result(self, timeout: float | None = None) -> R:
        """As of any future."""
        if self._state not in _ENDED:
            self._wait(timeout)
        if self._exception is None and self._state == FINISHED:
            return self._result  # type: ignore[return-value]  # that of a call, once it has ended
        try:
            return super().result()
        finally:
            del self  # or the exception's traceback would hold what holds it

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """As of any future."""
        if self._state not in _ENDED:
            self._wait(timeout)
        return super().exception()

    def set_result(self, result: R) -> None:
        """As of any future."""
        self._end(result, None)

    def set_exception(self, exception: BaseException | None) -> None:
        """As of any future."""
        self._end(None, exception)

    def _end(self, result: R | None, error: BaseException | None) -> None:
        with self._condition:
            if self._state in _ENDED:
                msg = f"{self._state}: {self!r}"
                raise InvalidStateError(msg)
            self._result, self._exception = result, error
            self._state = FINISHED
            for waiter in self._waiters:
                (waiter.add_result if error is None else waiter.add_exception)(self)
        self._condition.notify_all()
        if self._done_callbacks:
            self._invoke_callbacks()  # type: ignore[attr-defined]  # the stubs leave it out

    def _wait(self, timeout: float | None) -> None:
        """Come back when it has ended.

        Raises:
            TimeoutError: That takes longer than so many seconds.
        """
        turn = allocate_lock()
        turn.acquire()
        waiting = self._condition.waiting
        waiting.append(turn)
        if self._state in _ENDED:  # it may have ended before there was a turn to let go of
            return
        if timeout is None:
            turn.acquire()
        elif not turn.acquire(timeout=max(0.0, timeout)):
            waiting.remove(turn)
            if self._state not in _ENDED:
                raise TimeoutError
