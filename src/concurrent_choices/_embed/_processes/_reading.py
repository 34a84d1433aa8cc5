"""Reading what a worker says of a call, and handing it over."""

from __future__ import annotations

import logging
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..._errors import NotPicklableError
from ..._inspect._words import reason_of
from ..._strategies._workers._between._portable_errors import opened
from ..._transfer._pickling import load
from .._calls._tasks import Task

if TYPE_CHECKING:
    from ..._strategies._workers._between._wire import Message
    from .._accounting._account import Account
    from ._call_queue import Assignment
    from ._remote import Report

__all__ = ["read_answer", "settle_call", "settle_lost"]

_logger = logging.getLogger("concurrent_choices")

_LOST = (
    "%s: a call changed %s in a worker process, and the change stayed there; calls run in threads from now on"
)


def read_answer(message: Message, asked: Assignment) -> tuple[Any, BaseException | None]:
    """The answer in a message about what was asked; or why it cannot be read.

    Neither where it is empty: then the worker was told to begin nothing, and has not begun it.
    """
    try:
        values, error = load(message.frames)
    except BaseException as obstacle:  # noqa: BLE001 - any result's own __setstate__ may call sys.exit()
        return None, _lost_result(message.start, asked, reason_of(obstacle))
    if error is None:
        return values[0] if values else None, None
    error = getattr(error, "error", error)
    if isinstance(error, NotPicklableError):  # the worker's, to whom the item is our message
        error = _lost_result(error.index, asked, error.reason)
    return None, error


def _lost_result(number: int, asked: Assignment, reason: str) -> NotPicklableError:
    # Only now: a call's arguments may take longer to spell than the call takes.
    words = asked.shown() if isinstance(asked, Task) else "a look"
    return NotPicklableError(number, words, "result", reason)


def settle_call(task: Task, report: Report, error: BaseException | None) -> None:
    """Hand over what came of a call, and note what it took."""
    account = task.account
    if error is not None:
        reason = error.reason if isinstance(error, NotPicklableError) else reason_of(error)
        account.bar(f"its result cannot be pickled ({reason})")
        settle_lost(task, error)
        return
    account.counted(task.calls)
    account.learn_remote(report.wall, report.cpu, report.queued)
    if report.gil is not None and account.figures.gil is None:
        account.told(report.gil)
    if report.changed:
        _lose(account, report.changed)
    if report.error is None:
        task.deliver(report.value, None)
        return
    account.failed()
    task.deliver(None, opened(report.error))


def _lose(account: Account, changed: str) -> None:
    """A call has changed something in a worker, where that stays: keep the next ones here, and say so."""
    known = account.figures.obstacle
    account.bar(f"a call changed {changed}, which would be lost in another process")
    if not (known or account.pinned):
        with suppress(Exception):  # a handler that raises must not cost the results
            _logger.warning(_LOST, account.name, changed)


def settle_lost(task: Task, error: BaseException) -> None:
    """Hand over that nothing came of a call, and why."""
    account = task.account
    account.counted(task.calls)
    account.failed()
    task.deliver(None, CancelledError() if task.abandoned else error)
