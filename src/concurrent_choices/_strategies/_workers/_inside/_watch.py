"""Looking, in a worker, whether calls change their items or what their callable holds: changes stay there."""

from __future__ import annotations

import time
from contextlib import suppress

from ...._facts._lean import TYPE_CHECKING
from ...._inspect._asking import is_frozen
from ...._mutation._state import FIRST, State
from ...._transfer._pickling import size_of
from .._between._wire import Kind, Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

__all__ = ["SPARING", "Watch"]

SPARING = 50
"""Times what a look takes until the next, so that looking costs 2 % (guessed: too little to be noticed)."""

FEW = 32
"""Items of a batch that are looked at, evenly spread (guessed: half a millisecond)."""

LARGE = 1 << 18
"""Bytes of a batch up to which all of those are: of one that is larger fewer, as the first of each job is
looked at whatever that takes (2 to 5 ms for rows of a table). Of one item no more is looked at anyway."""


class Watch:
    """Has batches performed by another, and looks at the callable between them, and at items of some.

    What the first calls have changed does not count: a process loads and connects for itself once, where the
    caller's has done so long ago. Of items it does: they are as they came.
    """

    def __init__(self, fn: Callable[..., Any], perform: Any) -> None:
        self._fn = fn
        self._perform = perform
        self._state: State | None = None
        self._examples: list[Any] = []
        self._next = 0.0
        self._found = ""

    def __call__(self, message: Message) -> None:
        """Take a batch."""
        if not self._found and time.monotonic() >= self._next:
            if self._look():
                self._tell()
            else:
                self._perform.looker = self
        self._perform(message)

    def before(self, items: Sequence[Any], frames: Sequence[Any]) -> dict[int, State]:
        """Looks at some items of a batch that came in these frames, by their places, before any call."""
        began, looks = time.monotonic(), dict[int, State]()
        with suppress(Exception):  # as below
            # As if `len` were called with it, which holds nothing.
            looks = {place: State(len, [items[place]]) for place in _chosen(items, size_of(frames))}
            self._examples = [items[place] for place in looks][:FIRST]
        self._rest(began)
        return looks

    def after(self, looks: Iterable[State]) -> None:
        """Look at the same items again, now that they have been performed; from any thread."""
        began, changed = time.monotonic(), False
        with suppress(Exception):  # as below
            changed = any(look.items_changed() for look in looks)
        self._rest(began)
        if changed and not self._found:
            self._found = "their items"
            self._tell()

    def audit(self) -> None:
        """Tell the caller, who has no more batches for now, what has changed."""
        self._look()
        self._tell()

    def end(self) -> None:
        """Another job takes this one's place."""
        self._perform.end()

    def cease(self) -> None:
        """The caller leaves."""
        self._perform.cease()

    def _look(self) -> str:
        """What calls have changed; empty where nothing is known to be."""
        began = time.monotonic()
        with suppress(Exception):  # a value's own methods raise anything, and lanes may be changing it now
            if self._state is not None:
                self._found = self._found or self._state.changed()
            elif self._perform.performed:
                self._state = State(self._fn, self._examples, whole=True)
        self._rest(began)
        return self._found

    def _rest(self, began: float) -> None:
        """A look that began then is over: the next can wait."""
        ended = time.monotonic()
        self._next = max(self._next, ended) + SPARING * (ended - began)

    def _tell(self) -> None:
        self._perform.say(Kind.CHANGED, 0, [self._found.encode()])


def _chosen(items: Sequence[Any], size: int) -> list[int]:
    """Which of a batch's items are looked at, whose message has that size: some that calls could change."""
    step = max(-(-len(items) // FEW), -(-size // LARGE), 1)
    return [place for place in range(0, len(items), step) if not is_frozen(items[place])]
