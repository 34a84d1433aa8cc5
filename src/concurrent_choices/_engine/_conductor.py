"""One run of a `def` under `auto`: the ticker's thread looks, asks the controller, and does what it says."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext
from functools import partial
from typing import TYPE_CHECKING

from .._errors import InvalidArgumentError
from .._facts._batch import Batch
from .._judge._controller._controller import Controller
from .._judge._controller._first_look import FIRST_LOOK
from .._judge._controller._sight import Arrangement, Prior
from .._mutation._state import FIRST, State
from .._runtime._mutex import freed_in_forks
from .._runtime._switching import URGENT, quick_switching
from .._strategies._lanes._thread_pool import ThreadPool
from .._strategies._lanes._threads import MOST_THREADS
from .._work._job import Job
from ._caller import Caller
from ._elastic_pool import ElasticPool
from ._first_glances import PRELUDE
from ._handover import NOTHING, Handover
from ._lookout import Lookout
from ._loss import loss
from ._report import RunReport, Step, doing_now
from ._tally import Done, Tally
from ._thread_limit import ThreadLimit
from ._ticker import ticker
from ._workforce import Workforce

if TYPE_CHECKING:
    from ._fallback_pump import FallbackPump
    from ._worker_startup import WorkerStartup

__all__ = ["WAKING", "Conductor"]

SURE = 4e-3
"""Seconds between looks from which the controller has made up its mind for now (guessed: two glances)."""

WAKING = 20e-3
"""Seconds within which workers that rest have begun, unless something is wrong with them (measured: 4 ms)."""

GLANCE = 2e-3
"""Seconds at most between looks at whether the first call has ended (guessed: what workers take to begin)."""


class Conductor:
    """A run. Make it in the thread that performs the job.

    Args:
        decider: Makes the controller, at the first look.
        eager: Whether to ask the controller before the first call, since it knows the callable.
        patient: Whether to wait for lanes that are known to suit the calls better. Only the calling thread
            can hand items to them, and it would be at a call of its own meanwhile.
        most: Threads at work at most; with one, the callable stays in the calling thread.
        limited: Whether items in flight are limited, as for `ElasticPool`.
        handover: What a loop has begun, and this goes on with.
    """

    def __init__(  # noqa: PLR0913 - where everything meets; each by name
        self,
        job: Job,
        decider: Callable[[], Controller],
        thread_pool: ThreadPool,
        *,
        eager: bool,
        patient: bool = False,
        most: int = MOST_THREADS,
        limited: bool = False,
        handover: Handover = NOTHING,
    ) -> None:
        self._job = job
        self._decider = decider
        self._report: RunReport = job.report
        self._thread_pool = thread_pool
        self._eager = eager
        self._patient = patient
        self._limited = limited
        self._lock = freed_in_forks()
        self._over = False
        self._prepared = eager  # whether the prelude is over
        self._quick = ExitStack()
        self._handover = handover
        self._base = job.lanes  # those of runs around this one
        self._most = most
        self._overlapped = False  # whether several calls were made here at once
        self._open()

    def batches(self) -> Iterator[Batch]:
        """Perform the job in this thread and wherever the controller says; its batches."""
        self._job.tend = self._pool.tend
        try:
            self._start_ticker()
            if self._patient and self._looked_after and not self._stands_in:
                self._await_order()
            while not self._job.stopped and not self._caller.is_over:
                yield from self._cross() if self._caller.inside else self._caller.batches()
            yield from self._pool.collect()
            self._close(None)  # whose job it is stops it: others may be at their last items
        except BaseException as error:  # also where Ctrl-C comes as it is being closed
            self._job.stop()
            self._close(error)
            raise

    # The beginning and the end

    def _open(self) -> None:
        job, handover = self._job, self._handover
        self._state = handover.state or State(job.fn, job.source.peek(FIRST))
        self._workforce = handover.workforce or Workforce(job, self._state)
        self._urgency = self._workforce.urgency
        self._limit = ThreadLimit(job, self._most, self._state, handover.in_flight)
        self._stands_in = self._limit.stands_in
        self._pool = ElasticPool(
            job, self._thread_pool, urgency=self._urgency, body=handover.body, limited=self._limited
        )
        self._tally = Tally()
        self._lookout = Lookout(
            self._decider,
            self._pool,
            self._tally,
            self._state,
            handover,
            eager=self._eager,
            stands_in=self._stands_in,
        )
        self._caller = Caller(self._pool, self._tally, stands_in=self._stands_in, most=self._most)
        if not job.source.ended:
            job.source.feed(MOST_THREADS)  # while the first call lasts, nobody can take more of them
        self._looked_after = job.source.length is None or job.source.length > 1
        if self._stands_in and not (self._eager and self._looked_after):
            self._pool.resize(1)  # else the controller says at once how many

    def _start_ticker(self) -> None:
        if self._looked_after:
            # A computing callable would keep the ticker's thread waiting for 5 ms at each step.
            self._quick.enter_context(quick_switching())
            self._lookout.begin()
            try:
                ticker().start(self._beat, 0.0 if self._eager else PRELUDE)
            except RuntimeError:  # there can be no more threads, so work goes on as it has begun
                if self._stands_in:
                    self._pool.resize(1)

    def _close(self, error: BaseException | None) -> None:
        with self._lock:
            self._over = True
            self._quick.close()
            self._lookout.close()
        self._workforce.leave()
        ticker().stop(self._beat)
        self._pool.part()
        if self._workforce.is_idle and self._overlapped and not self._report.witness:
            self._report.see(self._state.changed())
        self._report.close(self.done)
        self._workforce.close(error)

    # The calling thread

    def _await_order(self) -> None:
        """Begin no call here while those that are to have them wake."""
        until = time.monotonic() + WAKING
        while self._patient and not self._caller.is_elsewhere and (rest := until - time.monotonic()) > 0:
            self._pool.outbox.wait(rest)

    def _cross(self) -> Iterator[Batch]:
        """Have items performed in worker processes, unless calls turn out to belong here."""
        startup = self._workforce.startup
        assert startup is not None
        yield from self._await_call()
        # Since they were ordered more calls have ended, or the first.
        if lost := loss(self._report, self._state):
            self._stay(lost)
            return
        try:
            pump = self._new_pump(startup)
        except InvalidArgumentError as error:
            # Since workers were ordered, it has come to hold something that cannot be pickled.
            self._stay(f"the callable cannot travel any more ({error.__cause__})")
            return
        yield from self._pumped(pump)

    def _await_call(self) -> Iterator[Batch]:
        """What ends here until a call that is under way shows what calls change, if they may at all."""
        pool, begun = self._pool, self._handover.in_flight
        while pool.busy + begun() > 0 and not self.done and self._state.is_exposed and not self._job.stopped:
            pool.outbox.wait(min(GLANCE, pool.expire()))
            yield from pool.collect()

    def _pumped(self, pump: FallbackPump) -> Iterator[Batch]:
        """What worker processes do, and what is still done here, until they are to have no more."""
        here = self._done_here().items
        self._lookout.observer.pump = pump
        if not self._caller.inside:  # called back already
            pump.leave()
        yield from pump
        self._job.tend = self._pool.tend
        self._report.left = self._report.left or pump.items > 0
        if self._report.left and self._done_here().items > here:  # by calls that were under way
            self._report.see(self._state.changed())
        with self._lock:
            self._lookout.observer.pump_ended(pump)
            if pump.changed:
                self._report.lose(pump.changed)
            if pump.unfit:
                self._stay(pump.unfit)
        if self._job.source.finished:
            yield from self._caller.drain()

    def _new_pump(self, startup: WorkerStartup) -> FallbackPump:
        from ._fallback_pump import FallbackPump  # noqa: PLC0415 - most runs need no processes

        host, sent = startup.hand_over()
        return FallbackPump(
            self._job,
            host,
            self._pool,
            workers=self._caller.processes,
            inside=self._caller.inside,
            watched=self._state.is_exposed,
            new_pace=startup.transfer.pace,
            sent=sent,
        )

    def _stay(self, reason: str) -> None:
        """Have items performed here again, and no more in worker processes."""
        with self._lock:
            self._lookout.controller.bar(reason)
            self._caller.inside, self._caller.relieved = 0, False

    @property
    def done(self) -> int:
        """Items finished, by others too."""
        return self._lookout.done

    @property
    def learnt(self) -> Prior | None:
        """What another run of the same callable may begin with; None where that is nothing."""
        return self._lookout.learnt

    # The ticker's thread

    def _beat(self) -> float | None:
        """What is due now; seconds until the next time, or None for never."""
        with self._lock:
            if self._over or self._job.stopped:
                return None
            if not self._prepared:
                self._prepared = True
                return self._safely(self._prepare)
            self._lookout.lateness.arrive()
            self._caller.hasten()
            rest = self._lookout.rest(self._job.source.remaining)
            if rest is not None:
                return rest
            seconds = self._safely(self._look)
            if seconds is not None:
                self._lookout.lateness.expect(seconds)
            return seconds

    def _prepare(self) -> float:
        """Use the time if the first call sleeps; seconds until the first glance."""
        if self._lookout.prepare():
            self._limit.rehearse()
        return self._lookout.until_first()

    def _ask_again(self) -> None:
        """See whether the callable is bound after all: in the calling thread, between two calls."""
        with self._lock:
            if self._limit.frees(self._lookout.controller):
                self._look()  # the next was not to come soon, as nothing was expected; Ctrl-C is raised here

    def _look_besides(self) -> None:
        """Look out of turn, which tells nothing of how late the ticker's own looks come."""
        with self._lock:
            if not (self._over or self._job.stopped):
                self._safely(self._look)

    def _safely(self, do: Callable[[], float]) -> float | None:
        """What it returns; what it raises is raised by the calling thread, as it would be lost here."""
        try:
            return do()
        except BaseException as error:  # noqa: BLE001 - the calling thread raises it
            self._pool.crash = error
            self._pool.outbox.ring()
            return None

    def _look(self) -> float:
        """Look, ask, obey; seconds until the next time."""
        # Each file that is read gives the GIL away. But at the urgent interval lanes that work by themselves
        # would take it from one another, and from this: beside 128 of them a look took 200 ms (measured).
        with nullcontext() if self._caller.relieved else self._urgency.claimed():
            seconds = self._decide()
        return self._staff(seconds) if self._pool.workers else seconds

    def _staff(self, rest: float) -> float:
        """Start lanes; seconds until the next look, which was due after `rest` of them."""
        # Not so urgent: calls that begin in many lanes would take the GIL from each other.
        until = time.monotonic() + rest
        self._pool.staff()
        return 0.0 if self._pool.lacks_lanes else max(0.0, until - time.monotonic())

    def _decide(self) -> float:
        alone = not (self._caller.relieved or self._caller.inside)
        seen = self._lookout.look(self._workforce.startup, alone=alone)
        if seen is None:
            return FIRST_LOOK
        sight, arrangement = seen
        threads = self._obey(arrangement, unseen=sight.unseen)
        self._note(arrangement, threads, self._handover.done() + sight.done)
        if arrangement.relieved or arrangement.look >= SURE:
            self._quick.close()
        return arrangement.look

    def _obey(self, arrangement: Arrangement, *, unseen: bool) -> int:
        """Do what the controller says; how many thread lanes there are from now on."""
        caller, stays = self._caller, arrangement.stage == "alone"
        changed = caller.order(arrangement) or (self._patient and stays)
        self._patient = self._patient and not stays  # nobody else is to have what is left
        controller, pump = self._lookout.controller, self._lookout.observer.pump
        wanted = self._limit.lanes(arrangement, controller, unseen=unseen, calling=caller.may_call)
        if self._limit.doubted:
            caller.ask(self._ask_again)
        if self._pool.limited and pump is not None:
            wanted = 0  # as many as may be in flight may still be with workers
        if arrangement.processes and not (self._workforce.ordered or unseen):
            order = partial(self._order, arrangement.processes, arrangement.inside)
            self._workforce.order_beside(self._thread_pool, arrangement.processes, order, controller.bar)
        self._overlapped |= wanted > 1
        if wanted != self._pool.workers:
            # So that nested runs know how many lanes there are that find items.
            lanes = self._job.source.fitting(max(wanted, 1))
            self._job.surround(self._base * lanes)
            self._pool.resize(wanted)
        if pump is not None and not arrangement.outside:
            pump.leave()
        if changed:
            caller.interrupt()
            self._pool.outbox.ring()
        return wanted

    def _order(self, workers: int, inside: int) -> None:
        """Order worker processes, in a thread of its own."""
        with quick_switching(URGENT):  # after each wait for workers, getting the GIL back takes an interval
            self._workforce.order(workers, inside, self._done_here, self._lookout.controller.bar)
            self._keep_apart()
            self._look_besides()  # workers that are up must not wait for the ticker, nor it for the GIL

    def _done_here(self) -> Done:
        """What was done here without workers."""
        here, lanes = self._tally, self._pool.counts()
        return Done(here.items + lanes.items, here.cpu + lanes.cpu, self._pool.latest)

    def _keep_apart(self) -> None:
        """See that calls which change what they hold never compute at once, if they have not until now.

        On a busy machine they may seem to wait, and lanes would give other results than a plain loop.
        """
        with self._lock:
            if self._report.witness and not self._pool.workers:
                self._lookout.controller.keep_apart(f"calls change {self._report.witness}")

    def _note(self, arrangement: Arrangement, threads: int, done: int) -> None:
        if arrangement.relieved and not (threads or arrangement.outside):
            return  # it was found, as lanes were to be started, that the callable stays in the calling thread
        threads = self._job.source.fitting(threads)
        lanes = arrangement.processes * arrangement.inside if arrangement.outside else max(1, threads)
        doing = doing_now(arrangement, threads, alone=not (arrangement.relieved or self._stands_in))
        self._report.note(Step(self._report.now, arrangement.stage, doing, lanes, arrangement.reason, done))
