"""Lanes inside a worker process: how a hybrid has many items in flight in each process.

Nothing slow may be imported here: a hybrid's first result waits for it.
"""

from __future__ import annotations

import os
import threading
from collections import deque

from ...._facts._batch import Batch, Claim
from ...._facts._lean import TYPE_CHECKING
from ...._inspect._words import reason_of, unfit_for
from ...._runtime._contexts import lanes_around
from ...._runtime._mutex import Mutex
from ...._runtime._new_thread import start
from ...._transfer._pickling import load
from ...._work._job import Job
from ...._work._source import Source
from .._between._outcome import Scrutiny, pack_outcome
from .._between._page import Page
from .._between._wire import Kind, Message, Terms
from ._voice import Voice

if TYPE_CHECKING:
    from typing import Any

    from ...._mutation._state import State
    from ._watch import Watch

__all__ = ["InnerLanes"]


class _Relay(Source):
    """Items that arrive from the caller's process, with the indices they have there."""

    def __init__(self, page: Page) -> None:
        super().__init__(iter(()))
        self._page = page
        self._claims: deque[Claim] = deque()
        self._waiting = 0
        self._guard = Mutex()

    def arrive(self, claim: Claim) -> None:
        """Items have come."""
        with self._guard:
            self._claims.append(claim)
            self._waiting += len(claim.items)
        self._changed()

    def claim(self, limit: int = 1) -> Claim | None:
        """The next item; the page tells the caller that it was started."""
        del limit
        with self._guard:
            if not self._claims or self.closed:
                return None
            start, items = self._claims.popleft()
            if len(items) > 1:
                self._claims.appendleft(Claim(start + 1, items[1:]))
            self._waiting -= 1
            self._page.started += 1
            return Claim(start, items[:1])

    @property
    def ready(self) -> int:
        """Items that a lane could claim."""
        return self._waiting

    @property
    def finished(self) -> bool:
        """Whether the caller wants no more."""
        return self.closed


class InnerLanes:
    """One job's lanes, in a thread of their own; the main thread goes on listening.

    Attributes:
        performed: Items that have been, all together.
        looker: Who looks at the items of the next message, before and after; None where nobody does.
    """

    def __init__(self, terms: Terms, number: int, voice: Voice, page: Page) -> None:
        self._voice = voice
        self._number = number
        self._page = page
        page.started = 0
        self._relay = _Relay(page)
        self._scrutiny = Scrutiny(terms.fn)
        self._items: dict[int, Any] = {}
        self.performed = 0
        self.looker: Watch | None = None
        self._looks: dict[int, tuple[Watch, State]] = {}
        self._job = Job(
            terms.fn,
            self._relay,
            timeout=terms.timeout,
            return_exceptions=terms.return_exceptions,
            linger=0.0,
            sink=self._report,
            is_async=terms.is_async,
        )
        self._job.context.run(lanes_around.set, terms.lanes)
        self._batches_of = terms.inner
        self._thread = threading.Thread(target=self._run, name="concurrent_choices-lanes", daemon=True)
        start(self._thread)

    def __call__(self, message: Message) -> None:
        """Take a batch of items."""
        try:
            # Not by `read`: what lanes call meanwhile may start workers.
            items: list[Any] = self._page.read(message.start + 1, message.frames, load)
        except Exception as error:  # noqa: BLE001 - told to the caller
            self.say(Kind.REFUSED, message.start, [reason_of(error).encode()])
            return
        looker, self.looker = self.looker, None
        if looker is not None:
            looks = looker.before(items, message.frames).items()
            self._looks.update((message.start + place, (looker, look)) for place, look in looks)
        self._items.update(enumerate(items, message.start))
        self._relay.arrive(Claim(message.start, items))

    def end(self) -> None:
        """Another job takes this one's place."""
        self._job.stop()
        with self._voice.turn:  # the caller has all results; a lane may still be about to see that
            pass

    def cease(self) -> None:
        """The caller leaves: begin no more items, cancel coroutines, and say when the lanes have ended.

        It does not wait for long, but kills this process.
        """
        self._job.stop()
        self._thread.join()
        self.say(Kind.CEASED, 0, [b""])

    def _run(self) -> None:
        try:
            for batch in self._batches_of(self._job):
                self._report(batch)  # none comes this way from our own lanes
        except BaseException as error:  # noqa: BLE001 - told to the caller, who raises it
            self._complain(error)

    def _complain(self, error: BaseException) -> None:
        """Tell the caller what went wrong; where its wire is closed, the end of this process does."""
        try:
            self.say(Kind.UNFIT, 0, [unfit_for(error).encode()])
        except OSError:  # the main thread does not notice while it listens: nobody would end this process
            os._exit(1)

    def _report(self, batch: Batch) -> None:
        count = len(batch.values) + (batch.error is not None)
        indices = range(batch.start, batch.start + count)
        claim = Claim(batch.start, [self._items.pop(index) for index in indices])
        frames = pack_outcome(claim, batch, tolerant=self._job.return_exceptions, scrutiny=self._scrutiny)
        self.say(Kind.DONE, batch.start, frames)
        self.performed += count
        for index in indices:
            if seen := self._looks.pop(index, None):
                looker, look = seen
                looker.after([look])

    def say(self, kind: int, start: int, frames: list[Any]) -> None:
        """Tell the caller something; from any thread."""
        self._voice.say(kind, self._number, start, frames)
