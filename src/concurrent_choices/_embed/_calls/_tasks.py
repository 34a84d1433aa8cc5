"""One call that was submitted."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, InvalidStateError
from concurrent.futures._base import CANCELLED, PENDING, RUNNING
from contextlib import suppress
from contextvars import Context
from typing import Any

from ..._inspect._callables import show_call
from ..._runtime._forks import DESCENT
from .._accounting._account import Account
from .._accounting._identity import unwrapped
from ._monitor import Monitor
from ._underlying_function import out_of_chunk

__all__ = ["Task", "complain"]

_log = logging.getLogger(__name__)


class Task(Future[Any]):
    """One call that was submitted, and the future of its result, at half a future's price.

    Attributes:
        fn: What is called; with what is `args` and `kwargs`.
        account: What is known of the callable.
        number: Which call of its executor it is.
        calls: How many calls of the user's callable it makes.
        context: The submitter's context variables; None once all is done, as `fn` and its arguments are.
    """

    # What all begin with is set once for all.
    _state = PENDING
    _result = None
    _exception = None
    started = False  # whether it says that it runs
    abandoned = False  # whether nobody waits for it any longer
    waits_since = 0  # the wall clock when it first had to wait for its turn, ns

    def __init__(  # noqa: PLR0913, PLR0917 - made in one place, for every call: names would cost time
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        account: Account,
        context: Context,
        number: int,
        calls: int,
    ) -> None:
        # The rest of what the base class sets, which would make a condition.
        monitor = Monitor()
        monitor.waiting = []
        monitor.forks = DESCENT.forks
        self._condition: Any = monitor
        self._waiters = []
        self._done_callbacks: list[Any] = []
        self.fn: Any = fn
        self.args: Any = args
        self.kwargs: Any = kwargs
        self.context: Any = context
        self.account = account
        self.number = number
        self.calls = calls

    def begin(self) -> bool:
        """Say that it runs; False where it was cancelled, or abandoned on its way back."""
        with self._condition:  # as the base class has it, which would be asked for every call
            if self._state == PENDING:
                self._state = RUNNING
                self.started = True
                return True
        if not self.started:
            self._give_up()
            return False
        if self.abandoned:
            self.deliver(None, CancelledError())
            return False
        return True

    def call_off(self) -> None:
        """Cancel it, if it has not begun, and say so to those who wait for it.

        Raises:
            KeyboardInterrupt: Ctrl-C came meanwhile, or a callback raised that; it is cancelled all the same.
        """
        cancelled = True
        try:
            cancelled = self.cancel()
        except KeyboardInterrupt:
            cancelled = self.cancel()  # Ctrl-C may have come before that
            raise
        except BaseException:  # noqa: BLE001 - from a callback, as in `deliver`: others are to be cancelled, too
            complain("a callback of %s raised", self.shown())
        finally:
            if cancelled:
                self._give_up()

    def _give_up(self) -> None:
        """It is not made: it was cancelled, which those are told who wait, or else somebody has ended it.

        Whoever cancels it and whoever finds it cancelled may both be here.
        """
        with self._condition:
            if self._state == CANCELLED:
                self.set_running_or_notify_cancel()
        if not self.cancelled():
            complain("%s is not made: somebody else has ended its future", self.shown())
        self._let_go()

    def deliver(self, value: Any, error: BaseException | None) -> None:
        """Hand over what came of it.

        A callback may raise what futures let through, such as SystemExit; others still need the thread
        that it ends in.

        Raises:
            KeyboardInterrupt: Ctrl-C came meanwhile, in a caller that makes the call itself.
        """
        try:
            if error is None:
                self.set_result(value)
            else:
                self.set_exception(error)
        except InvalidStateError:
            complain("what came of %s is lost: somebody else has ended its future", self.shown())
        except BaseException as raised:
            if not self.done():  # Ctrl-C came before that
                self.deliver(value, error)
            elif not _stops_caller(raised):
                complain("a callback of %s raised", self.shown())
            if _stops_caller(raised):
                self._let_go()
                raise
        self._let_go()

    def _let_go(self) -> None:
        """Keep nothing of the call: what came of it may be kept for long."""
        self.fn = self.args = self.kwargs = self.context = None

    def shown(self) -> str:
        """The call as one would write it; of a chunk, the first of its calls."""
        fn, args, kwargs = unwrapped(self.fn, self.args, self.kwargs)
        inner = out_of_chunk(fn)
        if inner is fn:
            return show_call(fn, args, kwargs)
        (chunk,) = args
        return f"chunk of {len(chunk)} from {show_call(inner, chunk[0], {})}"


def _stops_caller(error: BaseException) -> bool:
    """Whether it is Ctrl-C, which strikes in the main thread: none of ours."""
    return isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()


def complain(problem: str, about: object) -> None:
    """Log an error that nobody else would hear of; a handler that raises must not end this thread either."""
    with suppress(Exception):
        _log.critical(problem, about, exc_info=True)
