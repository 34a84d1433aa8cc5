"""Worker processes that come up in the background, and whether a job may go to them at all."""

from __future__ import annotations

import select
import sys
import threading
from _socket import MSG_DONTWAIT
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

from .._inspect._tasks import tasks_among
from .._inspect._words import no_workers, reason_of
from .._mutation._kept_by_caches import keeping
from .._mutation._state import FIRST, MORE, State
from .._platform._tasks import cpu_of_process, schedule_of
from .._runtime._mutex import Mutex
from .._runtime._switching import URGENT, quick_switching
from .._strategies._lanes._thread_pool import PARTING
from .._strategies._workers._between._surroundings import surroundings
from .._strategies._workers._between._wire import Kind, Terms
from .._strategies._workers._hosting._host import Host, Worker, unfit_reason
from .._strategies._workers._hosting._job_frames import Sent
from .._strategies._workers._hosting._own_modules import OwnModules
from .._strategies._workers._hosting._staffing import Staffing
from .._transfer._apart import keep_apart
from .._transfer._imported import Imported
from .._transfer._kept_here import kept_here
from .._transfer._markers import dump_callable
from .._transfer._pickling import dump, travels_by_name
from .._work._job import Job
from ._loss import loss
from ._report import RunReport
from ._tally import Done
from ._urgency import Urgency
from ._worker_transfer import Transfer, stranded, unsent, weighed

__all__ = ["WorkerStartup"]

GLANCE = 0.02
"""Seconds between looks at whether the run is over (guessed: a tenth of what its end may take)."""


