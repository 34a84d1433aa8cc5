"""Dispatch: claims go out to workers, batches come back, deaths and overdue items are settled.

All of it happens in the caller's thread, between two looks at the wires.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import cached_property, partial
from math import inf
from typing import Any

from ...._errors import ClosedStrategyError, NotPicklableError, WorkerStartError
from ...._facts._batch import Batch, Claim
from ...._inspect._words import reason_of, show
from ...._runtime._interrupted import raise_handlers
from ...._runtime._new_thread import NO_THREADS
from ...._runtime._switching import quick_switching
from ...._transfer._markers import Markers
from ...._transfer._pickling import dump, size_of
from ...._work._job import Job
from ...._work._pace import TRIP, Pace, share_of_rest
from ...._work._watched import unless_late
from ..._lanes._inside_worker import perform_inside
from ..._lanes._outbox import UNHEARD
from .._between._outcome import unpack_outcome
from .._between._page import A_JOB
from .._between._surroundings import surroundings
from .._between._wire import Kind, Message
from ._host import ENDLESS, PARTING, Host, Starts, Worker, unfit_reason
from ._job_frames import JobFrames, Sent
from ._mishaps import ATTEMPTS, Mishaps
from ._own_modules import OwnModules
from ._parting import part
from ._supply import Supply
from ._waker import Waker
from ._wires import Wires
from ._worker_queue import CREDIT, SharedWorkerQueue, WorkerQueue

__all__ = ["Pump"]

_ADVICE = (
    "; define it in a module that a new process can import, have an initializer= of ProcessStrategy prepare "
    'for that, or use strategy="thread"'
)

NAP = 50e-6
"""Seconds in which a few answers gather where a batch takes a microsecond (guessed; the kernel
makes it 100)."""


class Pump:
    """One job on the workers of a host.

    A worker is handed a batch of items at a time, of that size or of one that adapts. If there are to be
    `lanes`, each worker has so many items in flight, and `inner` performs them, if not as usual. Workers say
    of a `watched` callable whether calls change what it holds, or their items. It may have been `sent`.
    """

    def __init__(  # noqa: PLR0913 - each by name
        self,
        job: Job,
        host: Host,
        *,
        workers: int,
        batch: int | None = None,
        lanes: int | None = None,
        inner: Callable[[Job], Iterator[Batch]] | None = None,
        watched: bool = False,
        sent: Sent | None = None,
    ) -> None:
        self._job = job
        self._host = host
        self._workers, self._batch = workers, batch
        self._lanes = lanes
        if lanes is not None:
            inner = inner or partial(perform_inside, lanes)
        job.source.window.staffed(workers * (lanes or 1))
        self._number = host.begin()
        self._modules = OwnModules(is_async=job.is_async, lanes=lanes is not None, watched=watched)
        self._markers = Markers(job.fn)
        self._frames = JobFrames(job, inner, workers, watched=watched, sent=sent)
        # In a copy: another thread may be in the context itself, where there is room for one.
        self._surroundings = dump(job.context.copy().run(surroundings))
        self._queues: dict[int, WorkerQueue] = {}
        self._supply = Supply(job.source, self._queues.values(), workers * (lanes or 1), self._deal)
        self._waker = Waker()
        self._wires = Wires(self._queues, self._waker)
        self._out: deque[Batch] = deque()
        self._mishaps = Mishaps(job, self._put, self._refuse)
        self._starts = Starts(host)
        self._leaving = False
        self._threadless = 0
        self._failure: Exception | None = None  # of what was done between two batches

    def __iter__(self) -> Generator[Batch]:
        source, waker = self._job.source, self._waker
        self._job.on_stop(waker.ring)
        self._job.tend = self._tend
        source.on_change(waker.ring)
        try:
            while self._advance():
                while self._out:  # whoever draws results may take its time
                    yield self._out.popleft()
        except (OSError, WorkerStartError) as error:  # there are no workers to be had
            raise_handlers(error)
            self._leaving = True
            while self._out:  # what others said in the same moment
                yield self._out.popleft()
            raise
        finally:
            context, awaits = self._job.context, self._job.is_async
            part(self._queues.values(), self._host, self._number, context, awaits=awaits)
            self._take_back()
            waker.close()
            self._host.parted = self._job.failed

    def _advance(self) -> bool:
        """Send and listen until results are due; whether there are any, or that was all."""
        source = self._job.source
        with quick_switching():  # else each answer waits 5 ms for each thread here that computes
            while not self._job.stopped:
                if self._host.closed:
                    raise ClosedStrategyError(self._host.name)
                self._deal()
                if self._out:
                    return True
                if self._failure is not None:
                    raise self._failure
                if (source.finished or self._leaving) and not self._mishaps.alone and self._all_idle():
                    return False
                if not source.claimable:
                    source.hunger()
                rest = self._expire()
                self._listen(0.0 if self._feed() else rest)
        return False

    def leave(self) -> None:
        """Send no more items, and end once those that were sent are back. Safe from any thread."""
        self._leaving = True
        self._waker.ring()

    def _all_idle(self) -> bool:
        return all(queue.idle for queue in self._queues.values())

    # Sending

    def _deal(self) -> None:
        """Give a batch to each worker that has room for one, the idlest first, while items are ready."""
        while len(self._queues) < self._workers and self._work_waits():
            if (worker := self._find_worker()) is not None:
                self._send(self._open_queue(worker))
        while any([queue.room and self._send(queue) for queue in sorted(self._queues.values())]):  # noqa: C419 - to each, not to the first that takes one
            pass
        for queue in self._queues.values():
            if queue.worker.link.pending:
                self._wires.flush(queue)

    def _work_waits(self) -> bool:
        """Whether to open one more queue; the first may while an iterable has yet to give something."""
        source = self._job.source
        waits = source.ready > 0 if self._queues else source.claimable
        return bool(self._mishaps.alone) or (waits and not self._leaving)

    def _tend(self) -> None:
        """Hear workers, kill those whose time is up, and give them more, between two batches."""
        try:
            self._hear_all(0.0)
            self._expire()
            if not self._job.source.hesitates:  # else what is due already would wait for what is not
                self._feed()
            self._deal()
        except Exception as error:  # noqa: BLE001 - raised in its turn: results that are due already come first
            self._failure = error

    def _feed(self) -> bool:
        """Keep items ready; whether it took any. Last, as nobody is heard meanwhile."""
        return not self._leaving and self._supply.feed()

    def _new_queue(self, worker: Worker) -> WorkerQueue:
        if self._lanes is None:
            return WorkerQueue(worker, self._new_pace())
        return SharedWorkerQueue(worker, self._lanes, self._workers, self._job.source)

    def _new_pace(self) -> Pace:
        """How the batches of a worker begin: they adapt, unless only an item alone can be timed."""
        return Pace(self._batch if self._job.timeout is None else 1, TRIP)

    def _find_worker(self) -> Worker | None:
        """One that is not at this job yet; None where the system gives none beside those that are."""
        taken = {queue.worker for queue in self._queues.values()}
        free = next((worker for worker in self._host.workers if worker not in taken), None)
        try:
            return free or self._hire()
        except (OSError, WorkerStartError) as error:
            refusal = error.__cause__ or error
            # What the system refuses has a number. A time limit has none: its handler may raise TimeoutError.
            if not self._queues or getattr(refusal, "errno", None) is None:
                raise
            self._workers = len(self._queues)
            return None

    def _open_queue(self, worker: Worker) -> WorkerQueue:
        queue = self._new_queue(worker)
        worker.page.clear()
        self._frames.tell(worker, self._number, self._surroundings)
        self._wires.add(queue)
        return queue

    @cached_property
    def _hire(self) -> Callable[[], Worker]:
        """Starts a worker; what all of them need is worked out for the first one."""
        self._host.preload(self._job.fn, self._modules.names)
        return self._host.hire

    def _send(self, queue: WorkerQueue) -> bool:
        """Line up one batch; False where there is nothing to send."""
        claim = self._next_claim(queue)
        if claim is None:
            return False
        began = time.perf_counter()
        frames = self._pack(claim)
        if frames is None:
            return True
        queue.sent(claim)
        queue.worker.link.queue(Kind.BATCH, self._number, claim.start, frames)
        queue.packed(time.perf_counter() - began, size_of(frames), len(claim.items))
        return True

    def _next_claim(self, queue: WorkerQueue) -> Claim | None:
        if (claim := self._mishaps.again(queue)) is not None:
            return claim
        source = self._job.source
        if self._leaving or not source.ready:
            return None
        fair = share_of_rest(queue.room, source.remaining, self._workers * CREDIT)
        return source.claim(max(queue.least, fair))

    def _pack(self, claim: Claim) -> list[Any] | None:
        try:
            return self._markers.dump(claim.items)
        except Exception as error:  # noqa: BLE001 - any item's own __reduce__ may raise anything
            raise_handlers(error)
            self._mishaps.single_out(claim, reason_of(error))
            return None

    def _refuse(self, claim: Claim, reason: str) -> None:
        item = show(claim.items[0])
        self._mishaps.fail(claim.start, NotPicklableError(claim.start, item, "item", reason))

    def _put(self, batch: Batch) -> None:
        """Have the caller given what came of items that workers had."""
        self._out.append(batch)

    # Listening

    def _listen(self, seconds: float) -> None:
        """Wait for wires to speak, and deal with what they say."""
        if self._queues and all(queue.brisk for queue in self._queues.values()):
            # Whoever writes to a process that waits must wake it; let answers gather instead.
            time.sleep(NAP)
        self._hear_all(min(seconds, UNHEARD))

    def _hear_all(self, seconds: float) -> None:
        for queue, dead in self._wires.heard(self._wires.wait(seconds * 1000)):
            self._hear(queue, dead=dead)

    def _hear(self, queue: WorkerQueue, *, dead: bool) -> None:
        try:
            self._heed(queue, dead=dead)
        except EOFError:
            self._settle(queue, overdue=False)

    def _heed(self, queue: WorkerQueue, *, dead: bool) -> None:
        for message in queue.worker.hear(lambda: self._job.context, dead=dead):
            self._handle(queue, message)

    def _handle(self, queue: WorkerQueue, message: Message) -> None:
        if message.kind == Kind.READY:
            if complaint := message.text:
                self._despair(complaint)
            else:
                self._starts.succeed()
        elif message.job != self._number:
            return  # from a job that was given up
        elif message.kind == Kind.DONE:
            self._take(queue, message)
        elif message.kind == Kind.REFUSED:
            self._mishaps.single_out(queue.refused(message.start), message.text)
        elif message.kind == Kind.UNFIT:
            self._do_without(queue, unfit_reason(message.text))

    def _do_without(self, queue: WorkerQueue, reason: str) -> None:
        """A worker cannot perform the job, nor can others; but where it lacks threads, they may have some."""
        if NO_THREADS in reason:
            self._settle(queue, overdue=False)
            self._threadless += 1
            if self._queues:
                self._workers = len(self._queues)
            elif self._threadless == ATTEMPTS:  # what an earlier job of theirs had may be free by then
                self._despair(f"{ATTEMPTS} had no threads for {self._job.name}: {reason}")
            return
        advice = "" if reason == ENDLESS else _ADVICE
        self._despair(f"a worker process cannot load {self._job.name}: {reason}{advice}")

    def _take(self, queue: WorkerQueue, message: Message) -> None:
        try:
            batch = unpack_outcome(message)
        except Exception as obstacle:  # noqa: BLE001 - any result's own __setstate__ may raise anything
            self._mishaps.unreadable(queue.reported(message.start, 1), reason_of(obstacle))
            return
        claim = queue.reported(message.start, len(batch.values) + (batch.error is not None))
        if (timeout := self._job.timeout) is not None:  # whoever gives up on it may have been busy
            took, tolerant = message.nanoseconds / 1e9, self._job.return_exceptions
            batch = unless_late(claim, batch, took, timeout, tolerant=tolerant)
        queue.took(message.nanoseconds / 1e9, len(batch.values))
        queue.answered(size_of(message.frames), max(1, len(batch.values)))
        self._job.source.performed(claim, batch)
        self._put(batch)

    # Ends

    def _expire(self) -> float:
        """Kill workers whose item outlasts the timeout; seconds until the next may."""
        timeout = self._job.timeout
        if timeout is None:
            return inf
        wait = timeout
        for queue in list(self._queues.values()):
            left = queue.left(timeout)
            if left > 0:
                wait = min(wait, left)
            elif not queue.idle and queue.still_overdue(timeout, self._number):
                queue.worker.kill()
                queue.worker.process.wait(PARTING)  # until then it goes on, and may yet report
                with suppress(EOFError):
                    self._heed(queue, dead=True)
                self._settle(queue, overdue=True)
                wait = 0.0
        return wait

    def _settle(self, queue: WorkerQueue, *, overdue: bool) -> None:
        """A worker is gone: replace what can be replaced, report what cannot."""
        worker = queue.worker
        self._wires.remove(queue)
        code = self._host.dismiss(worker)
        reading = 0 if overdue else worker.page.reading
        # What it had started is known now: until it was killed it may have gone on.
        lost, running, unstarted = queue.fallen(worker.started)
        self._mishaps.unstarted(unstarted, reading, code)
        if overdue:
            self._mishaps.overdue(running)
        else:
            self._mishaps.died(running, worker.pid, code)
        self._mishaps.lost(lost, worker.pid, code)
        if not worker.ready and self._starts.fail(worker):
            self._make_do(code)
        if reading == A_JOB and self._mishaps.counted(A_JOB) == ATTEMPTS:  # another may fare better
            self._despair(f"{ATTEMPTS} ended as they loaded {self._job.name}, the last with exit code {code}")

    def _make_do(self, code: int | None) -> None:
        """Hire no more workers: the last has ended before it was ready."""
        self._workers = len(self._queues)
        if not self._workers:
            self._despair(self._starts.reason(code))

    def _take_back(self) -> None:
        """Return what workers have not started: a verdict of which they could load nothing can run again."""
        for queue in self._queues.values():
            for claim in queue.fallen(queue.worker.started).unstarted:
                self._job.source.give_back(claim)

    def _despair(self, reason: str) -> None:
        """Workers do not come to this job."""
        raise WorkerStartError(reason)
