"""Looking, in a worker process, at what calls are given, and at objects of a class that came by value.

Those have no pickle there. It takes ten times as long as to compare two pickles, so not all calls are looked
at.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ..._mutation._state import State
from ..._strategies._workers._inside._watch import SPARING

__all__ = ["DearLook"]


class DearLook:
    """One look before a call and one after it, if it is time: at a callable, and at what it is given."""

    _next = 0.0

    def __init__(self, fn: Any, given: Sequence[Any] = ()) -> None:
        began = time.monotonic()
        self._state: State | None = None
        if began >= DearLook._next:
            with suppress(Exception):  # a value's own hooks raise anything
                self._state = State(fn, given)
        self._took = time.monotonic() - began

    def finds_change(self) -> bool:
        """Whether the callable holds something else than before, or what it was given is not what it was."""
        if self._state is None:
            return False
        began, found = time.monotonic(), False
        with suppress(Exception):  # as above
            found = bool(self._state.changed()) or self._state.items_changed()
        ended = time.monotonic()
        DearLook._next = ended + SPARING * (self._took + ended - began)
        return found
