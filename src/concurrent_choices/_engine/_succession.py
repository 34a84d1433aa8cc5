"""The rest of a run of an `async def`, where one loop is not the place for it: threads or processes do it."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

from .._facts._batch import Batch
from .._judge._controller._climb import FIRST
from .._judge._controller._controller import Controller
from .._judge._controller._sight import Arrangement, Limits, Prior
from .._mutation._state import State
from .._runtime._new_thread import new_thread, start
from .._runtime._own_loops import loops_to_be_had
from .._strategies._lanes._thread_pool import PARTING, ThreadPool
from .._work._job import Job
from ._conductor import Conductor
from ._elastic_task_pool import ElasticTaskPool
from ._handover import Handover, none
from ._loop_observer import count_inside
from ._loops import perform_in_loop
from ._memory import Recollection
from ._tally import Done
from ._workforce import Workforce

__all__ = ["Succession", "Takeover"]

GLANCE = 0.1
"""Seconds for which the calling thread waits at a time: the system may have another thread take Ctrl-C, and
then a wait without an end goes on (seen in 3 of 41 runs, for up to 14 s)."""

AGAIN = 4.0
"""Factor by which a run must have become longer before items come back to one loop once more (guessed, as for
lanes that are tried again)."""

_NAME = "concurrent_choices-auto"


class Succession:
    """What goes on where the loop ends.

    Attributes:
        before: Items that were done before this loop began, if it is not the first.
        limits: What the run may use, as far as that is known.
        thread_pool: Where threads come from.
        workforce: Worker processes, where they are wanted.
        heir: Who conducts the rest, once others do.
        decider: Who decides about it then.
        arrangement: What the loop has left the rest to; None while it goes on.
        stays: Seconds from here on until items may come back.
    """

    def __init__(  # noqa: PLR0913 - what a run has, and what an earlier part of it has left; each by name
        self,
        job: Job,
        limits: Limits,
        recollection: Recollection,
        state: State,
        *,
        before: int = 0,
        stays: float = 0.0,
    ) -> None:
        self._job = job
        self.limits = limits
        self._recollection = recollection
        self._state = state
        self._began = time.monotonic()
        self.before = before
        self.stays = stays
        self._done: Callable[[], int] = none
        self._in_flight: Callable[[], int] = none
        self._takeover: Takeover | None = None
        self.thread_pool = ThreadPool(_NAME)
        self.workforce = Workforce(job, state)
        self.heir: Conductor | None = None
        self.decider: Controller | None = None
        self.arrangement: Arrangement | None = None

    # While the loop goes on

    def bring_up(self, arrangement: Arrangement, tasks: ElasticTaskPool, bar: Callable[[str], None]) -> None:
        """Have worker processes come up, where they are wanted and there is a thread to be had for that."""
        workers = arrangement.processes
        if workers and not self.workforce.ordered:
            order = partial(self.workforce.order, workers, arrangement.inside, partial(_done_by, tasks), bar)
            self.workforce.order_beside(self.thread_pool, workers, order, bar)

    def reserve_thread(self) -> None:
        """Have a thread that is idle, for the first lane elsewhere.

        Raises:
            RuntimeError: There can be no more threads.
        """
        idle = threading.Event()
        self.thread_pool.start(lambda: None, idle.set)
        idle.wait()

    def begin(self, arrangement: Arrangement, tasks: ElasticTaskPool, *, beside: bool, overlap: bool) -> None:
        """Have the loop retire, and others do the rest.

        Their threads are secured before the loop retires, or nobody might be left to go on: one, and one more
        where results are drawn `beside` the caller's loop. Where they `overlap`, they begin while the loop is
        at its last items.

        Raises:
            RuntimeError: There can be no more threads; the loop goes on.
            OSError: There are no descriptors for another loop; as above.
        """
        if not loops_to_be_had():
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        self.reserve_thread()
        if beside:
            _try_thread()
        self._done, self._in_flight = lambda: self.before + tasks.done, lambda: tasks.in_flight
        if overlap:
            self._takeover = Takeover(self._job, self.conduct(self._prior(arrangement), self._job))
        self.arrangement = arrangement
        tasks.retire()
        if self._takeover is not None:
            self._takeover.begin()  # not before: it would wait for ever for items that the loop still took

    # Once it has ended

    def batches(self) -> Iterator[Batch]:
        """What others do, after the loop or beside its last items."""
        if self._takeover is not None:
            yield from self._takeover.batches()
            assert self.heir is not None
            self._job.report.close(self.heir.done)
        elif (execute := self.following()) is not None:
            yield from execute(self._job)

    def following(self) -> Callable[[Job], Iterator[Batch]] | None:
        """What performs the rest; None where there is none."""
        if self.arrangement is None or self._job.stopped or self._job.source.finished:
            return None
        return partial(self.conduct, self._prior(self.arrangement))

    def conduct(self, prior: Prior, job: Job) -> Iterator[Batch]:
        """In threads with a loop each, or in processes with loops."""
        # What was left to threads blocks its loop; a process has one loop for all its items.
        limits = self.limits._replace(
            overlap_inside=prior.stage != "waiting",
            threads=max(1, min(self.limits.threads, loops_to_be_had())),
            stays=self.stays - (time.monotonic() - self._began),
        )
        self.decider = controller = Controller(limits, prior)
        self.heir = Conductor(
            job,
            lambda: controller,
            self.thread_pool,
            eager=True,
            most=limits.threads,
            limited=limits.concurrency is not None,
            handover=Handover(
                body=partial(perform_in_loop, self._most_in_one),
                state=self._state,
                workforce=self.workforce,
                done=self._done,
                in_flight=self._in_flight,
                count_inside=count_inside,
            ),
        )
        try:
            yield from self.heir.batches()
        finally:
            self._recollection.settle(self.heir.learnt)
            self.thread_pool.close()

    def _prior(self, arrangement: Arrangement) -> Prior:
        """What the loop has shown, for who decides about the rest."""
        worked = time.monotonic() - self._began
        return Prior(
            stage=arrangement.stage,
            lanes=arrangement.threads,
            each=worked / max(1, self._done() - self.before),
            inside=arrangement.inside,
            reason=arrangement.reason,
            worked=worked,
        )

    @property
    def homeward(self) -> str:
        """Why a loop is to do what others have left; empty where they have left nothing."""
        if self.decider is None or self._job.stopped or self._job.source.finished:
            return ""
        return self.decider.homeward

    def anew(self) -> Succession:
        """What goes on where the next loop ends. Each time others have to stay for longer."""
        assert self.heir is not None
        return Succession(
            self._job,
            self.limits,
            self._recollection,
            self._state,
            before=self.heir.done,
            stays=(AGAIN - 1) * self._job.report.now,
        )

    @property
    def _most_in_one(self) -> int:
        """Items that a thread may have in flight while it is the only one."""
        limits = self.limits
        if limits.concurrency is None:
            return FIRST
        # Where there may be more threads, others may join it meanwhile.
        return min(FIRST, limits.concurrency) if limits.threads == 1 else 1

    # The end

    def part(self) -> None:
        """Wait a moment for those who overlap with the loop, once the job is stopped."""
        if self._takeover is not None:
            self._takeover.part()

    def dismiss(self, error: BaseException | None = None) -> None:
        """Let threads and workers go."""
        self.thread_pool.close()
        self.workforce.close(error)

    def dismiss_beside(self) -> None:
        """The same where a moment is too long: in another thread, if there is anybody to wait for."""
        if not self.workforce.ordered:
            self.thread_pool.close()  # whoever was reserved is idle, and goes at once
            return
        try:
            start(new_thread(self.dismiss, f"{_NAME}-end"))
        except RuntimeError:  # there can be no more threads, so the loop waits that moment
            self.dismiss()


class Takeover:
    """Performs the rest in a thread, once told to begin, for a caller that takes no result before the end.

    Its thread is there before that, so that whoever hands over knows that there is one.

    Raises:
        RuntimeError: There can be no more threads.
    """

    def __init__(self, job: Job, rest: Iterator[Batch]) -> None:
        self._job = job
        self._rest = rest
        self._batches: list[Batch] = []
        self._error: BaseException | None = None
        self._told = threading.Event()
        self._thread = new_thread(self._work, "concurrent_choices-takeover")
        start(self._thread)

    def begin(self) -> None:
        """Go to work: who had the job so far takes no further item of it."""
        self._told.set()

    def _work(self) -> None:
        self._told.wait()
        try:
            for batch in self._rest:
                self._batches.append(batch)
                if batch.error is not None:
                    self._job.stop()  # the loop, too, has nothing left to do
        except BaseException as error:  # noqa: BLE001 - the calling thread raises it; here it would be lost
            self._error = error
            self._job.stop()

    def batches(self) -> Iterator[Batch]:
        """Wait for its end; what it did."""
        while self._thread.is_alive():
            self._thread.join(GLANCE)
        yield from self._batches
        if self._error is not None:
            raise self._error

    def part(self) -> None:
        """Wait a moment for its end, once the job is stopped."""
        self._thread.join(PARTING)


def _done_by(tasks: ElasticTaskPool) -> Done:
    """What the loop has done."""
    return Done(tasks.done, tasks.tally.spent() if tasks.tally else 0.0, tasks.latest)


def _try_thread() -> None:
    """Have a thread begin and end, so that another can be started in its place.

    Raises:
        RuntimeError: There can be no more threads.
    """
    thread = new_thread(lambda: None, f"{_NAME}-trial")
    start(thread)
    thread.join()
