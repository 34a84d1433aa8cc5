"""Seeing what other threads are at, without stopping the interpreter for ever, or crashing it."""

from __future__ import annotations

import gc
import os
import sys
import threading
from typing import TYPE_CHECKING, TypeVar

from ._libraries import is_of_libraries

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

__all__ = ["back", "frames", "own_frame"]

Seen = TypeVar("Seen")

_MENDED = sys.version_info >= (3, 11, 9)
"""Whether the interpreter itself keeps garbage collection away (CPython's issue 106883)."""

_COLLECTS_APART = sys.version_info >= (3, 12)
"""Whether garbage is collected between two instructions only, and not as an object is made."""

_seen = sys._current_frames  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - the documented way to see another thread's frame

_turn = threading.Lock()
if not _COLLECTS_APART and sys.platform != "win32":
    # a process forked in between would never collect garbage, and find the lock taken
    os.register_at_fork(before=_turn.acquire, after_in_parent=_turn.release, after_in_child=_turn.release)


def frames() -> dict[int, FrameType]:
    """The innermost frame of each thread of this process, by the thread's identifier.

    The interpreter holds a lock meanwhile that every thread needs to begin and to end. Up to CPython 3.11.8
    garbage may be collected within, and what that closes may let go of the GIL: then whoever starts a thread
    holds the one and waits for the other, and nothing ever runs again.
    """
    return _seen() if _MENDED else _uncollected()


def back(frame: FrameType) -> FrameType | None:
    """The frame that has called one of another thread; None where there is none.

    Before CPython 3.12 garbage may be collected as that is made an object of, and what that closes may let go
    of the GIL: then the other thread goes on, its frame is freed memory, and the interpreter crashes (with
    such garbage at each step within 15 seconds, in two runs of three).
    """
    return frame.f_back if _COLLECTS_APART else _without_garbage(lambda: frame.f_back)


def own_frame(frame: FrameType | None, *, within: str) -> FrameType | None:
    """The innermost frame that is the user's own, on the way out to the first of a file or folder of ours.

    A user can change the line that calls into a library, seldom the library.
    """
    while frame is not None and not frame.f_code.co_filename.startswith(within):
        file = frame.f_code.co_filename
        if not (file.startswith("<") or is_of_libraries(file)):
            return frame
        frame = back(frame)
    return None


def _uncollected() -> dict[int, FrameType]:
    """As `_seen`, while no garbage is collected."""
    return _without_garbage(_seen)


def _without_garbage(see: Callable[[], Seen]) -> Seen:
    """What is seen while none is collected, by one thread at a time."""
    with _turn:
        collects = gc.isenabled()
        try:
            gc.disable()
            return see()
        finally:
            if collects:
                gc.enable()
