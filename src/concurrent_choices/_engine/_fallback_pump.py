"""Dispatch to worker processes, with an account, and a way back for what cannot go there."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator

from .._errors import WorkerStartError
from .._facts._batch import Batch, Claim
from .._inspect._words import no_workers, reason_of
from .._runtime._interrupted import raise_handlers
from .._strategies._workers._between._wire import Kind, Message
from .._strategies._workers._hosting._host import Host, Worker, unfit_reason
from .._strategies._workers._hosting._job_frames import Sent
from .._strategies._workers._hosting._pump import Pump
from .._strategies._workers._hosting._worker_queue import WorkerQueue
from .._work._job import Job
from .._work._pace import Pace
from ._elastic_pool import ElasticPool, explain_refusals
from ._worker_transfer import stranded

__all__ = ["FallbackPump"]


class FallbackPump(Pump):
    """A pump that performs here what cannot travel, and gives up instead of failing.

    Args:
        pool: Lanes that are still at work here: what they do is handed over too, or a stream that waits for
            it would leave no room for other items.
        watched: Whether there is anything that calls may change: what the callable holds, or their items.
        new_pace: How the batches of a worker begin, where it may have several items at a time.
        sent: The callable, if it was sent to workers as they came up.

    Attributes:
        items: Items that workers have finished or were given up with, or the calling thread in their place.
        seconds: How long those took.
        unfit: What keeps items from workers after all; empty while nothing does.
        changed: What calls have changed in a worker; empty while nothing is known to be.
    """

    def __init__(  # noqa: PLR0913 - each by name
        self,
        job: Job,
        host: Host,
        pool: ElasticPool,
        *,
        workers: int,
        inside: int,
        watched: bool,
        new_pace: Callable[[], Pace],
        sent: Sent | None = None,
    ) -> None:
        lanes = inside if inside > 1 else None
        super().__init__(job, host, workers=workers, lanes=lanes, watched=watched, sent=sent)
        self._pool = pool
        self._watched = watched
        self._pace_of_many = new_pace
        self.items = 0
        self.seconds = 0.0
        self.unfit = self.changed = ""
        self._unasked: set[WorkerQueue] = set()
        self._asked: set[WorkerQueue] = set()

    @property
    def held(self) -> float:
        """Seconds that workers have spent at batches they have not told of; from any thread."""
        return sum(queue.held for queue in list(self._queues.values()))

    def __iter__(self) -> Generator[Batch]:
        # There may have been no results when workers were ordered.
        if reason := stranded(self._pool.latest, tolerant=self._job.return_exceptions):
            self._give_up_on(reason)
        self._pool.outbox.forward(self._waker.ring)
        try:
            yield from super().__iter__()
        finally:
            self._pool.outbox.forward(None)

    def _deal(self) -> None:
        self._out.extend(self._pool.collect())
        super()._deal()

    def _new_pace(self) -> Pace:
        return self._pace_of_many() if self._job.timeout is None else super()._new_pace()

    def _find_worker(self) -> Worker | None:
        try:
            return super()._find_worker()
        except (OSError, WorkerStartError) as error:
            raise_handlers(error)
            self._go_without(no_workers(reason_of(error)))
            return None

    def _work_waits(self) -> bool:
        return super()._work_waits() and not self._waits_for_lanes

    def _next_claim(self, queue: WorkerQueue) -> Claim | None:
        return None if self._waits_for_lanes else super()._next_claim(queue)

    @property
    def _waits_for_lanes(self) -> bool:
        """Whether lanes here are at as many items as may be in flight."""
        return self._pool.limited and self._pool.busy > 0

    def _expire(self) -> float:
        return min(super()._expire(), self._pool.expire())

    def _take(self, queue: WorkerQueue, message: Message) -> None:
        super()._take(queue, message)
        self.seconds += message.nanoseconds / 1e9
        if self._watched:
            self._unasked.add(queue)

    def _put(self, batch: Batch) -> None:
        self.items += len(batch.values)
        explain_refusals(batch, tolerant=self._job.return_exceptions)
        super()._put(batch)

    def _all_idle(self) -> bool:
        return super()._all_idle() and not self._awaits_audits()

    def _awaits_audits(self) -> bool:
        """Ask workers what calls have changed in their last batches; whether one has yet to answer."""
        for queue in self._unasked.intersection(self._queues.values()):
            queue.worker.link.queue(Kind.AUDIT, self._number, 0, [b""])
            self._wires.flush(queue)
            self._asked.add(queue)
        self._unasked.clear()
        return not self._asked.isdisjoint(self._queues.values())

    def _refuse(self, claim: Claim, reason: str) -> None:
        """An item that cannot travel, and was not started: the calling thread performs it."""
        del reason
        if self._job.timeout is not None or self._job.is_async or self._pool.limited:
            self._job.source.give_back(claim)
            self._give_up_on("an item cannot travel to another process")
            return
        begun = time.perf_counter()
        batch = self._job.performer(claim)
        self.seconds += time.perf_counter() - begun
        self.items += len(batch.values)
        self._job.source.performed(claim, batch)
        self._out.append(batch)

    def _handle(self, queue: WorkerQueue, message: Message) -> None:
        if message.kind == Kind.UNFIT and message.job == self._number:
            self._give_up_on(f"a worker process cannot load it ({unfit_reason(message.text)})")
            raise EOFError  # ends this worker, and gives back what it has not started
        if message.kind == Kind.CHANGED and message.job == self._number:
            self._learn(queue, message.text)
            return
        super()._handle(queue, message)

    def _learn(self, queue: WorkerQueue, changed: str) -> None:
        """What calls have changed in a worker: from now on they are performed where it can be seen."""
        self._asked.discard(queue)
        if changed:
            self.changed = self.changed or changed
            self._give_up_on(f"calls change {changed}, which is lost in another process")

    def _despair(self, reason: str) -> None:
        self._go_without(str(WorkerStartError(reason)))

    def _go_without(self, reason: str) -> None:
        while self._mishaps.alone:  # nobody might be left to send them to
            self._job.source.give_back(self._mishaps.alone.popleft())
        self._give_up_on(reason)

    def _give_up_on(self, reason: str) -> None:
        self.unfit = self.unfit or reason
        self.leave()
