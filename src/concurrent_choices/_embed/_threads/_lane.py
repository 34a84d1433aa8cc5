"""A thread that makes calls, and how it makes one."""

from __future__ import annotations

import threading
import time
from queue import SimpleQueue
from typing import TYPE_CHECKING

from ..._transfer._apart import being_imported
from .._accounting._account import FULL
from ._examine import Examination

if TYPE_CHECKING:
    from typing import Any

    from ..._facts._clock import Clock
    from .._accounting._account import Account
    from .._calls._tasks import Task

__all__ = ["Lane", "perform"]

SELDOM = 1024
"""Of short calls, one in so many is measured in full: that costs 11 to 50 µs (measured; at one in 128 the
slowest hundredth of no-ops took a tenth longer)."""

_LONG = round(FULL * 1e9)
"""Nanoseconds of a call after which the next one is measured all the same."""


class Lane:
    """What can be seen of a thread from outside.

    Attributes:
        mail: The call it is to make next, or None to end; put there whenever it rests, and once.
        since: The wall clock when its call began, or its last one, ns.
        task: The call it makes now, or None.
        thread: The thread; None before it is started.
    """

    __slots__ = ("mail", "since", "task", "thread")

    def __init__(self) -> None:
        self.mail: SimpleQueue[Task | None] = SimpleQueue()
        self.since = 0
        self.task: Task | None = None
        self.thread: threading.Thread | None = None


def perform(task: Task, lane: Lane, clock: Clock) -> None:
    """Make one call, hand over what came of it, and note what it took."""
    account = task.account
    account.counted(task.calls)
    lane.task, lane.since = task, time.perf_counter_ns()
    try:
        if account.candidate and not being_imported((task.fn, task.args, task.kwargs)):
            value = _examined(task, clock)
        elif account.fully or account.tasks % SELDOM == 0:
            value = _measured(task, clock)
        elif task.kwargs:  # to unpack none takes as long as to call
            value = task.context.run(task.fn, *task.args, **task.kwargs)
        else:
            value = task.context.run(task.fn, *task.args)
    except BaseException as error:  # noqa: BLE001 - whatever it raises belongs to whoever waits for it
        lane.task = None
        _tell_if_long(account, lane)
        account.failed()
        task.deliver(None, error)
        del task  # the error's traceback holds this frame, which would hold what holds the error
    else:
        lane.task = None
        _tell_if_long(account, lane)
        task.deliver(value, None)


def _tell_if_long(account: Account, lane: Lane) -> None:
    """Have the next call measured in full after one that took long: the callable may be short no longer."""
    if time.perf_counter_ns() - lane.since > _LONG:
        account.fully = True


def _examined(task: Task, clock: Clock) -> Any:
    examination, value, failed = Examination(task, clock), None, True
    try:
        value = _measured(task, clock)
        failed = False
        return value
    finally:
        examination.end(value, failed=failed)
        del task  # as above


def _measured(task: Task, clock: Clock) -> Any:
    queued, cpu, wall = clock.run_queue(), clock.thread_cpu(), clock.wall()
    try:
        return task.context.run(task.fn, *task.args, **task.kwargs)
    finally:
        wall, cpu = clock.wall() - wall, clock.thread_cpu() - cpu
        queued = clock.run_queue() - queued
        task.account.learn(wall / 1e9, cpu / 1e9, queued / 1e9)
        del task  # as above
