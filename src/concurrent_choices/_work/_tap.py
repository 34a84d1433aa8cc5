"""The caller's iterable, as a source draws from it: who may, how many items at once, and how long that takes.

Only the thread that called `run` or `stream` advances it, as with the built-in `map`: generators often hold a
database cursor, a lock or a context variable of that thread. That thread is the *owner*.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from itertools import islice

from .._facts._lean import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

__all__ = ["CAUTION", "SMOOTH", "Tap"]

FEED_SECONDS = 1e-3
"""Seconds that the owner pulls at most before it looks after the lanes again (guessed: nobody notices)."""

CAUTION = 16
"""For each so many items that came at once, one more is taken at a time: of those nobody gets any
until the last of them has come (guessed: a page of a thousand rows is taken in some 80 steps)."""

SMOOTH = 64
"""Items that come at once until nobody expects any more that the next one takes as long as one before
(guessed: as many as begin together, as a rule)."""


class Tap:
    """An iterable, from which a source has a few items at a time; None where somebody pushes them instead.

    Attributes:
        advance: Calls what takes a step of the iterable; None where it may be taken as it is.
        time: When the last items had come.
        error: What the iterable raised.
        ended: Whether it is used up.
        is_there: Whether there is an iterable at all.
        disowned: Whether it has no owner any more.
    """

    def __init__(self, items: Iterable[Any] | None) -> None:
        self._iterator: Iterator[Any] | None = None if items is None else iter(items)
        self.is_there = items is not None
        self.disowned = False
        self._owner = threading.get_ident()
        self._longest, self._smooth = 0.0, 0
        self.advance: Callable[[Callable[[], object]], object] | None = None
        self.time = 0.0
        self.error: BaseException | None = None
        self.ended = False

    # Who

    @property
    def is_own(self) -> bool:
        """Whether the calling thread is the owner of an iterable."""
        return self.is_there and not self.disowned and threading.get_ident() == self._owner

    @property
    def is_anothers(self) -> bool:
        """Whether the owner is another thread, which still lives."""
        others = {thread.ident for thread in threading.enumerate()} - {threading.get_ident()}
        return self._owner in others

    def adopt(self) -> None:
        """Make the calling thread the owner; of what is disowned that makes nobody."""
        self._owner = threading.get_ident()

    # How long

    def deadline(self) -> float:
        """The time until which the owner may go on from now."""
        return time.perf_counter() + FEED_SECONDS

    @property
    def flows(self) -> bool:
        """Whether so many items came at once that nobody expects the next to take its time."""
        return self._smooth >= SMOOTH

    @property
    def pause(self) -> float:
        """Seconds that the next item may take, as one before the last few has; 0 where it flows."""
        return 0.0 if self.flows else self._longest

    @property
    def together(self) -> int:
        """How many items may be taken at once, so that none is held back for long."""
        return 1 + self._smooth // CAUTION

    # What

    def take(self, count: int) -> list[Any]:
        """So many items of the iterable, or fewer at its end. Only Ctrl-C is raised."""
        fresh: list[Any] = []
        assert self._iterator is not None
        began = time.perf_counter()
        try:
            if self.advance is None:
                fresh.extend(islice(self._iterator, count))
            else:
                self.advance(partial(fresh.extend, islice(self._iterator, count)))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever the caller's iterable raises is raised to the caller, after the results already due
            self.error = error
        self.time = time.perf_counter()
        if self.time - began > FEED_SECONDS:
            self._longest, self._smooth = self.time - began, 0
        else:
            self._smooth += count
        self.ended = len(fresh) < count or self.error is not None
        return fresh
