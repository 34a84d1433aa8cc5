"""Locks for `with`, which Ctrl-C does not leave locked.

They are reentrant: the garbage collector may end what was dropped, a stream or an executor, in any thread at
any time, also in one that has its lock already, which would wait for itself.
"""

from __future__ import annotations

import sys
import threading
import weakref
from _thread import RLock

from .._facts._lean import TYPE_CHECKING
from ._forks import tell_in_forks

__all__ = ["Mutex", "MutexBase", "freed_in_forks"]


class _Unbroken(RLock):  # type: ignore[misc]  # pyright: ignore[reportGeneralTypeIssues] - final in the stubs only
    """A lock for CPython 3.14, where a signal may be handled between a `with` and the block it guards.

    If the handler raises there, the lock stays locked for ever (CPython's issue 148874, mended in 3.15), and
    a run of threads hung so after some hundred presses of Ctrl-C. Leaving is the lock's own, in C, and has
    no such gap.
    """

    __slots__ = ()

    def __enter__(self) -> bool:  # type: ignore[override]  # a `with` hands over nothing
        for _ in iter(self.acquire, None):  # a loop looks for no signal after it has called, as a call does
            break
        return True


if TYPE_CHECKING or sys.version_info[:2] != (3, 14):
    Mutex = threading.RLock
    MutexBase = RLock  # what a class derives from that is more than a mutex
else:
    Mutex = MutexBase = _Unbroken


def freed_in_forks() -> RLock:
    """A lock that a thread may hold for milliseconds: in a fork, which has no such thread, it is free."""
    lock = Mutex()
    _freed.add(lock)
    return lock


_freed: weakref.WeakSet[RLock] = weakref.WeakSet()

tell_in_forks(_freed, RLock._at_fork_reinit)  # type: ignore[attr-defined]  # noqa: SLF001 - as threading and logging do
