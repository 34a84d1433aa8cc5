"""Threads that run one body after another, so that a second job need not start new ones."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue

__all__ = ["Crew"]

Body = Callable[[], None]

PARTING = 0.2
"""Seconds to wait for threads to end: a sleeping thread cannot be hurried (half of the half second
in which Ctrl-C must be back)."""


class Crew:
    """A set of daemon threads that grows as bodies arrive and never refuses one.

    Args:
        name: What the threads are called.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._bodies: SimpleQueue[Body | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._closed = False

    def start(self, body: Body) -> None:
        """Run `body` in an idle thread, or in a new one."""
        with self._lock:
            # Not as the thread's argument: a thread keeps its arguments as long as it lives.
            self._bodies.put(body)
            if self._idle:
                self._idle -= 1
                return
            name = f"{self._name}-{len(self._threads)}"
            thread = threading.Thread(target=self._serve, name=name, daemon=True)
            self._threads.append(thread)
        thread.start()

    def _serve(self) -> None:
        while (body := self._bodies.get()) is not None:
            body()
            del body  # or the last job would live until the next one
            with self._lock:
                if self._closed:
                    return
                self._idle += 1

    def close(self) -> None:
        """Send the idle threads home; wait for the others for a moment only."""
        with self._lock:
            self._closed = True
            for _ in range(self._idle):
                self._bodies.put(None)
            self._idle = 0
        until = time.monotonic() + PARTING
        for thread in set(self._threads) - {threading.current_thread()}:
            thread.join(max(0.0, until - time.monotonic()))
