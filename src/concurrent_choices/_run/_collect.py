"""From batches, which arrive in any order, to what the caller gets."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from typing import Any

from .._errors import ConcurrentChoicesError
from .._facts._batch import Batch
from .._inspect._words import show
from .._work._job import Job
from .._work._weight import weight_of

__all__ = ["Arrivals", "Collector", "InOrder", "Window", "batch_of", "finish", "iterable_of"]

AHEAD = 0.02
"""Seconds of the caller's own pace that a stream works ahead (guessed: hides a thread's wake-up a
hundred times over, and holds little memory)."""

MOST_AHEAD = 1 << 16
"""Results that a stream works ahead at most, however fast its caller is (guessed: some megabytes)."""

HELD = 1 << 26
"""Bytes of results that may wait for the caller, besides one for each lane (guessed: 64 of a megabyte)."""

LATELY = 8
"""How many results count for what one weighs, more or less (guessed)."""

UNWEIGHED = 1e-3
"""Seconds in which only one is weighed (guessed: a response takes 50 µs, which is then a twentieth)."""

SPARED = 10
"""Times as long as weighing took for which none is weighed besides (guessed: what hands out all it holds, as
a frozen set of a million that results share, takes 20 ms)."""

UNTENDED = 1e-3
"""Seconds for which a caller who has results in hand may leave the strategy alone (guessed: the strategy
itself does not look after its lanes more often while it pulls)."""


def iterable_of(strategy: str, given: Any, kind: type[Any] = Iterable) -> Any:
    """What a strategy, which may be the caller's own, gives to iterate over."""
    if isinstance(given, kind):
        return given
    method, wanted = ("execute", "a generator") if kind is Iterable else ("aexecute", "an async generator")
    msg = f"strategy {strategy!r}: its {method}() gave {show(given)}; it must be {wanted} of batches"
    raise ConcurrentChoicesError(msg)


def batch_of(strategy: str, given: object) -> Batch:
    """What a strategy yielded, which must be a batch."""
    if isinstance(given, Batch):
        return given
    msg = f"strategy {strategy!r} yielded {show(given)}; it must yield batches, as `job.perform` returns them"
    raise ConcurrentChoicesError(msg)


def _keep(waiting: dict[int, Sequence[Any]], batch: Batch, due: int, strategy: str) -> None:
    """Have a batch wait for those before it, of which the first is due.

    Where it holds nothing its items went back, and what came of them may be waiting already.
    """
    if not batch.values:
        return
    if batch.start < due or batch.start in waiting:
        msg = (
            f"strategy {strategy!r} yielded the result of item {batch.start} twice; "
            "its execute() must yield one batch for each claim"
        )
        raise ConcurrentChoicesError(msg)
    waiting[batch.start] = batch.values


class Collector:
    """All values of a job that a strategy of that name performs, in input order.

    Attributes:
        values: Those that have arrived with all before them.
    """

    def __init__(self, strategy: str) -> None:
        self._strategy = strategy
        self.values: list[Any] = []
        self._waiting: dict[int, Sequence[Any]] = {}

    def add(self, batch: Batch) -> None:
        """Take a batch; raise the error it carries."""
        if batch.error is not None:
            raise batch.error
        values, waiting = self.values, self._waiting
        if batch.start != len(values):
            _keep(waiting, batch, len(values), self._strategy)
            return
        values.extend(batch.values)
        while waiting and len(values) in waiting:
            values.extend(waiting.pop(len(values)))


class InOrder:
    """Values that a strategy of that name gives, in input order, as soon as all before them have arrived."""

    def __init__(self, strategy: str) -> None:
        self._strategy = strategy
        self._due = 0
        self._waiting: dict[int, Sequence[Any]] = {}

    def take(self, batch: Batch) -> list[Sequence[Any]]:
        """Take a batch; give the runs of values that are due now."""
        values = batch.values
        runs: list[Sequence[Any]] = []
        if batch.start != self._due:
            _keep(self._waiting, batch, self._due, self._strategy)
            return runs
        while values:
            self._due += len(values)
            runs.append(values)
            values = self._waiting.pop(self._due, ())
        return runs


class Arrivals:
    """Values as they arrive."""

    def take(self, batch: Batch) -> list[Sequence[Any]]:
        """Take a batch; give its values."""
        return [batch.values]


class Window:
    """How far a stream works ahead of its caller: what the caller takes in a fiftieth of a second.

    Results that weigh much are fewer, besides those that lanes have in hand.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._began = self._tended = time.perf_counter()
        self._taken = 0
        self._most = job.source.window.most or 0
        self._next_weighed = -math.inf
        self._weight = 0.0
        self._compared = False  # with another result, which would have shown what all of them share
        self._latest: Any = None  # which the stream itself keeps as long

    def arrived(self, values: Sequence[Any]) -> None:
        """Learn what has come, due or not."""
        if values:
            if time.perf_counter() > self._next_weighed:
                self._weigh(values[-1])
            self._latest = values[-1]

    def _weigh(self, value: Any) -> None:
        began = time.perf_counter()
        weight = weight_of(value, self._latest)
        ended = time.perf_counter()
        self._next_weighed = ended + UNWEIGHED + SPARED * (ended - began)
        self._weight += (weight - self._weight) / (LATELY if self._compared else 1)
        self._compared |= self._latest is not None
        self._set()

    def release(self, count: int) -> None:
        """Learn that the caller has taken `count` values."""
        self._taken += count
        passed = time.perf_counter() - self._began or math.inf  # a test may have stopped the clock
        self._most = max(self._most, min(int(self._taken / passed * AHEAD), MOST_AHEAD))
        self._set()
        self._job.source.release(count)

    def _set(self) -> None:
        held = int(HELD / max(1.0, self._weight))
        self._job.source.window.look_ahead(self._most, max(1, held))

    def tend(self) -> None:
        """Have the strategy fill what room there is, where the caller takes his time with results in hand.

        For the thread that takes them: until that asks for others, the strategy does not go on by itself.
        """
        now = time.perf_counter()
        if now - self._tended > UNTENDED:
            self._tended = now
            self._job.tend()


def finish(job: Job, strategy: str, arrived: int) -> None:
    """Raise what the caller's iterable raised, and make sure that nothing was lost."""
    source = job.source
    if source.error is not None:
        raise source.error
    if arrived != source.claimed or not source.finished:
        left = "" if source.finished else ", with more to claim"
        msg = (
            f"strategy {strategy!r} ended after {arrived} results for {source.claimed} claimed items"
            f"{left}; its execute() must yield a batch for each claim"
        )
        raise ConcurrentChoicesError(msg)
