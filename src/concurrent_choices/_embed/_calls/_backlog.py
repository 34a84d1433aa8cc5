"""Calls that wait for their turn: short ones first, unless a long one has waited for long."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from time import perf_counter_ns

from .._accounting._account import Account
from ._tasks import Task

__all__ = ["Backlog"]

LOOKED_AT = 16
"""Callables compared for each choice (guessed: a few microseconds)."""

BRIEF = 1e-5
"""Seconds that a call is taken to last at least, so that the figures below stay finite."""


class Backlog:
    """Waiting calls, those of each callable in order of their coming.

    Among callables the one goes first whose oldest call has waited longest by the measure of its own
    length: (waited + length) / length. So a short call overtakes long ones, and a long one is
    overtaken for a while only (highest response ratio next).

    Attributes:
        size: How many wait.
    """

    def __init__(self) -> None:
        self._lines: dict[Account, deque[Task]] = {}
        self.size = 0

    def __iter__(self) -> Iterator[Task]:
        for line in list(self._lines.values()):
            yield from list(line)

    def add(self, task: Task) -> None:
        """One more call waits."""
        task.waits_since = task.waits_since or perf_counter_ns()
        alone = deque((task,))
        # A signal's handler runs after any call: Ctrl-C may strike there, and others may submit something.
        self.size += 1
        if task.account in self._lines:
            self._lines[task.account].append(task)
        else:
            self._lines[task.account] = alone

    def put_back(self, task: Task) -> None:
        """A call that was taken waits again, before the others of its callable."""
        self.add(task)
        self._lines[task.account].rotate(1)

    def queued(self, account: Account) -> bool:
        """Whether calls of a callable wait."""
        return account in self._lines

    def take(self, now: int, may: Callable[[Account], bool]) -> Task | None:
        """The call whose turn it is `now`, in nanoseconds, among callables that `may` run one more."""
        if len(self._lines) == 1:
            return self._only_one(may)
        chosen, best = None, -1.0
        for looked, (account, line) in enumerate(self._lines.items()):
            if looked == LOOKED_AT and chosen is not None:
                break
            if may(account):
                length = max(BRIEF, account.figures.wall)
                ratio = (now - line[0].waits_since) / 1e9 / length
                if ratio > best:
                    chosen, best = account, ratio
        return None if chosen is None else self._pop(chosen)

    def remove(self, account: Account) -> list[Task]:
        """Take all calls of a callable."""
        line = self._lines.pop(account, deque[Task]())
        self.size -= len(line)
        return list(line)

    def take_home(self) -> list[Task]:
        """Take all calls of callables that have gone back to threads."""
        gone = [account for account in self._lines if account.place == "thread"]
        return [task for account in gone for task in self.remove(account)]

    def clear(self) -> list[Task]:
        """Take everything."""
        tasks = list(self)
        self._lines.clear()
        self.size = 0
        return tasks

    def unbegun(self) -> list[Task]:
        """Take all but those that have come back: their futures say that they run, so they must."""
        tasks = self.clear()
        for task in tasks:
            if task.started:
                self.add(task)
        return [task for task in tasks if not task.started]

    def _only_one(self, may: Callable[[Account], bool]) -> Task | None:
        """As `take`, where calls of one callable wait, which are spared the comparing."""
        account = next(iter(self._lines))
        if not may(account):
            return None
        return self._pop(account)

    def _pop(self, account: Account) -> Task:
        # No call from here on: Ctrl-C might strike after it, and what was taken would be lost.
        line = self._lines[account]
        task = line[0]
        del line[0]
        self.size -= 1
        del self._lines[account]
        if line:
            self._lines[account] = line  # behind the others, so that all are looked at in turn
        return task
