"""The one source that all lanes draw from. Each item leaves it once.

Plain containers may be advanced from any thread. Any other iterable is advanced only by its owner, as _tap
says, who keeps a little ready for the lanes.
"""

from __future__ import annotations

import sys
from collections import deque
from itertools import count

from .._facts._batch import Claim, new_claim
from .._facts._lean import TYPE_CHECKING
from .._facts._lengths import left_in
from .._platform._interpreter import gil_enabled
from .._runtime._mutex import Mutex
from ._tap import Tap
from ._window import Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
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
"""Places of claimed items kept at the front of what is ready before they are dropped, which costs a copy."""

_GONE = (None,)
"""What stands in the place of an item that was claimed, which may be large."""

LONG = 0.05
"""Seconds that a result which is due may wait for the next item, so that a lane has that meanwhile: one that
is read or worked out takes less, as a rule, and one that waits for events takes more (guessed)."""


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
        tap: Where the owner has items from.
        window: How many of them may be under way.
    """

    def __init__(self, items: Iterable[Any], *, window: int | None = None, fixed: bool = False) -> None:
        if isinstance(items, range) and (items.stop - items.start) // items.step >= sys.maxsize:
            items = iter(items)  # `len` cannot tell how many those are
        kind: Any = type(items)
        self.length = len(items) if kind in SIZED else left_in(items)  # type: ignore[arg-type] # its kind says that it has a length
        self.window = Window(window, fixed=fixed)
        self.error: BaseException | None = None
        self.closed = False
        self.claimed = 0
        self._lock = Mutex()
        self._returned: list[Claim] = []
        self._pulled = 0
        self._singly = False
        self._ready: Any = items if kind in SLICEABLE else []
        self._at = 0
        self.ended = kind in SLICEABLE
        self._sliced = self.ended
        self.tap = Tap(() if self._sliced else items)
        self._listeners: list[Callable[[], None]] = []
        self._feeders: list[Callable[[], None]] = []

    @classmethod
    def pushed(cls, *, window: int | None = None, fixed: bool = False) -> Source:
        """A source without an iterable: somebody pushes the items, then calls `end`."""
        source = cls(iter(()), window=window, fixed=fixed)
        source.tap = Tap(None)
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
        if not self.ended and self._at >= len(self._ready) and self.tap.is_own:
            self._feed(limit, None)
        with self._lock:
            if self._returned:
                return None if self.closed else self._claim_returned(limit)
            if self.window.most is not None and (limit := min(limit, self._allowed)) <= 0:
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
        self._ready[at : at + count] = _GONE * count
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
        if self._sliced and self.window.most is None and gil_enabled():
            self._singly = True
            self._next_place = count(self._at).__next__
            self.claim = self._claim_next  # type: ignore[method-assign] # decided once, not at every claim

    def _claim_next(self, limit: int = 1) -> Claim | None:
        del limit
        at = self._next_place()
        items = self._ready[at : at + 1]
        return new_claim((at, items)) if items else self._claim_last()

    def _claim_last(self) -> Claim | None:
        """One item of what was given back, when all have been claimed."""
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
        return not self.tap.disowned and self._feed(wanted, between)

    def _feed(self, wanted: int, between: Callable[[], object] | None) -> bool:
        tap = self.tap
        if not tap.is_there:
            return False
        step, deadline = 1, tap.deadline()
        while not self.ended and not self.closed:
            short = min(wanted - self.ready, self.room)
            if short <= 0:
                break
            self._take_in(min(step, short, step if between is None else tap.together))
            if tap.time > deadline:
                return True
            step *= 2
            if between is not None and not tap.flows:
                between()
        return step > 1

    def _take_in(self, count: int) -> None:
        """Have so many more items of the iterable ready, or its end."""
        try:
            fresh = self.tap.take(count)
        except BaseException:
            self.ended = True
            raise
        if self.tap.error is not None:
            self.error = self.tap.error
        with self._lock:
            if not self.closed:  # else no lane may claim them
                self._ready.extend(fresh)
                self._pulled += len(fresh)
        # Last: who sees that the end has come must see the last items too.
        if self.tap.ended:
            self.ended = True

    @property
    def pause(self) -> float:
        """Seconds that the next pull may take, as one before the last few has; 0 where those came at once."""
        return 0.0 if self.ended else self.tap.pause

    @property
    def hesitates(self) -> bool:
        """Whether that is so long that whoever has a result in hand should rather give that first."""
        return self.pause > LONG

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

    def make_room(self) -> None:
        """Let at least one more item be claimed, whatever the window is, or becomes meanwhile."""
        self.window.make_room(self.claimed)

    def release(self, count: int) -> None:
        """Say that `count` results have reached the caller; the window moves on."""
        self.window.release(count)
        if self.window.most is not None:
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
        return self.window.beyond(self.claimed)

    @property
    def _given_back(self) -> int:
        """Claimed items that lanes have returned."""
        return sum(len(items) for _, items in self._returned)

    @property
    def room(self) -> int:
        """Items that may still leave the iterable before a result is released."""
        return self.window.beyond(self.claimed if self._sliced else self._pulled)

    @property
    def untouched(self) -> bool:
        """Whether no item can have been claimed and kept: each that was claimed has come back."""
        return not self._singly and self.claimed == self._given_back

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
        total = self._total  # but a list grows if the callable appends to it
        return None if total is None else max(0, total - self.claimed + self._given_back)

    @property
    def _total(self) -> int | None:
        return self._pulled if self.length is None and self.ended else self.length

    def fitting(self, lanes: int) -> int:
        """So many lanes, or fewer where fewer items are there or may be under way: more would have none."""
        lanes = self.window.fitting(lanes)
        return lanes if self._total is None else min(lanes, max(1, self._total))

    @property
    def claimable(self) -> bool:
        """Whether a claim by this thread may give something."""
        return self.ready > 0 or (not self.ended and self.may_pull and self.room > 0)

    @property
    def may_pull(self) -> bool:
        """Whether a claim by this thread takes items from the iterable; else they come by themselves."""
        return self.tap.is_own

    def disown(self) -> Callable[[int, Callable[[], object] | None], bool]:
        """Let nobody advance the iterable any more but who calls what this gives, as others `feed`."""
        self.tap.disowned = True
        return self._feed

    @property
    def belongs_to_another(self) -> bool:
        """Whether another thread, which still lives, is the owner."""
        return self.tap.is_anothers

    def adopt(self) -> None:
        """Make the calling thread the owner, where the source is not disowned."""
        self.tap.adopt()
