"""One run of an `async def` under `auto`: on one loop first, elsewhere if that is not the place for it."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from math import inf

from .._facts._batch import Batch
from .._judge._controller import Arrangement, Controller, Limits, LoopController, Prior
from .._judge._controller._loops import FIRST_TASKS
from .._measure._switching import quick_switching
from .._strategies._lanes._asyncio import run_tasks
from .._strategies._lanes._loops import serve_in_lane
from .._strategies._lanes._native import execute_tasks
from .._strategies._lanes._thread_pool import ThreadPool
from .._work._job import Job
from .._work._loop_threads import give_threads
from .._work._mutex import Mutex
from .._work._new_thread import new_thread
from .._work._state import FIRST, State
from ._carrying import Done
from ._conductor import Beginning, Conductor
from ._elastic_pool import ElasticPool
from ._elastic_task_pool import ElasticTaskPool
from ._loop_observer import LoopObserver
from ._loops import loop_factory, perform_in_loop
from ._memory import Recollection
from ._ordering import order_beside
from ._report import RunReport, Step
from ._slow_start import SlowStartTaskPool
from ._takeover import Takeover
from ._ticker import ticker
from ._urgency import Urgency
from ._worker_startup import WorkerStartup

__all__ = ["LoopConductor"]

FIRST_LOOK = 1e-3
"""Seconds until the first look at the loop."""

_NAME = "concurrent_choices-auto"


class LoopConductor:
    """A run of an `async def`.

    Args:
        job: What to do.
        controller: Who decides how.
        limits: What it may use.
        report: Where it is written down.
        recollection: What is remembered of the callable.
    """

    def __init__(
        self,
        job: Job,
        controller: LoopController,
        limits: Limits,
        report: RunReport,
        recollection: Recollection,
    ) -> None:
        self._job = job
        self._recollection = recollection
        self._heir: Conductor | None = None
        self._controller = controller
        self._limits = limits
        self._report = report
        self._lock = Mutex()
        self._over = False
        self._startup: WorkerStartup | None = None
        self._next: Arrangement | None = None
        self._moved = False
        self._may_overlap = False
        self._follows_beside = False
        self._tasks: ElasticTaskPool | None = None
        self._takeover: Takeover | None = None
        self._began = time.monotonic()
        self._quick = ExitStack()
        self._state = State(job.fn, job.source.peek(FIRST))
        self._thread_pool = ThreadPool(_NAME)

    def batches(self) -> Iterator[Batch]:
        """Perform the job; its batches."""
        try:
            yield from self._elsewhere_at_once() if self._begins_elsewhere() else self._on_loop()
        except BaseException as error:
            self._close(error)
            raise
        self._close(None)

    def abatches(self) -> AsyncIterator[Batch]:
        """The same on the running loop; what waits for it stays there, since it may use what is its own."""
        job = self._job
        self._follows_beside = True
        # A weak reference, or items would live in a cycle until the next collection.
        job.on_stop(partial(_end, weakref.ref(self)))
        return execute_tasks(job, self._controller.first, self._new_tasks, self._following)

    def _close(self, error: BaseException | None) -> None:
        self._job.stop()
        self._stop_looking()
        if self._takeover is not None:
            self._takeover.part()
        self._report_end()
        self._settle()
        self._dismiss(error)

    def _dismiss(self, error: BaseException | None) -> None:
        self._thread_pool.close()
        if self._startup is not None:
            self._startup.close(error)

    def _report_end(self) -> None:
        """Close the report, unless another conductor has taken over and does."""
        if self._tasks is not None and not self._moved:
            self._report.close(self._tasks.done)

    def _settle(self) -> None:
        """Keep what was learnt for the next run."""
        decider = self._heir or self._controller
        self._recollection.settle(decider.learnt, self._report)

    def end_here(self) -> None:
        """A job on the caller's own loop has stopped; what takes a moment is left to another thread."""
        self._stop_looking()
        if self._report.seconds is None and not self._moved:
            self._report_end()
            self._settle()
            if self._startup is None:
                self._thread_pool.close()  # whoever was reserved is idle, and goes at once
            else:
                self._dismiss_beside()

    def _dismiss_beside(self) -> None:
        try:
            threading.Thread(target=self._dismiss, args=(None,), name=f"{_NAME}-end").start()
        except RuntimeError:  # there can be no more threads, so the loop waits that moment
            self._dismiss(None)

    def _stop_looking(self) -> None:
        with self._lock:
            self._over = True
            self._quick.close()
            if self._tasks is not None:
                ticker().stop(self._beat)
                self._loop_observer.close()

    # On one loop

    def _new_tasks(
        self, put: Callable[[Batch], None], concurrency: int, prepare: Callable[[], None] = lambda: None
    ) -> ElasticTaskPool:
        self._tasks = tasks = SlowStartTaskPool(
            self._job, put, concurrency, waits=self._controller.waits, prepare=prepare
        )
        self._loop_observer = LoopObserver(self._job, tasks)
        # A loop that computes would keep the ticker's thread waiting for 5 ms at each look.
        self._quick.enter_context(quick_switching())
        with suppress(RuntimeError):  # there can be no more threads, so work goes on as it has begun
            ticker().start(self._beat, FIRST_LOOK)
        return tasks

    def _on_loop(self) -> Iterator[Batch]:
        """On a loop, and wherever what it leaves is done."""
        yield from self._here() if self._job.linger == inf else self._beside()
        yield from self._rest()

    def _here(self) -> Iterator[Batch]:
        """On a loop in the calling thread, where nobody looks at results before the end."""
        batches: list[Batch] = []
        # Both have their own lanes meanwhile, and only this thread may bring more items.
        limits = self._limits
        self._may_overlap = self._job.source.ended and limits.flying is None and limits.threads > 1
        tasks = self._new_tasks(batches.append, self._controller.first, give_threads)
        run_tasks(loop_factory(self._job), tasks, self._job.on_stop)  # an error beside it ends the loop, too
        yield from batches

    def _beside(self) -> Iterator[Batch]:
        """On a loop in a thread beside the calling one, which keeps it in items."""
        job = self._job
        pool = ElasticPool(
            job,
            self._thread_pool,
            lambda lane: serve_in_lane(partial(run_tasks, loop_factory(self._job)), tasks, lane),
        )
        self._reserve_thread()  # before the ticker, which can be done without, takes the last one
        tasks = self._new_tasks(pool.outbox.put, self._controller.first, give_threads)
        job.source.widen(2 * self._controller.first)
        pool.resize(1)
        try:
            while not job.stopped and not (pool.workers == 0 and not pool.busy):
                pool.feed()
                pool.staff()
                yield from pool.collect()
                if tasks.is_retiring:
                    pool.workers = 0  # or another lane would take its place
                if not pool.busy and not pool.outbox and (job.source.finished or tasks.is_retiring):
                    break
                if not job.source.ready:
                    job.source.hunger()
                if not pool.outbox:
                    pool.wait()
            yield from pool.collect()
            if pool.refusal is not None and not tasks.is_retiring:
                raise pool.refusal
        finally:
            if self._next is None:
                job.stop()
                pool.part()

    # Elsewhere

    def _begins_elsewhere(self) -> bool:
        """Whether items are known to block their loop, and a thread is to be had for them."""
        if not self._controller.blocks:
            return False
        try:
            self._reserve_thread()
        except RuntimeError:
            return False
        return True

    def _rest(self) -> Iterator[Batch]:
        """What others do, after the loop or beside its last items."""
        execute = self._following()
        if self._takeover is not None:
            yield from self._takeover.batches()
            assert self._heir is not None
            self._report.close(self._heir.done)
        elif execute is not None:
            yield from execute(self._job)

    def _following(self) -> Callable[[Job], Iterator[Batch]] | None:
        """What performs the rest, if the loop is not the place for it."""
        self._stop_looking()
        arrangement, job = self._next, self._job
        if arrangement is None or job.stopped or job.source.finished:
            return None
        return partial(self._elsewhere, self._prior(arrangement))

    def _prior(self, arrangement: Arrangement) -> Prior:
        """What the loop has shown, for who decides about the rest."""
        assert self._tasks is not None
        worked = time.monotonic() - self._began
        return Prior(
            stage=arrangement.stage,
            lanes=arrangement.threads,
            each=worked / max(1, self._tasks.done),
            inside=arrangement.inside,
            reason=arrangement.reason,
            worked=worked,
        )

    def _elsewhere_at_once(self) -> Iterator[Batch]:
        assert self._controller.prior is not None
        return self._elsewhere(self._controller.prior, self._job)

    def _elsewhere(self, prior: Prior, job: Job) -> Iterator[Batch]:
        """In threads with a loop each, or in processes with loops."""
        tasks = self._tasks
        self._heir = Conductor(
            job,
            partial(Controller, self._limits, prior),
            self._report,
            self._thread_pool,
            eager=True,
            most=self._limits.threads,
            beginning=Beginning(
                body=partial(perform_in_loop, self._most_in_one),
                state=self._state,
                startup=self._startup,
                done=lambda: tasks.done if tasks is not None else 0,
            ),
        )
        self._moved = True
        try:
            yield from self._heir.batches()
        finally:
            self._settle()
            self._thread_pool.close()

    @property
    def _most_in_one(self) -> int:
        """Items that a thread may have in flight while it is the only one."""
        limits = self._limits
        if limits.flying is None:
            return FIRST_TASKS
        return min(FIRST_TASKS, limits.flying) if limits.threads == 1 else 1  # others may join it meanwhile

    # The ticker's thread

    def _beat(self) -> float | None:
        with self._lock:
            tasks = self._tasks
            if tasks is None or self._over or self._job.stopped:
                return None
            try:
                return self._decide(tasks)
            except BaseException as error:  # noqa: BLE001 - raised where the loop runs; here it would be lost
                tasks.crash = error
                tasks.retire()
                return None

    def _decide(self, tasks: ElasticTaskPool) -> float | None:
        arrangement = self._controller.look(
            self._loop_observer.sight(self._startup.ready if self._startup else 0)
        )
        if arrangement.stage in {"waiting", "outside"}:
            return None if self._hand_over(arrangement, tasks) else FIRST_LOOK
        tasks.resize(arrangement.threads)
        self._note(arrangement, tasks)
        self._bring_up(arrangement, tasks)
        if self._controller.weighed:
            self._quick.close()
        return arrangement.look

    def _bring_up(self, arrangement: Arrangement, tasks: ElasticTaskPool) -> None:
        """Have worker processes come up, where they are wanted and there is a thread to be had for that."""
        if arrangement.processes and self._startup is None:
            urgency = Urgency()  # no loop gives way to it, but it is soon given the GIL
            self._startup = WorkerStartup(self._job, self._state, self._report, urgency)
            done = Done(tasks.done, tasks.tally.spent() if tasks.tally else 0.0, tasks.latest)
            bar = self._controller.bar
            order = partial(self._startup.order, arrangement.processes, arrangement.inside)
            order_beside(self._thread_pool, partial(order, done, bar), bar)

    def _hand_over(self, arrangement: Arrangement, tasks: ElasticTaskPool) -> bool:
        """Have others do the rest; False where there are no threads for them, so that the loop goes on.

        They have their threads before the loop retires, or nobody might be left to go on.
        """
        try:
            self._reserve_thread()
            if self._follows_beside:
                _try_thread()
            if self._may_overlap:
                self._takeover = Takeover(self._job, self._elsewhere(self._prior(arrangement), self._job))
        except RuntimeError as error:
            self._controller.stay(f"{arrangement.reason}, and threads cannot be started here ({error})")
            return False
        self._next = arrangement
        tasks.retire()
        if self._takeover is not None:
            self._takeover.begin()  # not before: it would wait for ever for items that the loop still took
        return True

    def _reserve_thread(self) -> None:
        """Have a thread that is idle, for the first lane elsewhere.

        Raises:
            RuntimeError: There can be no more threads.
        """
        idle = threading.Event()
        self._thread_pool.start(lambda: None, idle.set)
        idle.wait()

    def _note(self, arrangement: Arrangement, tasks: ElasticTaskPool) -> None:
        report = self._report
        lanes = self._job.source.fitting(tasks.lanes)
        report.note(
            Step(report.now, arrangement.stage, f"loop ×{lanes}", lanes, arrangement.reason, tasks.done)
        )


def _try_thread() -> None:
    """Have a thread begin and end, so that another can be started in its place.

    Raises:
        RuntimeError: There can be no more threads.
    """
    thread = new_thread(lambda: None, f"{_NAME}-trial")
    thread.start()
    thread.join()


def _end(conductor: weakref.ref[LoopConductor]) -> None:
    """The job has stopped."""
    if (found := conductor()) is not None:
        found.end_here()
