"""Virtual time: a queue of things to come, and tasks that wait for some of them.

A task is a generator of *operations*. An operation is a callable that takes what resumes the task;
it answers True if it is over at once, and otherwise calls that later:

    def lane():
        yield pause(engine, 0.1)
        yield lock.acquire
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from math import inf

__all__ = ["Engine", "Gate", "Operation", "Resume", "pause"]

Resume = Callable[[], None]
Operation = Callable[[Resume], bool]


class Engine:
    """The clock of a simulation. What is due at the same time happens in the order of asking."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, Resume]] = []
        self._asked = 0

    def after(self, seconds: float, what: Resume) -> None:
        """Have `what` called that many seconds from now."""
        self._asked += 1
        heappush(self._due, (self.now + seconds, self._asked, what))

    def start(self, task: Iterator[Operation]) -> None:
        """Let a task run until its first wait, and on from there when it is resumed."""

        def step() -> None:
            for operation in task:
                if not operation(step):
                    return

        step()

    def run(self, until: float = inf) -> None:
        """Let time pass until nothing is due any more, or until that time."""
        due = self._due
        while due and due[0][0] <= until:
            self.now, _, what = heappop(due)
            what()


def pause(engine: Engine, seconds: float) -> Operation:
    """The operation of letting time pass."""

    def operation(resume: Resume) -> bool:
        if seconds <= 0:
            return True
        engine.after(seconds, resume)
        return False

    return operation


class Gate:
    """Lets some tasks in at a time, first come, first served: one for a lock or a loop, more for a server."""

    def __init__(self, engine: Engine, capacity: int = 1) -> None:
        self._engine = engine
        self._free = capacity
        self._waiting: deque[Resume] = deque()

    def acquire(self, resume: Resume) -> bool:
        """The operation of getting in."""
        if not self._free:
            self._waiting.append(resume)
            return False
        self._free -= 1
        return True

    def release(self) -> None:
        """Let the next one in."""
        if self._waiting:
            # through the queue of things to come, so that long queues do not nest calls
            self._engine.after(0.0, self._waiting.popleft())
        else:
            self._free += 1
