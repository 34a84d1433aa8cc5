"""Lanes at work: the calling thread, threads, tasks on a loop, worker processes with lanes inside.

Each is a task in virtual time that draws items until there are none, or it is told to leave.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from math import inf

from ..._work._pace import Pace
from ._engine import Gate, Operation, Resume, pause
from ._host import Host, Performer
from ._work_queue import Completion, WorkQueue

__all__ = ["Feed", "Lane"]


class Lane:
    """One thing that performs items.

    Args:
        kind: "caller", "thread", "task" or "process".
        step: Seconds of a loop's own work per suspension.
        loop: The loop it shares with others; a loop of its own if None.

    Attributes:
        kind: As given.
        leaving: Whether it ends after its present batch.
        began: When it began its present batch; infinite while it has none.
    """

    def __init__(
        self,
        kind: str,
        host: Host,
        queue: WorkQueue,
        *,
        step: float = 0.0,
        loop: Gate | None = None,
    ) -> None:
        self.kind = kind
        self.leaving = False
        self.began = inf
        self._host = host
        self._queue = queue
        is_async = host.world.script.is_async
        self._performer = Performer(host, step, (loop or Gate(host.engine)) if is_async else None)

    @property
    def cpu(self) -> float:
        """Seconds it has computed for the batch it is at."""
        return self._performer.cpu

    def from_queue(self, start: float, overhead: float, pace: Pace) -> Iterator[Operation]:
        """Work on batches from the queue.

        It begins after `start` seconds; each batch costs it `overhead`.
        """
        yield pause(self._host.engine, start)
        if self.kind == "thread" and self._host.world.script.is_async:
            yield from self._performer.hold(self._host.world.costs.loop_start)
        while not self.leaving and self._queue.left:
            began = self._host.engine.now
            yield from self._performer.hold(overhead)
            if self.leaving or not self._queue.left:
                return  # since it asked for the GIL, without which nothing can be claimed
            batch = self._queue.claim(pace.size)
            yield from self._perform(batch)
            pace.took(self._host.engine.now - began, len(batch))

    def from_feed(self, feed: Feed, start: float) -> Iterator[Operation]:
        """Work on items that the parent sends, from so many seconds after the process has started."""
        yield pause(self._host.engine, start)
        while not feed.over:
            if self.leaving:
                feed.close()
            yield feed.wait
            index = feed.next()
            if index is None:
                continue
            began = self._host.engine.now
            yield from self._performer.hold(feed.worker_cost)
            yield from self._perform((index,))
            feed.took(self._host.engine.now - began)

    def _perform(self, batch: Sequence[int]) -> Iterator[Operation]:
        engine, performer = self._host.engine, self._performer
        performer.cpu = performer.queued = 0.0
        self.began = began = engine.now
        for index in batch:
            yield from performer.item(self._queue.phases(index))
        self.began = inf
        wall = engine.now - began
        self._queue.complete(
            Completion(self.kind, batch[0], len(batch), wall, performer.cpu, performer.queued)
        )


class Feed:
    """Items on their way from the parent to one worker process, at least one ahead of need.

    Args:
        parent: The process that sends; sending costs its GIL.
        batch: Items in a message; None lets it adapt. Lanes inside a worker are fed one at a time.
    """

    def __init__(self, parent: Host, queue: WorkQueue, lanes: int, batch: int | None) -> None:
        payload, costs = parent.world.script.payload, parent.world.costs
        pickling = (payload.item_seconds + payload.result_seconds) / 2
        moved = costs.byte * (payload.item_bytes + payload.result_bytes)
        inside = lanes > 1
        awaiting = max(0.0, costs.process_task - costs.task_item) if parent.world.script.is_async else 0.0
        self.worker_cost = pickling + (costs.hybrid_item if inside else awaiting)
        self._per_item = costs.process_item + pickling + moved
        self._per_batch = costs.process_batch
        self._parent = parent
        self._queue = queue
        self._lanes = lanes
        self._pace = Pace(1 if inside else batch)
        self._ready: deque[int] = deque()
        self._waiting: deque[Resume] = deque()
        self._under_way = 0
        self._closed = False

    def wait(self, resume: Resume) -> bool:
        """The operation of waiting for an item, or for knowing that there is none."""
        self._order()
        if self._ready or self.over:
            return True
        self._waiting.append(resume)
        return False

    @property
    def over(self) -> bool:
        """Whether nothing will arrive any more."""
        return not (self._ready or self._under_way or self._left)

    @property
    def _left(self) -> bool:
        return self._queue.left > 0 and not self._closed

    def close(self) -> None:
        """Have the parent send no more: what it has sent is still done."""
        self._closed = True

    def next(self) -> int | None:
        """An item, or None if another lane was faster."""
        return self._ready.popleft() if self._ready else None

    def took(self, seconds: float) -> None:
        """Learn how long an item took."""
        self._pace.took(seconds * self._pace.size, self._pace.size)

    def _order(self) -> None:
        """Have the parent send a batch if the worker would run dry."""
        short = len(self._ready) + self._under_way <= self._lanes
        if not (short and self._left):
            return
        batch = self._queue.claim(self._pace.size)
        self._under_way += len(batch)
        self._parent.engine.start(self._send(batch))

    def _send(self, batch: range) -> Iterator[Operation]:
        yield self._parent.gil.use(self._per_batch + self._per_item * len(batch))
        self._under_way -= len(batch)
        self._ready.extend(batch)
        last = not (self._under_way or self._left)
        woken = len(self._waiting) if last else min(len(self._waiting), len(self._ready))
        for _ in range(woken):
            self._parent.engine.after(0.0, self._waiting.popleft())
