"""The one source that all lanes draw from. Each item leaves it once.

Plain containers may be advanced from any thread. Any other iterable is advanced only by the thread
that called `run` or `stream`, as with the built-in `map`: generators often hold a database cursor, a
lock or a context variable of that thread. That thread is the *owner*; it keeps a little ready for the
lanes.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from functools import partial
from itertools import count, islice

from .._facts._batch import Claim, new_claim
from .._facts._lean import TYPE_CHECKING
from .._platform import gil_enabled
from ._mutex import Mutex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from .._facts._batch import Batch

__all__ = ["SIZED", "SLICEABLE", "Source"]

_EMPTY: dict[Any, Any] = {}
SLICEABLE: tuple[type[Any], ...] = (list, tuple, range, str, bytes)
SIZED: tuple[type[Any], ...] = (
    *SLICEABLE,
    dict,
    set,
    frozenset,
    deque,
    bytearray,
    type(_EMPTY.keys()),
    type(_EMPTY.values()),
    type(_EMPTY.items()),
)

_SWEEP = 1024
"""Claimed items kept before they are dropped from the front of what is ready: dropping costs a copy."""

_NOBODY = -1  # no thread has this identifier

FEED_SECONDS = 1e-3
"""Seconds that the owner pulls at most before it looks after the lanes again (guessed: nobody notices)."""

CAUTION = 16
"""Of so many items that came at once one more may be held back, as nobody gets any of those that are taken
together until the last of them has come (guessed: a page of a thousand rows is taken in some 80 steps)."""

LONG = 0.05
"""Seconds that a result which is due may wait for the next item, so that a lane has that meanwhile: one that
is read or worked out takes less, as a rule, and one that waits for events takes more (guessed)."""

SMOOTH = 64
"""Items that come at once until nobody expects any more that the next one takes as long as one before
(guessed: as many as begin together, as a rule)."""


class Source:
    """Items, handed out in runs under one lock.

    At most `window` items have left the iterable and are not yet released; None is no bound. One that is
    `fixed` stays as it is.

    Attributes:
        length: How many items there are in all; None where that is unknown.
        claimed: How many were claimed so far; some of them may have come back.
        error: What the iterable raised.
        closed: Whether nothing more is handed out.
        ended: Whether the iterable itself is used up; items may still be ready.
        advance: Calls what takes a step of the iterable; None where it may be taken as it is.
    """

    def __init__(self, items: Iterable[Any], *, window: int | None = None, fixed: bool = False) -> None:
        if isinstance(items, range) and (items.stop - items.start) // items.step >= sys.maxsize:
            items = iter(items)  # `len` cannot tell how many those are
        kind: Any = type(items)
        self.length: int | None = len(items) if kind in SIZED else None  # type: ignore[arg-type] # its kind says that it has a length
        self.window = window
        self.fixed = fixed
        self._lanes = self._least = 0
        self.error: BaseException | None = None
        self.closed = False
        self.claimed = 0
        self._lock = Mutex()
        self._owner = threading.get_ident()
        self._returned: list[Claim] = []
        self._released = 0
        self._pulled = 0
        self._longest, self._smooth = 0.0, 0
        self._ready: Any = items if kind in SLICEABLE else []
        self._at = 0
        self.ended = kind in SLICEABLE
        self._sliced = self.ended
        self._iterator: Iterator[Any] | None = iter(() if self._sliced else items)
        self.advance: Callable[[Callable[[], object]], object] | None = None
        self._listeners: list[Callable[[], None]] = []
        self._feeders: list[Callable[[], None]] = []

    @classmethod
    def pushed(cls, *, window: int | None = None, fixed: bool = False) -> Source:
        """A source without an iterable: somebody pushes the items, then calls `end`."""
        source = cls(iter(()), window=window, fixed=fixed)
        source._iterator = None
        return source

    def on_change(self, listener: Callable[[], None]) -> None:
        """Have `listener` called, from any thread, when items were pushed or the window moved on."""
        self._listeners.append(listener)

    def _changed(self) -> None:
        for listener in self._listeners:
            listener()

    def on_hunger(self, listener: Callable[[], None]) -> None:
        """Have `listener` called, from any thread, when a lane that stays found nothing to claim."""
        self._feeders.append(listener)

    def hunger(self, teller: Callable[[], None] | None = None) -> None:
        """Say that a lane waits for items, to whoever may bring some, but not to the one that says so."""
        if not self.ended:
            for listener in self._feeders:
                if listener != teller:
                    listener()

    def claim(self, limit: int = 1) -> Claim | None:
        """At most `limit` consecutive items, or None if none can be had now.

        Called by the owner, it pulls from the iterable when nothing is ready.
        """
        if not self.ended and self._at >= len(self._ready) and self.may_pull:
            self.feed(limit)
        with self._lock:
            if self._returned:
                return None if self.closed else self._claim_returned(limit)
            if self.window is not None and (limit := min(limit, self._allowed)) <= 0:
                return None
            if not self._sliced:
                return self._claim_ready(limit)
            at = self._at
            items = self._ready[at : at + limit]
            if not items:
                return None
            self._at = self.claimed = at + len(items)
            return new_claim((at, items))

    def _claim_ready(self, limit: int) -> Claim | None:
        at, start = self._at, self.claimed
        items = self._ready[at : at + limit]
        if not items:
            return None
        count = len(items)
        self._at = at + count
        self.claimed = start + count
        if at > _SWEEP and at * 2 > len(self._ready):
            self._at = 0  # first: who reads that without the lock must not take what is left for claimed
            del self._ready[: at + count]
        return new_claim((start, items))

    def _claim_returned(self, limit: int) -> Claim:
        start, items = self._returned.pop()
        if len(items) > limit:
            self._returned.append(Claim(start + limit, items[limit:]))
            items = items[:limit]
        return Claim(start, items)

    def peek(self, most: int = 1) -> list[Any]:
        """The items that would be claimed next, `most` at most; fewer, or none, if no more are ready."""
        with self._lock:
            return [*self._ready[self._at : self._at + most]]

    def hand_out_singly(self) -> None:
        """Have every claim give one item from now on, without a lock where that is safe.

        A lane that is preempted inside the lock leaves the others queueing for it, item after item, and each
        then costs two switches of threads, more than all the rest (benchmarks.dispatch, "threads, single").
        Under the GIL nobody comes between the halves of a counter's step. `claimed` is right at the end.
        """
        if self._sliced and self.window is None and gil_enabled():
            self._next_place = count(self._at).__next__
            self.claim = self._claim_next  # type: ignore[method-assign] # decided once, not at every claim

    def _claim_next(self, limit: int = 1) -> Claim | None:
        del limit
        at = self._next_place()
        items = self._ready[at : at + 1]
        return new_claim((at, items)) if items else self._claim_last()

    def _claim_last(self) -> Claim | None:
        """What came back, when all have left."""
        with self._lock:
            if self.closed:
                return None
            self._at = self.claimed = len(self._ready)
            return self._claim_returned(1) if self._returned else None

    def give_back(self, claim: Claim) -> None:
        """Return items that were claimed and never started; another lane takes them."""
        if claim.items:
            with self._lock:
                self._returned.append(claim)

    def performed(self, claim: Claim, batch: Batch) -> bool:
        """Learn what came of a claim: an error closes the source, and what was not started goes back.

        Answers whether any went back.
        """
        done = len(batch.values)
        if batch.error is not None:
            self.close()
        elif done < len(claim.items):
            self.give_back(claim.after(done))
            return True
        return False

    def feed(self, wanted: int, between: Callable[[], object] | None = None) -> bool:
        """Pull until `wanted` items are ready, the window is full, or a millisecond has passed.

        Answers whether it pulled at all: not where the source is disowned, as somebody else does that. What
        the iterable raises is kept in `error`, and ends the source; Ctrl-C is raised at once. What is called
        `between` has lanes begin what has come, as long as the next item may well be one that takes its time.
        """
        return self._owner != _NOBODY and self._feed(wanted, between)

    def _feed(self, wanted: int, between: Callable[[], object] | None) -> bool:
        if self._iterator is None:
            return False
        step, deadline = 1, time.perf_counter() + FEED_SECONDS
        while not self.ended and not self.closed:
            short = min(wanted - self.ready, self.room)
            if short <= 0:
                break
            few = step if between is None else 1 + self._smooth // CAUTION
            if self._pull(min(step, short, few)) > deadline:
                return True
            step *= 2
            if between is not None and self._smooth < SMOOTH:
                between()
        return step > 1

    @property
    def pause(self) -> float:
        """Seconds that the next pull may take, as one before the last few has; 0 where those came at once."""
        return self._longest if self._smooth < SMOOTH and not self.ended else 0.0

    @property
    def hesitates(self) -> bool:
        """Whether that is so long that whoever has a result in hand should rather give that first."""
        return self.pause > LONG

    def _pull(self, count: int) -> float:
        """Take so many items from the iterable; the time when that was over."""
        fresh: list[Any] = []
        assert self._iterator is not None
        began = time.perf_counter()
        try:
            if self.advance is None:
                fresh.extend(islice(self._iterator, count))
            else:
                self.advance(partial(fresh.extend, islice(self._iterator, count)))
        except (GeneratorExit, KeyboardInterrupt):
            self.ended = True
            raise
        except BaseException as error:  # noqa: BLE001 - whatever the caller's iterable raises is raised to the caller, after the results already due
            self.error = error
        ended = time.perf_counter()
        if ended - began > FEED_SECONDS:
            self._longest, self._smooth = ended - began, 0
        else:
            self._smooth += count
        with self._lock:
            if not self.closed:  # else no lane may claim them
                self._ready.extend(fresh)
                self._pulled += len(fresh)
        # Last: who sees that the end has come must see the last items too.
        if len(fresh) < count or self.error is not None:
            self.ended = True
        return ended

    def push(self, items: Iterable[Any]) -> None:
        """Add items from outside (an async iterable, a parent process)."""
        with self._lock:
            before = len(self._ready)
            self._ready.extend(items)
            self._pulled += len(self._ready) - before
        self._changed()

    def end(self, error: BaseException | None = None) -> None:
        """Say that nothing more will be pushed, and what the iterable raised."""
        self.error = error
        self.ended = True
        self._changed()

    def staffed(self, lanes: int) -> None:
        """Learn that so many lanes draw from it: twice as many items may be under way."""
        self._lanes = max(self._lanes, lanes)
        if self.window is not None and not self.fixed:
            self.window = max(self.window, 2 * lanes)

    def look_ahead(self, most: int, held: int) -> None:
        """Let the window be so large, or what lanes need; but they may have no more than `held` ahead."""
        if self.window is not None and not self.fixed:
            self.window = min(max(most, 2 * self._lanes), self._lanes + held)

    def make_room(self, count: int) -> None:
        """Let at least `count` more items be claimed, whatever the window is, or becomes meanwhile."""
        self._least = self.claimed - self._released + count

    def release(self, count: int) -> None:
        """Say that `count` results have reached the caller; the window moves on."""
        self._released += count
        if self.window is not None:
            self._changed()

    def close(self) -> None:
        """Hand out nothing more."""
        self.closed = True
        self._ready = []

    @property
    def ready(self) -> int:
        """Items that a lane could claim at once."""
        if self.closed:
            return 0
        waiting = len(self._ready) - self._at
        # What came back has left the window's room already.
        return self._given_back + max(0, min(waiting, self._allowed))

    @property
    def _allowed(self) -> int:
        """Items that may be claimed before a result is released: perhaps not all that are here."""
        return self._beyond(self.claimed)

    @property
    def _given_back(self) -> int:
        """Claimed items that lanes have returned."""
        return sum(len(items) for _, items in self._returned)

    @property
    def room(self) -> int:
        """Items that may still leave the iterable before a result is released."""
        return self._beyond(self.claimed if self._sliced else self._pulled)

    def _beyond(self, gone: int) -> int:
        """How many more than these may be under way."""
        return 1 << 62 if self.window is None else max(self.window, self._least) - (gone - self._released)

    @property
    def full(self) -> bool:
        """Whether as many items are claimed and not yet released as the window allows."""
        return self._allowed <= 0

    @property
    def finished(self) -> bool:
        """Whether there will never be another item."""
        # In this order: a claim that drops what was claimed counts from 0 again before the rest gets shorter.
        return self.closed or (self.ended and len(self._ready) <= self._at and not self._returned)

    @property
    def remaining(self) -> int | None:
        """Items that nobody has at present, or None where that is unknown."""
        total = self._total
        return None if total is None else total - self.claimed + self._given_back

    @property
    def _total(self) -> int | None:
        return self._pulled if self.length is None and self.ended else self.length

    def fitting(self, lanes: int) -> int:
        """So many lanes, or fewer where fewer items are there or may be under way: more would have none."""
        if self.fixed and self.window is not None:
            lanes = min(lanes, self.window)
        return lanes if self._total is None else min(lanes, max(1, self._total))

    @property
    def claimable(self) -> bool:
        """Whether a claim by this thread may give something."""
        return self.ready > 0 or (not self.ended and self.may_pull and self.room > 0)

    @property
    def may_pull(self) -> bool:
        """Whether a claim by this thread takes items from the iterable; else they come by themselves."""
        return self._iterator is not None and threading.get_ident() == self._owner

    def disown(self) -> Callable[[int, Callable[[], object] | None], bool]:
        """Let nobody advance the iterable any more but who calls what this gives, as others `feed`."""
        self._owner = _NOBODY
        return self._feed

    def adopt(self) -> None:
        """Make the calling thread the owner, where the source is not disowned."""
        if self._owner != _NOBODY:
            self._owner = threading.get_ident()
