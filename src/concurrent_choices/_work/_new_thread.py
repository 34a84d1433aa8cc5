"""How threads of ours begin: as daemons, where there can be such."""

from __future__ import annotations

import threading
from collections.abc import Callable

__all__ = ["new_thread", "start"]

_REFUSED = (
    "the system gives this process no more threads: `ulimit -u` and, in a container, its limit of pids say "
    'how many there may be; strategy="sequential" needs none'
)


def new_thread(target: Callable[[], object], name: str) -> threading.Thread:
    """A thread that is not started yet: a daemon, where there can be such."""
    try:
        return threading.Thread(target=target, name=name, daemon=True)
    except RuntimeError:  # a subinterpreter has no daemon threads, and waits at its end for those that run
        return threading.Thread(target=target, name=name, daemon=False)


def start(thread: threading.Thread) -> None:
    """Start a thread.

    Raises:
        RuntimeError: It cannot be started; a note says what there may be too few of.
    """
    try:
        thread.start()
    except RuntimeError as error:
        error.add_note(_REFUSED)
        raise
