"""Servers at work: calls beyond what they can serve at once queue."""

from __future__ import annotations

from collections import deque

from ._engine import Engine, Operation, Resume
from ._scripts import Server

__all__ = ["BusyServer"]


class BusyServer:
    """A server and the calls it has."""

    def __init__(self, engine: Engine, server: Server) -> None:
        self._engine = engine
        self._capacity = server.capacity
        self._serving = 0
        self._waiting: deque[tuple[float, Resume]] = deque()

    def call(self, seconds: float) -> Operation:
        """The operation of calling it, which takes so many seconds once it is served."""

        def operation(resume: Resume) -> bool:
            if self._serving >= self._capacity:
                self._waiting.append((seconds, resume))
            else:
                self._serve(seconds, resume)
            return False

        return operation

    def _serve(self, seconds: float, resume: Resume) -> None:
        self._serving += 1

        def over() -> None:
            self._serving -= 1
            if self._waiting:
                self._serve(*self._waiting.popleft())
            resume()

        self._engine.after(seconds, over)
