"""How threads of ours begin: as daemons, where there can be such, and in no context of the caller's."""

from __future__ import annotations

import sys
import threading
from contextvars import Context

from .._facts._lean import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["new_thread", "start", "start_unawaited"]

_MAY_BEGIN_LATE = sys.version_info >= (3, 12, 1) or (3, 11, 6) <= sys.version_info < (3, 12)
"""Whether a daemon may begin after the interpreter has ended: before, its first step was into freed memory
(CPython's issue 108987)."""

_REFUSED = (
    "the system gives this process no more threads: `ulimit -u` and, in a container, its limit of pids say "
    'how many there may be; strategy="sequential" needs none'
)


def new_thread(target: Callable[[], object], name: str) -> threading.Thread:
    """A thread that is not started yet: a daemon, where there can be such.

    Without the GIL it would have a copy of the context that it is started in, and keep what a request has set
    there as long as it lives. What it calls has a context of its own.
    """
    rest: dict[str, Any] = {"context": Context()} if sys.version_info >= (3, 14) else {}
    try:
        return threading.Thread(target=target, name=name, daemon=True, **rest)
    except RuntimeError:  # a subinterpreter has no daemon threads, and waits at its end for those that run
        return threading.Thread(target=target, name=name, daemon=False, **rest)


def start(thread: threading.Thread) -> None:
    """Start a thread.

    Raises:
        RuntimeError: It cannot be started; a note says what there may be too few of. Or the interpreter ends.
    """
    if sys.is_finalizing():  # before Python 3.12 it would wait for ever to begin
        problem = f"the interpreter ends, and no thread can begin any more ({thread.name})"
        raise RuntimeError(problem)
    try:
        thread.start()
    except RuntimeError as error:
        error.add_note(_REFUSED)
        raise


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
