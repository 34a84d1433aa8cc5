"""How threads of ours begin: as daemons, where there can be such."""

from __future__ import annotations

import threading
from collections.abc import Callable

__all__ = ["REFUSED", "new_thread"]

REFUSED = (
    "the system gives this process no more threads: `ulimit -u` and, in a container, its limit of pids say "
    'how many there may be; strategy="sequential" needs none'
)
"""The note of the error that no thread can be started."""


def new_thread(target: Callable[[], object], name: str) -> threading.Thread:
    """A thread that is not started yet: a daemon, where there can be such."""
    try:
        return threading.Thread(target=target, name=name, daemon=True)
    except RuntimeError:  # a subinterpreter has no daemon threads, and waits at its end for those that run
        return threading.Thread(target=target, name=name, daemon=False)