class WorkerStartup:
    """The processes of one run.

    Attributes:
        host: The workers, while there are any.
        ready: How many have loaded the callable.
        obstacle: What keeps the callable in this process; empty while nothing is known to.
        transfer: What items take and weigh, as far as that is known.
    """

    def __init__(self, job: Job, state: State, urgency: Urgency) -> None:
        self._job = job
        self._state = state
        self._report: RunReport = job.report
        self._urgency = urgency
        self._lock = Mutex()
        self._lent: AbstractContextManager[Host] | None = None
        self._closed = False
        self._ordering = threading.Lock()  # held for as long as workers come up
        self._listening = Mutex()  # held by who hears what workers say
        self._handed_over = False  # whether somebody else listens from now on
        self._sent: Sent | None = None
        self._inside = 1
        self._kept: list[int] = []  # marks of what cached functions kept as the callable was packed
        self._number = 0  # of the empty batch by which workers load the callable
        self.host: Host | None = None
        self.ready = 0
        self.obstacle = ""
        self.transfer = Transfer()
        self._cpu: dict[int, float] = {}
        self._queued: dict[int, float] = {}

    def order(self, workers: int, inside: int, done: Done, bar: Callable[[str], None]) -> None:
        """Start workers and have them load the callable, unless something keeps it here.

        Takes until all are up, so it is for a thread of its own; `ready` grows meanwhile. The lanes `inside`
        each are not started here, but with the first items. `bar` is told what keeps the callable here, if
        anything does.
        """
        self._inside = inside
        with self._ordering, quick_switching(URGENT):
            try:
                # Each of its many system calls gives the GIL away to lanes that may be computing.
                with self._urgency.claimed():
                    self.obstacle = self._kept_by() or self._not_worth_it(workers, inside, done)
                    loading = [] if self.obstacle else self._started(workers, inside)
                self._await(loading)
            except Exception as error:  # noqa: BLE001 - work goes on here, whatever it is
                self.obstacle = no_workers(reason_of(error))
        if self.obstacle:
            bar(self.obstacle)

    def _kept_by(self) -> str:
        """What keeps items here, as far as one can tell without workers; empty if nothing does."""
        stays = kept_here(self._job.fn, self._job.source.peek(FIRST), self._tasks())
        return stays or loss(self._report, self._state)

    def _tasks(self) -> list[Any]:
        """What else calls may call: what some of the items are, or hold."""
        return tasks_among(self._job.fn, self._job.source.peek(MORE))

    def _goes_by_value(self) -> bool:
        """Whether pickling begins with importing cloudpickle: that takes 25 ms, in which workers come up."""
        return "cloudpickle" not in sys.modules and not travels_by_name(self._job.fn)

    def _not_worth_it(self, workers: int, inside: int, done: Done) -> str:
        """Why items and results had better not travel, or cannot; empty for no reason."""
        if self._goes_by_value():
            self._hired(workers, inside)
        self.transfer = weighed(self._job.source, done)
        if self.transfer.is_too_dear(workers):
            return "carrying items and results would cost more than it saves"
        lost = stranded(done.results, tolerant=self._job.return_exceptions)
        return lost or unsent(self.transfer, self._job.source)

    def _started(self, workers: int, inside: int) -> list[Worker]:
        """Start workers; those that have been told to load the callable."""
        self._state.look_also(self._job.source.peek(MORE))  # whose calls tell before there is a hand-over
        host = self._hired(workers, inside)
        if host is None:
            return []
        # While they come up: what the hand-over needs, and the pickling, which may import cloudpickle.
        import_module("._fallback_pump", __package__)

        frames = self._packed(inside)
        return [] if self.obstacle or self._is_over() else self._warm_up(host, frames)

    def _hired(self, workers: int, inside: int) -> Host | None:
        """A host with so many workers, which may have yet to come up; None where the run is over."""
        host = self._borrow()
        if host is None:
            return None
        if len(host.workers) < workers:
            host.preload(self._job.fn, self._modules(inside).names)
        while len(host.workers) < workers and not self._is_over():
            host.hire()
        return host

    def _modules(self, inside: int) -> OwnModules:
        return OwnModules(is_async=self._job.is_async, lanes=inside > 1, watched=self._state.is_exposed)

    def _is_over(self) -> bool:
        return self._closed or self._job.stopped

    def _packed(self, inside: int) -> list[Any]:
        """The callable on its way, once: it may hold much, and lanes wait for the GIL meanwhile.

        Where it cannot leave this process, that is the obstacle.
        """
        keep_apart(self._job.fn)
        self._kept = keeping(self._job.fn)
        # In a copy: another thread may be in the context itself, where there is room for one.
        imported = self._job.context.copy().run(Imported, self._job.fn, *self._tasks())
        # To unpickle what is needed is to import it, and to unpickle what was imported is to compare it.
        needed = [self._modules(inside), imported]
        try:
            # The batch is empty: nothing of it is raised, counted or watched.
            return dump_callable(
                self._job.fn,
                Terms(self._job.fn, self._job.is_async, return_exceptions=True, needed=needed),
            )
        except Exception as error:  # noqa: BLE001 - picklers raise anything
            self.obstacle = f"the callable cannot travel to another process ({reason_of(error)})"
            return []

    def _borrow(self) -> Host | None:
        """A host for this run; None where it is over."""
        with self._lock:
            if self.host is None and not self._closed:
                self._lent = Staffing("auto").lend()
                self.host = self._lent.__enter__()
            return self.host

    def _warm_up(self, host: Host, frames: list[Any]) -> list[Worker]:
        """Have every worker load the callable, by an empty batch of it, while work goes on here."""
        around = dump(self._job.context.copy().run(surroundings))
        self._number = host.begin()
        self._sent = Sent(frames, set(host.workers))
        for worker in host.workers:
            worker.take_job(self._number, frames, around)
            worker.link.queue(Kind.BATCH, self._number, 0, dump([]))
            worker.link.flush(MSG_DONTWAIT)
        return list(host.workers)

    def _await(self, workers: list[Worker]) -> None:
        """Count those that are ready, until all are or somebody else listens to them."""
        loading = {worker.link.fileno(): worker for worker in workers}
        poll = select.poll()
        for descriptor, worker in loading.items():
            worker.link.flush()  # what found no room before, of a callable that holds much
            poll.register(descriptor, select.POLLIN)
        while loading and not (self.obstacle or self._is_over()):
            poll.poll(GLANCE * 1000)
            with self._urgency.claimed(), self._listening:
                if self._handed_over or self._is_over():
                    return
                for descriptor, _ in poll.poll(0):
                    if self._has_loaded(loading[descriptor]):
                        poll.unregister(descriptor)
                        del loading[descriptor]
                        self.ready += 1

    def hand_over(self) -> tuple[Host, Sent | None]:
        """The workers, and what was sent to them, to who listens to them from now on."""
        with self._listening:
            self._handed_over = True
        assert self.host is not None
        if self._sent is not None and keeping(self._job.fn) != self._kept:
            # What calls have made once since, or put into it, goes along: each worker would make its own.
            frames = self._packed(self._inside)
            self._sent = Sent(frames, set()) if frames else None
        return self.host, self._sent

    def _has_loaded(self, worker: Worker) -> bool:
        """Hear what a worker has to say; whether it has answered the empty batch."""
        try:
            messages = list(worker.hear(lambda: self._job.context))
        except EOFError:
            self.obstacle = "worker processes end before they are ready"
            return False
        for message in messages:
            if message.kind == Kind.READY:
                self.obstacle = self.obstacle or message.text
            elif message.kind == Kind.UNFIT and message.job == self._number:
                self.obstacle = f"a worker process cannot load it ({unfit_reason(message.text)})"
        return any(message.kind == Kind.DONE and message.job == self._number for message in messages)

    def cpu(self) -> float:
        """CPU seconds of all workers so far, dead ones included; 0 where nobody can tell."""
        return _followed(self._cpu, self._pids(), cpu_of_process)

    def queued(self) -> float:
        """Seconds that workers were ready to run and found no core; 0 where nobody can tell."""
        return _followed(self._queued, self._pids(), _queued_of)

    def _pids(self) -> list[int]:
        return [] if self.host is None else [worker.pid for worker in list(self.host.workers) if worker.pid]

    def leave(self) -> None:
        """The run is over: no more workers are to come up, and nobody is to listen to those there are."""
        self._closed = True

    def close(self, error: BaseException | None = None) -> None:
        """Let the workers rest, or end them if the run failed with an error."""
        self.leave()
        ordered = self._ordering.acquire(timeout=PARTING if error is None else 0.0)
        if ordered:
            self._ordering.release()
        with self._lock:
            lent, self._lent, host, self.host = self._lent, None, self.host, None
        if host is not None and not ordered:
            # Who wakes them must be the only one to listen to them.
            host.parted = False
            error = error or TimeoutError("workers are still being ordered")
        if lent is not None:
            lent.__exit__(type(error) if error else None, error, None)


def _followed(known: dict[int, float], pids: list[int], ask: Callable[[int], float | None]) -> float:
    """The sum of a growing figure of processes, of which the dead keep the last one."""
    known.update((pid, max(ask(pid) or 0.0, known.get(pid, 0.0))) for pid in pids)
    return sum(known.values())


def _queued_of(pid: int) -> float:
    """Run-queue delay of a process's first thread, which is the one that calls."""
    return schedule_of(f"/proc/{pid}")[1] * 1e-9
