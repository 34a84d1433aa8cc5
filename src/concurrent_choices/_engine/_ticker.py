"""One thread for the whole process that looks after runs while their own threads are busy."""

from __future__ import annotations

import heapq
import os
import threading
import time
from collections.abc import Callable
from itertools import count

from .._runtime._mutex import Mutex
from .._runtime._new_thread import new_thread, start_unawaited

__all__ = ["Ticker", "ticker"]

REST = 0.2
"""Seconds the thread waits for another run before it ends: starting one costs 0.1 ms (DECISION.md 5.2)."""

Beat = Callable[[], float | None]
"""Looks after a run; answers in how many seconds to look again, or None for never."""


class Ticker:
    """Calls beats when they are due, in a thread that ends when nothing is."""

    def __init__(self) -> None:
        self._lock = Mutex()
        self._changed = threading.Condition(self._lock)
        self._due: list[tuple[float, int, Beat]] = []
        self._beating: Beat | None = None  # until it is stopped
        self._numbers = count()
        self._running = False
        self._next = 0.0

    def start(self, beat: Beat, seconds: float) -> None:
        """Have `beat` called in so many seconds, and again whenever it asks for it.

        Raises:
            RuntimeError: No thread can be started; the beat is not called.
        """
        due = time.monotonic() + seconds
        with self._lock:
            if not self._running:
                start_unawaited(new_thread(self._run, "concurrent_choices-ticker"))
                self._running = True
            elif due < self._next:
                self._changed.notify()
            heapq.heappush(self._due, (due, next(self._numbers), beat))

    def stop(self, beat: Beat) -> None:
        """Let go of a beat, and with it of the run: its items may hold what is to be closed in its thread."""
        with self._lock:
            self._due = [each for each in self._due if each[2] != beat]
            heapq.heapify(self._due)
            if self._beating == beat:
                self._beating = None

    def _run(self) -> None:
        try:
            while (beat := self._wait()) is not None:
                self._call(beat)
                del beat  # or it would live until the next one
        except BaseException:
            self._running, self._beating = False, None  # the next run gets a thread that is alive
            raise

    def _call(self, beat: Beat) -> None:
        seconds = beat()
        with self._lock:
            wanted, self._beating = self._beating is not None, None
            if wanted and seconds is not None:
                due = time.monotonic() + seconds
                heapq.heappush(self._due, (due, next(self._numbers), beat))

    def _wait(self) -> Beat | None:
        """The next beat, once it is due; None where there has been none for a while."""
        idle_since = time.monotonic()
        with self._lock:
            while True:
                now = time.monotonic()
                self._next = self._due[0][0] if self._due else idle_since + REST
                if self._next > now:
                    self._changed.wait(self._next - now)
                elif self._due:
                    self._beating = heapq.heappop(self._due)[2]
                    return self._beating
                else:
                    self._running = False
                    return None


_tickers: dict[int, Ticker] = {}


def ticker() -> Ticker:
    """The ticker of this process; a fork needs one of its own, since threads do not fork."""
    found = _tickers.get(os.getpid())
    return found if found is not None else _tickers.setdefault(os.getpid(), Ticker())
