"""Naming the line that holds an event loop, by looking at the thread while it is held."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING

from .._platform._frames import frames, own_frame

if TYPE_CHECKING:
    from types import FrameType

    from ._steps import StepMeter

__all__ = ["LONG", "Blame", "culprit"]

LONG = 1_000_000
"""Nanoseconds a step must have lasted to be looked at (guessed: less delays nobody)."""

_HERE = str(PurePath(__file__).parent)


class Blame:
    """Collects which lines of a thread's code its long steps were seen in."""

    def __init__(self, meter: StepMeter, thread: int) -> None:
        self._meter = meter
        self._thread = thread
        self._seen: Counter[str] = Counter()

    def look(self, now: int) -> None:
        """Look once. Called from another thread, at random times."""
        since = self._meter.since
        if since and now - since > LONG:
            frame = frames().get(self._thread)
            line = culprit(frame)
            if line:
                self._seen[line] += 1

    @property
    def worst(self) -> str:
        """``FILE:LINE`` of what was seen most often; empty where nothing was."""
        return max(self._seen, key=self._seen.__getitem__, default="")


def culprit(frame: FrameType | None) -> str:
    """``FILE:LINE`` of the innermost frame that is the user's own; of any, if none is."""
    own = own_frame(frame, within=_HERE) or frame
    if own is None or own.f_code.co_filename.startswith(_HERE):
        return ""
    return f"{own.f_code.co_filename}:{own.f_lineno}"
