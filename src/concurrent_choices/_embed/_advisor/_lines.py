"""Which line of the user's a thread is at, and what that line calls."""

from __future__ import annotations

import linecache
import os
from itertools import islice
from pathlib import Path
from types import FrameType

from ..._platform._frames import own_frame

__all__ = ["in_words", "place_of", "spelled"]

_OFFLOAD = str(Path(__file__).parents[1] / "_offload.py")
_LONGEST = 60


def place_of(frame: FrameType | None) -> tuple[str, str]:
    """``FILE:LINE`` of the innermost frame that is the user's own, and what that line calls.

    Both empty where the thread is at no line of the user's. So too where it is in `offload`, which can only
    wait for the GIL: that line is as it should be.
    """
    own = own_frame(frame, within=_OFFLOAD)
    return ("", "") if own is None else (f"{own.f_code.co_filename}:{own.f_lineno}", _called(own))


def _called(frame: FrameType) -> str:
    """What the instruction that a frame is at calls, in the words of the source; empty where unknown."""
    code, at = frame.f_code, frame.f_lasti
    line, end, start, stop = next(islice(code.co_positions(), at // 2, None), (None,) * 4)
    if line is None or line != end or start is None or stop is None:
        return ""
    text = linecache.getline(code.co_filename, line).encode()[start:stop].decode(errors="replace")
    head, opened, _ = text.partition("(")
    head = head.removeprefix("await ").strip()
    return head if opened and len(head) <= _LONGEST else ""


def in_words(place: tuple[str, str]) -> str:
    """A place, as `place_of` gives it, for a sentence: " at FILE:LINE (call)"; empty where there is none."""
    where, called = place
    return f" at {spelled(where)}" + (f" ({called})" if called else "") if where else ""


def spelled(where: str) -> str:
    """A place as a person finds it: relative to the working directory, where it lies inside."""
    file, colon, line = where.rpartition(":")
    try:
        near = os.path.relpath(file)
    except ValueError:  # another drive
        return where
    return where if near.startswith("..") else f"{near}{colon}{line}"
