"""How threads of ours begin: as daemons, where there can be such, and in no context of the caller's."""

from __future__ import annotations

import _signal  # pyright: ignore[reportMissingModuleSource] - built in; `signal` makes enums of it for 0.4 ms
import sys
import threading
import time
from contextvars import Context

from .._facts._lean import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["NO_THREADS", "make_room_by", "new_thread", "start", "start_unawaited"]

_MAY_BEGIN_LATE = sys.version_info >= (3, 12, 1) or (3, 11, 6) <= sys.version_info < (3, 12)
"""Whether a daemon may begin after the interpreter has ended: before, its first step was into freed memory
(CPython's issue 108987)."""

_FOR_MAIN = frozenset({_signal.SIGINT, _signal.SIGTERM, getattr(_signal, "SIGALRM", _signal.SIGINT)})
"""Signals for which programs have handlers that raise; Python calls them in the main thread."""

_WAKING = 100
"""Milliseconds that the main thread has to wake for a signal, which it may itself block (guessed)."""

NO_THREADS = (
    "the system gives this process no more threads: `ulimit -u` and, in a container, its limit of pids say "
    'how many there may be; strategy="sequential" needs none'
)
"""What an error of a thread that cannot be started notes."""


_SCARCE = "start new thread"
"""In what Python says where the system gives none; where itself allows none, as at its end, it says so."""

_givers: list[Callable[[], bool]] = []


def make_room_by(give: Callable[[], bool]) -> None:
    """Have `give` called where a thread cannot be started; if it gives up something, that is tried again."""
    _givers.append(give)


class _Thread(threading.Thread):
    """A thread that is begun with signals blocked, and hears those again when it runs.

    Not by an attribute `run` of the thread: what watches threads, as Sentry does, sets one itself.
    """

    heard: set[int] | None = None

    def run(self) -> None:
        if self.heard is not None:
            _hear(self.heard)
        super().run()


def new_thread(target: Callable[[], object], name: str) -> threading.Thread:
    """A thread that is not started yet: a daemon, where there can be such.

    Without the GIL it would have a copy of the context that it is started in, and keep what a request has set
    there as long as it lives. What it calls has a context of its own.
    """
    rest: dict[str, Any] = {"context": Context()} if sys.version_info >= (3, 14) else {}
    try:
        return _Thread(target=target, name=name, daemon=True, **rest)
    except RuntimeError:  # a subinterpreter has no daemon threads, and waits at its end for those that run
        return _Thread(target=target, name=name, daemon=False, **rest)


def start(thread: threading.Thread) -> None:
    """Start a thread.

    Raises:
        RuntimeError: It cannot be started; a note says what there may be too few of. Or the interpreter ends.
    """
    if sys.is_finalizing():  # before Python 3.12 it would wait for ever to begin
        problem = f"the interpreter ends, and no thread can begin any more ({thread.name})"
        raise RuntimeError(problem)
    try:
        _start(thread)
    except RuntimeError as error:
        if _SCARCE not in str(error):
            raise
        if any([give() for give in _givers]):  # noqa: C419 - each of them, not up to the first that has something
            _start(thread)
            return
        error.add_note(NO_THREADS)
        raise


def _start(thread: threading.Thread) -> None:
    beside = threading.current_thread() is not threading.main_thread()
    if beside and isinstance(thread, _Thread) and hasattr(_signal, "pthread_sigmask"):
        _start_deaf(thread)
    else:
        thread.start()


def _start_deaf(thread: _Thread) -> None:
    """Start a thread, such that neither it nor this one takes a signal that is meant for the main thread.

    The kernel wakes the main thread for it, but until that has a core, whichever thread makes another, or has
    just been made, takes the signal. The kernel then resumes what the main thread waited for: Ctrl-C had to
    wait for the end of `time.sleep` in 9 of 24 runs whose lanes were being started (measured).
    """
    heard = _signal.pthread_sigmask(_signal.SIG_BLOCK, _FOR_MAIN)  # the new thread inherits it
    thread.heard = heard
    try:
        thread.start()
    finally:
        _hear(heard)


def _hear(heard: set[int]) -> None:
    """Block no more signals than those, once the main thread has had what is pending."""
    blocked = _FOR_MAIN - heard
    for _ in range(_WAKING):
        if not _signal.sigpending() & blocked:
            break
        time.sleep(0.001)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, heard)


class _Unawaited(threading.Event):
    """Set by a thread when it begins, and awaited by nobody."""

    def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002 - the base class has it so
        return True


def start_unawaited(thread: threading.Thread) -> None:
    """Start a thread that need not have begun when this comes back.

    `Thread.start` waits until it has, which in a process's first run takes 200 µs of the 900 that this
    library takes in all (measured). A thread that is no daemon is awaited: an interpreter that ends would
    not know of one that has yet to begin.

    Raises:
        RuntimeError: As for `start`.
    """
    if thread.daemon and _MAY_BEGIN_LATE:
        # All supported versions have this attribute; in one that had not, the thread would be awaited.
        thread._started = _Unawaited()  # type: ignore[attr-defined]  # noqa: SLF001  # pyright: ignore[reportAttributeAccessIssue] - no public way
    start(thread)
