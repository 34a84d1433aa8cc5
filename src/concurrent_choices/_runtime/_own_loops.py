"""The loops that we make ourselves: their threads, and their end."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio import (
    _get_running_loop,  # pyright: ignore[reportPrivateUsage] - in its `__all__`, for who makes loops
    _set_running_loop,  # pyright: ignore[reportPrivateUsage] - as above
)
from collections.abc import Callable, Coroutine
from contextlib import suppress
from inspect import CORO_CREATED, getcoroutinestate
from selectors import DefaultSelector
from socket import socketpair
from typing import Any

from ._limited import GRACE, cancel_all
from ._mutex import freed_in_forks

__all__ = [
    "MOST",
    "aside",
    "end_loop",
    "give_threads",
    "loops_to_be_had",
    "make_loop",
    "new_loop",
    "run_on",
    "with_threads",
]

MOST = 64
"""Threads that `asyncio.to_thread` may use in one loop (guessed, as where a `def` waits)."""

DESCRIPTORS = 3
"""What a loop of asyncio opens: a selector, and two ends by which it is woken."""

SPARE = 8
"""Descriptors that a run itself may open meanwhile: to look at its threads, and to read its own modules."""


def with_threads(make: Callable[[], asyncio.AbstractEventLoop]) -> asyncio.AbstractEventLoop:
    """A loop whose items that wait in threads do so at once.

    A loop has four threads more than processors by itself, however many items it has in flight.
    """
    # Before there is a loop, as nobody would close it where there is no descriptor to read that by.
    try:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - auto's loops load it only where it is used
    except RuntimeError:  # it cannot be loaded once the interpreter ends, when `atexit` calls
        return make()
    loop = make()
    loop.set_default_executor(ThreadPoolExecutor(MOST, thread_name_prefix="asyncio"))
    return loop


_making = freed_in_forks()
"""Held by a thread that makes itself a loop: many at once would take what each of them has tried."""


def make_loop() -> asyncio.AbstractEventLoop:
    """A loop of asyncio's own.

    One that fails to start for want of descriptors is a half-made thing, of which Python complains later on,
    so what it opens is tried before.

    Raises:
        OSError: There are no descriptors for it.
    """
    with _making:
        with DefaultSelector():
            _try_pair()
        return asyncio.new_event_loop()


def new_loop() -> asyncio.AbstractEventLoop:
    """A loop of asyncio's own, with such threads."""
    return with_threads(make_loop)


def give_threads() -> None:
    """Give the running loop such threads, unless nobody has loaded thread pools: then no item uses them."""
    if "concurrent.futures.thread" in sys.modules:
        with_threads(asyncio.get_running_loop)


def aside(step: Callable[[], object]) -> None:
    """Call something that knows nothing of our loop, which runs in this thread, as if none ran.

    A generator of items may itself call `asyncio.run`.
    """
    loop = _get_running_loop()
    if loop is None:  # it has ended, and what is left is for others
        step()
        return
    swap: Callable[[Any, Any], Any] = getattr(asyncio.tasks, "_swap_current_task", _keep)
    task = swap(loop, None)
    _set_running_loop(None)
    try:
        step()
    finally:
        _set_running_loop(loop)
        swap(loop, task)


def _keep(_loop: object, _task: object) -> None:
    """Before Python 3.12 the current task need not be set aside: each loop has its own."""


def loops_to_be_had() -> int:
    """How many loops this process has descriptors for, where each of their items opens one of its own.

    A loop that fails to start for want of them is a half-made thing, of which Python complains later on.
    """
    try:
        import resource  # noqa: PLC0415 - not there on every platform

        most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if most == resource.RLIM_INFINITY:
            return sys.maxsize
        there = len(os.listdir("/dev/fd"))  # noqa: PTH208 - a Path costs more than the looking
        return max(0, most - there - SPARE) // (DESCRIPTORS + 1)
    except (ImportError, FileNotFoundError):  # nobody counts them here
        return sys.maxsize
    except OSError:  # there is none left to look with
        return 0


def run_on(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, object]) -> None:
    """Run a coroutine to its end on a loop.

    A loop of uvloop's that fails to start counts as running for good, and cannot be closed either. What it
    opens as it starts is therefore tried before; what is left is Ctrl-C at that very moment. Where one is
    interrupted, signals wake whom they did before: it may leave its own socket for that, whose number others
    get once it is closed.

    Raises:
        OSError: There are no descriptors for it to start again.
    """
    try:
        if not isinstance(loop, asyncio.BaseEventLoop):
            _try_pair()
    except BaseException:
        work.close()  # or Python warns that it was never awaited
        raise
    woken = _woken_by_signals()
    try:
        loop.run_until_complete(work)
    except BaseException:
        _wake_by_signals(woken)
        raise
    finally:
        # Where greenlets share a thread, another loop may run in it, beside which this one is not begun.
        if loop.is_running() or getcoroutinestate(work) == CORO_CREATED:
            work.close()  # as above


def _woken_by_signals() -> int:
    """The descriptor that they write to; -1 for none, and in threads to which they do not come."""
    try:
        woken = signal.set_wakeup_fd(-1)
    except ValueError:
        return -1
    _wake_by_signals(woken)
    return woken


def _wake_by_signals(woken: int) -> None:
    with suppress(ValueError, OSError):  # another thread than the main one; or it has been closed
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)


def _try_pair() -> None:
    """Open two sockets, as loops do to be woken when they are made or start, and close them."""
    for end in socketpair():
        end.close()


def end_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel the tasks that are left on a loop, close its async generators, and then the loop.

    Nothing is done to one that is closed already, or runs.

    Not as ``asyncio.Runner`` does: its end waits without bound for tasks that resist cancellation and for
    threads that sleep, and Ctrl-C must be back within half a second.
    """
    if loop.is_closed() or loop.is_running():
        return
    try:
        try:
            _tidy_up(loop)
        except RuntimeError:  # it was interrupted as it was to stop, and has stopped only now
            _tidy_up(loop)
    finally:
        if not loop.is_running():
            loop.close()


def _tidy_up(loop: asyncio.AbstractEventLoop) -> None:
    # Asked here: from Python 3.14 on, one that runs knows no tasks of other threads that ran it before.
    run_on(loop, _tidy(loop, asyncio.all_tasks(loop)))


async def _tidy(loop: asyncio.AbstractEventLoop, tasks: set[asyncio.Task[Any]]) -> None:
    await cancel_all(tasks)
    with suppress(TimeoutError):
        await asyncio.wait_for(loop.shutdown_asyncgens(), GRACE)
