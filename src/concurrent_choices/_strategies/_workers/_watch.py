"""Looking, in a worker, whether calls change what their callable holds: such changes stay in that process."""

from __future__ import annotations

import time
from contextlib import suppress

from ..._facts._lean import TYPE_CHECKING
from ..._work._state import State
from ._wire import Kind, Message

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Watch"]

SPARING = 50
"""Times what a look takes until the next, so that looking costs 2 %."""


class Watch:
    """Has batches performed by another, and looks at the callable between them.

    What the first calls have changed does not count: a process loads and connects for itself once, where the
    caller's has done so long ago.
    """

    def __init__(self, fn: Callable[..., Any], perform: Any) -> None:
        self._fn = fn
        self._perform = perform
        self._state: State | None = None
        self._next = 0.0
        self._found = ""

    def __call__(self, message: Message) -> None:
        """Take a batch."""
        if not self._found and time.monotonic() >= self._next and self._look():
            self._tell()
        self._perform(message)

    def audit(self) -> None:
        """Tell the caller, who has no more batches for now, what has changed."""
        self._look()
        self._tell()

    def end(self) -> None:
        """Another job takes this one's place."""
        self._perform.end()

    def _look(self) -> str:
        """What calls have changed; empty where nothing is known to be."""
        began = time.monotonic()
        with suppress(Exception):  # a value's own methods raise anything, and lanes may be changing it now
            if self._state is not None:
                self._found = self._found or self._state.changed()
            elif self._perform.performed:
                self._state = State(self._fn)
        ended = time.monotonic()
        self._next = ended + SPARING * (ended - began)
        return self._found

    def _tell(self) -> None:
        self._perform.say(Kind.CHANGED, 0, [self._found.encode()])
