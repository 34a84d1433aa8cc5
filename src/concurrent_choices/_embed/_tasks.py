"""One call that was submitted."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from contextvars import Context
from typing import Any

from .._work._callables import show_call
from ._account import Account
from ._identity import unwrapped

__all__ = ["Task", "complain"]

_log = logging.getLogger(__name__)


class Task:
    """One call that was submitted.

    Args:
        future: Where its result goes.
        fn: What is called.
        args: With these.
        kwargs: And these.
        account: What is known of `fn`.
        context: The submitter's context variables.
        number: Which call of its executor it is.
        submitted: The wall clock, ns.
        calls: How many calls of the user's callable it makes.
    """

    __slots__ = (
        "abandoned",
        "account",
        "args",
        "calls",
        "context",
        "fn",
        "future",
        "kwargs",
        "number",
        "started",
        "submitted",
    )

    def __init__(  # noqa: PLR0913, PLR0917 - made in one place, for every call: names would cost time
        self,
        future: Future[Any],
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        account: Account,
        context: Context,
        number: int,
        submitted: int,
        calls: int,
    ) -> None:
        self.future = future
        self.fn = fn
        self.args = args
        self.kwargs = kwargs
        self.account = account
        self.context = context
        self.number = number
        self.submitted = submitted
        self.calls = calls
        self.started = False  # whether its future says that it runs
        self.abandoned = False  # whether nobody waits for it any longer

    def begin(self) -> bool:
        """Say on the future that it runs; False where it was cancelled, or abandoned on its way back."""
        if not self.started:
            self.started = self.future.set_running_or_notify_cancel()
        elif self.abandoned:
            self.deliver(None, CancelledError())
            return False
        return self.started

    def cancel(self) -> None:
        """Cancel it, if it has not begun, and say so to those who wait for it."""
        if self.future.cancel():
            self.future.set_running_or_notify_cancel()

    def deliver(self, value: Any, error: BaseException | None) -> None:
        """Hand over what came of it.

        A callback may raise what futures let through, such as SystemExit; others still need the thread
        that it ends in.
        """
        try:
            if error is None:
                self.future.set_result(value)
            else:
                self.future.set_exception(error)
        except InvalidStateError:
            complain("what came of %r is lost: somebody else has ended its future", self)
        except BaseException:  # noqa: BLE001 - see above
            complain("a callback of %r's future raised", self)

    def __repr__(self) -> str:
        return show_call(*unwrapped(self.fn, self.args, self.kwargs))


def complain(problem: str, about: object) -> None:
    """Log an error that nobody else would hear of; a handler that raises must not end this thread either."""
    with suppress(Exception):
        _log.critical(problem, about, exc_info=True)
