"""Where lanes in threads put batches, and where the caller waits for them.

Waking a thread costs ten times as much as a small item, so the caller is woken only when it dozes:
after a busy moment it looks in again by itself, `linger` seconds later.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from math import inf

from ..._facts._batch import Batch

__all__ = ["UNHEARD", "Outbox"]

UNHEARD = 0.4
"""Seconds that one wait takes at most: a signal that arrives just before it begins does not interrupt it, so
Ctrl-C is heard when it is over (guessed: whoever presses it hardly notices)."""


class Outbox:
    """Batches on their way from any thread to one that waits.

    Args:
        linger: Seconds a batch may rest before the caller is woken for it; infinite for never.
        sink: Takes the batches instead, in the thread that puts them.
    """

    def __init__(self, linger: float, sink: Callable[[Batch], None] | None = None) -> None:
        if sink is not None:
            self._sink = sink
            self.put = self._pour  # type: ignore[method-assign] # decided once, not at every put
        self._linger = linger
        self._batches: deque[Batch] = deque()
        self._bell = allocate_lock()
        self._bell.acquire()
        self._dozing = False
        self._busy = False
        self._forward: Callable[[], None] | None = None

    def __len__(self) -> int:
        return len(self._batches)

    def put(self, batch: Batch) -> None:
        """Add a batch; wake the caller if it dozes or the batch ends in an error."""
        self._batches.append(batch)
        if self._dozing or batch.error is not None:
            self.ring()

    def _pour(self, batch: Batch) -> None:
        self._sink(batch)
        if batch.error is not None:
            self.ring()

    def ring(self) -> None:
        """Wake the caller, now or when it next waits."""
        forward = self._forward  # the caller may be back before this is over
        if forward is not None:
            forward()
        with suppress(RuntimeError):  # it rang already
            self._bell.release()

    def forward(self, ring: Callable[[], None] | None) -> None:
        """Have `ring` called too, for every batch: the caller waits elsewhere; None when it is back."""
        self._forward, self._dozing = ring, ring is not None

    def take(self) -> list[Batch]:
        """All that is there."""
        batches = self._batches
        taken = [batches.popleft() for _ in range(len(batches))]
        self._busy = bool(taken)
        return taken

    def wait(self, seconds: float) -> None:
        """Wait for a batch or a ring, for so many seconds at most; it may take less."""
        if self._linger == inf:
            self._sleep(seconds)
            return
        if self._busy:
            self._sleep(min(self._linger, seconds))
            self._busy = False
            return
        self._dozing = True
        if not self._batches:
            self._sleep(seconds)
        self._dozing = False

    def _sleep(self, seconds: float) -> None:
        self._bell.acquire(timeout=max(0.0, min(seconds, UNHEARD)))
