"""What a call waits on for its result: of a call that does nothing, a condition takes the greatest part.

`concurrent.futures.Future` waits on a `threading.Condition`, which is written in Python around a lock. Ours
is that lock itself, so that to enter and leave it takes no call in Python.

To have `result` and `set_result` of our own as well, which lock nothing to wait, saved a sixth of the
instructions and no time on two cores; on one, 19.6 µs a call instead of 15.8 (`ThreadPoolExecutor` 16.5).
"""

from __future__ import annotations

from _thread import allocate_lock, get_ident
from typing import TYPE_CHECKING, Any

from ..._errors import ConcurrentChoicesError
from ..._runtime._forks import DESCENT
from ..._runtime._mutex import MutexBase

if TYPE_CHECKING:
    from _thread import LockType

__all__ = ["Monitor"]

_PARENTS = (
    "this call was submitted before this process was forked, and is made in the parent; wait for it there, "
    "or submit it here, after the fork"
)


class Monitor(MutexBase):  # type: ignore[misc]  # pyright: ignore[reportGeneralTypeIssues] - final in the stubs only
    """What a future asks of its condition."""

    __slots__ = ("forks", "waiting")
    # Set by the future, as an `__init__` would be one more call in Python: how many forks before it was made,
    # and what those wait for who wait for it.
    forks: int
    waiting: list[LockType]

    # What `threading.Condition` asks of a lock too; the stubs leave it out.
    _release_save: Any
    _acquire_restore: Any
    _is_owned: Any

    def wait(self, timeout: float | None = None) -> bool:
        """Let go of the lock until somebody notifies; False where that takes longer than so many seconds.

        Raises:
            ConcurrentChoicesError: This is a fork, where nobody would ever notify.
        """
        if self.forks != DESCENT.forks:
            raise ConcurrentChoicesError(_PARENTS)
        turn = allocate_lock()
        turn.acquire()
        self.waiting.append(turn)
        held, notified = None, False
        try:
            held = self._release_save()
            notified = turn.acquire() if timeout is None else turn.acquire(timeout=max(0.0, timeout))
        finally:
            if held is not None:
                self._acquire_restore(held)
            elif not self._is_owned():  # Ctrl-C has struck when it had been let go of, before that was known
                self._acquire_restore((1, get_ident()))
            if not notified and turn in self.waiting:
                self.waiting.remove(turn)
        return notified

    def notify_all(self) -> None:
        """Wake all who wait."""
        for turn in self.waiting:
            turn.release()
        self.waiting.clear()
