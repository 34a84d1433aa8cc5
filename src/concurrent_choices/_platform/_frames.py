"""Seeing what other threads are at, without stopping the interpreter for ever."""

from __future__ import annotations

import gc
import os
import sys
import threading
from typing import TYPE_CHECKING

from ._libraries import is_of_libraries

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["frames", "own_frame"]

_MENDED = sys.version_info >= (3, 11, 9)
"""Whether the interpreter itself keeps garbage collection away (CPython's issue 106883)."""

_turn = threading.Lock()
if not _MENDED and sys.platform != "win32":
    # a process forked in between would never collect garbage, and find the lock taken
    os.register_at_fork(before=_turn.acquire, after_in_parent=_turn.release, after_in_child=_turn.release)


def frames() -> dict[int, FrameType]:
    """The innermost frame of each thread of this process, by the thread's identifier.

    The interpreter holds a lock meanwhile that every thread needs to begin and to end. Up to CPython 3.11.8
    garbage may be collected within, and what that closes may let go of the GIL: then whoever starts a thread
    holds the one and waits for the other, and nothing ever runs again.
    """
    return _seen() if _MENDED else _uncollected()


def own_frame(frame: FrameType | None, *, within: str) -> FrameType | None:
    """The innermost frame that is the user's own, on the way out to the first of a file or folder of ours.

    A user can change the line that calls into a library, seldom the library.
    """
    while frame is not None and not frame.f_code.co_filename.startswith(within):
        file = frame.f_code.co_filename
        if not (file.startswith("<") or is_of_libraries(file)):
            return frame
        frame = frame.f_back
    return None


def _uncollected() -> dict[int, FrameType]:
    """As `_seen`, while no garbage is collected."""
    with _turn:
        collects = gc.isenabled()
        gc.disable()
        try:
            return _seen()
        finally:
            if collects:
                gc.enable()


def _seen() -> dict[int, FrameType]:
    return sys._current_frames()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - the documented way to see another thread's frame
