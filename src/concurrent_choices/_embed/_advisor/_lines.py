"""Which line of the user's a thread is at, and what that line calls."""

from __future__ import annotations

import linecache
import os
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType

from ..._platform._libraries import LIBRARIES

__all__ = ["culprit", "spelled"]

_HERE = str(Path(__file__).parents[2])
_OFFLOAD = str(Path(__file__).parents[1] / "_offload.py")
_LONGEST = 60


def culprit(frame: FrameType | None) -> tuple[str, str]:
    """``FILE:LINE`` of the innermost frame that is the user's own, and what that line calls.

    Both empty where the thread is at no line of the user's: a user can change the line that calls into a
    library, seldom the library. So too where it is in `offload`, which can only wait for the GIL: that line
    is as it should be.
    """
    while frame is not None:
        name = frame.f_code.co_filename
        if name == _OFFLOAD:
            break
        if not name.startswith((*LIBRARIES, "<", _HERE)):
            return f"{name}:{frame.f_lineno}", _called(frame)
        frame = frame.f_back
    return "", ""


def _called(frame: FrameType) -> str:
    """What the instruction that a frame is at calls, in the words of the source; empty where unknown."""
    code, at = frame.f_code, frame.f_lasti
    line, end, start, stop = _position(code, at)
    if line is None or line != end or start is None or stop is None:
        return ""
    text = linecache.getline(code.co_filename, line).encode()[start:stop].decode(errors="replace")
    head, opened, _ = text.partition("(")
    head = head.removeprefix("await ").strip()
    return head if opened and len(head) <= _LONGEST else ""


def _position(code: CodeType, at: int) -> tuple[int | None, int | None, int | None, int | None]:
    nothing = (None, None, None, None)
    return next(islice(code.co_positions(), at // 2, None), nothing)


def spelled(where: str) -> str:
    """A place as a person finds it: relative to the working directory, where it lies inside."""
    file, colon, line = where.rpartition(":")
    try:
        near = os.path.relpath(file)
    except ValueError:  # another drive
        return where
    return where if near.startswith("..") else f"{near}{colon}{line}"
