"""Looking at one call for what it changes and whether it could travel to another process.

Only callables that compute for long are examined, and only a few of their calls: before anybody
sees the result, since whoever has it may change it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._inspect._words import reason_of
from ..._transfer._apart import being_imported
from ..._transfer._imported import Imported
from ..._transfer._kept_here import mocked
from ..._transfer._obstacle import misnamed
from ..._transfer._pickling import dump, load
from .._accounting._held import Held, digest_of, held_by
from .._accounting._identity import unwrapped
from .._calls._underlying_function import function_shared_by_calls
from ._losses import given_tasks, lost_by

if TYPE_CHECKING:
    from ..._facts._clock import Clock
    from .._calls._tasks import Task

__all__ = ["Examination"]

RETURN = 2.0
"""Times as much as a digest that arguments cost on their trip: pickled, and unpickled (guessed)."""


class Examination:
    """One call under examination; made before the call, ended after it."""

    def __init__(self, task: Task, clock: Clock) -> None:
        self._account = task.account
        self._clock = clock
        self._fn, args, kwargs = unwrapped(task.fn, task.args, task.kwargs)
        self._given = (args, kwargs)
        self._mocked = mocked(self._fn)
        # Not where nothing will be concluded: as long as that is so, each call is examined.
        self._held = Held(b"", self._mocked) if self._mocked else held_by(self._fn)
        began = clock.thread_cpu()  # by the wall a neighbour's turns would count as the trip's cost
        self._digest = b"" if self._held.obstacle else _digest(self._given)
        self._cost = RETURN * (clock.thread_cpu() - began) / 1e9

    def end(self, result: Any, *, failed: bool) -> None:
        """Draw the conclusions; none that lasts of a call while a test has replaced what it uses."""
        if stays := self._mocked or mocked(self._fn):
            self._account.put_off(stays)
            return
        reason = self._obstacle()
        if reason:
            self._account.bar(reason)
        elif not failed:
            self._weigh(result)

    def _obstacle(self) -> str:
        account = self._account
        if self._held.obstacle:
            return f"{self._held.obstacle}, which belongs to this process"
        if not self._digest:
            return "its arguments cannot be pickled"
        if held_by(self._fn).differs(self._held):
            return "a call changed what it holds, which would be lost in another process"
        if _digest(self._given) != self._digest:
            return "a call changed its arguments, which would be lost in another process"
        if account.digest and self._shared_digest() not in {b"", account.digest}:
            return "what it holds changes from call to call, which another process would not see"
        return lost_by(self._fn, *self._given)

    def _shared_digest(self) -> bytes:
        """Of what is the same for all calls, whatever object's method they are; empty where nothing is."""
        function = function_shared_by_calls(self._fn)
        return b"" if function is None else held_by(function).digest

    def _weigh(self, result: Any) -> None:
        if being_imported(result):
            return
        account = self._account
        began = self._clock.thread_cpu()
        try:
            load(dump(result))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a value's own hooks raise anything, a CancelledError too
            account.bar(f"its result cannot be pickled ({reason_of(error)})")
            return
        if found := misnamed(result):
            account.bar(found)
            return
        account.digest = self._shared_digest() or account.digest
        account.marks = Imported(*given_tasks(self._fn, *self._given)).marks
        account.weigh(self._cost + (self._clock.thread_cpu() - began) / 1e9)


def _digest(value: Any) -> bytes:
    try:
        return digest_of(value)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - as above
        return b""
