"""Servers at work: queueing, slowing down, limiting their rate."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from ._engine import Engine, Operation, Resume
from ._scripts import Server

__all__ = ["BusyServer"]


class BusyServer:
    """A server and the calls it has.

    Args:
        engine: The clock.
        server: What it is like.
    """

    def __init__(self, engine: Engine, server: Server) -> None:
        self._engine = engine
        self._server = server
        self._serving = 0
        self._waiting: deque[tuple[float, Resume]] = deque()
        self._next_slot = 0.0

    def call(self, seconds: float, refused: Callable[[], None]) -> Operation:
        """The operation of calling it.

        Args:
            seconds: What the call takes when it is the only one.
            refused: Called if the server turns it away.
        """

        def operation(resume: Resume) -> bool:
            delay = self._until_slot()
            if delay > 0 and self._server.rejects:
                refused()
                return True
            self._take_slot()
            if delay > 0:
                self._engine.after(delay, lambda: self._arrive(seconds, resume))
            else:
                self._arrive(seconds, resume)
            return False

        return operation

    def _until_slot(self) -> float:
        return max(0.0, self._next_slot - self._engine.now) if self._server.rate else 0.0

    def _take_slot(self) -> None:
        if self._server.rate:
            self._next_slot = max(self._next_slot, self._engine.now) + 1.0 / self._server.rate

    def _arrive(self, seconds: float, resume: Resume) -> None:
        capacity = self._server.capacity
        if capacity is not None and self._serving >= capacity:
            self._waiting.append((seconds, resume))
        else:
            self._serve(seconds, resume)

    def _serve(self, seconds: float, resume: Resume) -> None:
        self._serving += 1
        others, server = self._serving - 1, self._server
        slowed = 1.0 + server.contention * others + server.coherence * others * self._serving

        def over() -> None:
            self._serving -= 1
            if self._waiting:
                self._serve(*self._waiting.popleft())
            resume()

        self._engine.after(seconds * slowed, over)
