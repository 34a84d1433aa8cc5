"""One run of an `async def` under `auto`: on one loop first, elsewhere if that is not the place for it."""

from __future__ import annotations

import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, suppress
from functools import cached_property, partial
from math import inf
from typing import TYPE_CHECKING

from .._facts._batch import Batch
from .._judge._controller._loop_controller import LoopController
from .._judge._controller._sight import Arrangement, Limits
from .._mutation._state import FIRST, State
from .._runtime._mutex import freed_in_forks
from .._runtime._own_loops import give_threads
from .._runtime._switching import URGENT, quick_switching
from .._strategies._lanes._asyncio import run_tasks
from .._work._job import Job
from ._bond import Bond
from ._elastic_task_pool import ElasticTaskPool
from ._lateness import Lateness
from ._loop_observer import LoopObserver
from ._loops import LoopBeside, loop_factory
from ._memory import Recollection
from ._report import RunReport, Step
from ._succession import Succession
from ._ticker import ticker
from ._urgency import Urgency

if TYPE_CHECKING:
    from .._strategies._lanes._native import Start

__all__ = ["LoopConductor"]

SOON = 1e-3
"""Seconds until the first look at the loop, and until the next where what was decided cannot be done."""


class LoopConductor:
    """A run of an `async def`.

    Its `limits` are those that are known without asking the system. To `ask` it takes half a millisecond, and
    waits for the first look: coroutines that wait do not need it.
    """

    def __init__(
        self,
        job: Job,
        controller: LoopController,
        limits: Limits,
        ask: Callable[[], Limits],
        recollection: Recollection,
    ) -> None:
        self._job = job
        self._ask = ask
        self._asked = False  # whether the system was, for limits
        self._recollection = recollection
        self._controller = controller
        self._report: RunReport = job.report
        self._lock = freed_in_forks()
        self._over = False
        self._around = job.lanes  # of runs around this one
        self._may_overlap = False  # whether others may begin while the loop is at its last items
        self._follows_beside = False  # whether what others do is drawn beside the caller's own loop
        self._tasks: ElasticTaskPool | None = None
        self._quick = ExitStack()
        self._state = State(job.fn, job.source.peek(FIRST))
        self._bond = Bond(job.fn, self._state.tasks)
        self._others = Succession(job, limits, recollection, self._state)

    def batches(self) -> Iterator[Batch]:
        """Perform the job; its batches."""
        try:
            yield from self._elsewhere() if self._begins_elsewhere() else self._on_loop()
            while self._others.homeward:
                self._begin_again()
                yield from self._on_loop()
            self._close(None)
        except BaseException as error:  # also where Ctrl-C comes as it is being closed
            self._close(error)
            raise

    def abatches(self) -> AsyncIterator[Batch]:
        """The same on the running loop; what waits for it stays there, since it may use what is its own."""
        from .._strategies._lanes._native import execute_tasks  # noqa: PLC0415 - anyio; `run` does without

        job = self._job
        self._follows_beside = True
        # A weak reference, or items would live in a cycle until the next collection.
        job.on_stop(partial(_job_ended, weakref.ref(self)))
        return execute_tasks(job, self._controller.first, self._new_tasks, self._following)

    def _close(self, error: BaseException | None) -> None:
        self._job.stop()
        self._stop_looking()
        self._others.part()
        self._end()
        self._others.dismiss(error)

    def _end(self) -> None:
        """Close the report and keep what was learnt, unless others do who have taken over."""
        if self._others.heir is None:
            self._report.close(self._others.before + (self._tasks.done if self._tasks is not None else 0))
            self._recollection.settle(self._controller.learnt)

    def end_here(self) -> None:
        """A job on the caller's own loop has stopped; what takes a moment is left to another thread."""
        self._stop_looking()
        if self._report.seconds is None and self._others.heir is None:
            self._end()
            self._others.dismiss_beside()

    def _stop_looking(self) -> None:
        with self._lock:
            self._over = True
            self._quick.close()
            if self._tasks is not None:
                ticker().stop(self._beat)
                self._loop_observer.close()

    # On one loop

    def _new_tasks(
        self, put: Callable[[Batch], None], prepare: Callable[[], None] = lambda: None
    ) -> ElasticTaskPool:
        first, waits = self._controller.first, self._controller.waits
        tasks = ElasticTaskPool(self._job, put, first, waits=waits, prepare=prepare)
        self._lateness = Lateness()
        self._loop_observer = LoopObserver(tasks, self._lateness)
        self._tasks = tasks  # from here on there is somebody to stop looking
        # A loop that computes would keep the ticker's thread waiting for 5 ms at each look.
        self._quick.enter_context(quick_switching())
        with suppress(RuntimeError):  # there can be no more threads, so work goes on as it has begun
            ticker().start(self._beat, SOON)
        return tasks

    def _on_loop(self) -> Iterator[Batch]:
        """On a loop, and wherever what it leaves is done."""
        yield from self._here() if self._job.linger == inf else self._beside()
        self._stop_looking()
        yield from self._others.batches()

    def _here(self) -> Iterator[Batch]:
        """On a loop in the calling thread, where nobody looks at results before the end."""
        batches: list[Batch] = []
        # Loop and threads would have lanes of their own meanwhile, and only this thread may bring more items.
        limits = self._others.limits
        self._may_overlap = self._job.source.ended and limits.concurrency is None and limits.threads > 1
        tasks = self._new_tasks(_giving_way(batches.append, self._others.workforce.urgency), give_threads)
        run_tasks(tasks, self._job.on_stop, loop_factory(self._job))  # an error beside it ends the loop, too
        yield from batches

    def _beside(self) -> Iterator[Batch]:
        """On a loop in a thread beside the calling one, which brings items for it."""
        pool = LoopBeside(self._job, self._others.thread_pool)
        self._others.reserve_thread()  # before the ticker, which can be done without, takes the last one
        urgency = self._others.workforce.urgency
        pool.tasks = self._new_tasks(_giving_way(pool.outbox.put, urgency), give_threads)
        self._job.source.window.staffed(self._controller.first)
        yield from pool

    # Elsewhere

    def _begins_elsewhere(self) -> bool:
        """Whether items are known to block their loop, and may go to threads, and a thread can be had."""
        if not self._controller.blocks or self._bond.reason or self._mutation:
            return False
        try:
            self._others.reserve_thread()
        except RuntimeError:
            return False
        return True

    def _elsewhere(self) -> Iterator[Batch]:
        assert self._controller.prior is not None
        self._learn_limits()
        return self._others.conduct(self._controller.prior, self._job)

    def _begin_again(self) -> None:
        """Others have come back: what they have left is done as if it were a run of its own."""
        others = self._others
        assert others.decider is not None
        self._tasks, self._over = None, False
        self._controller = self._controller.anew(others.homeward, others.decider.barred)
        self._others = others.anew()
        self._job.surround(self._around)
        self._job.source.window.staffed(self._controller.first)
        self._report.seconds = None  # it goes on

    def _following(self) -> Start | None:
        """What starts the rest, if the caller's loop is not the place for it, or is so once more."""
        from .._strategies._lanes._native import start_beside, start_here  # noqa: PLC0415 - as above

        self._stop_looking()
        if self._others.homeward:
            self._begin_again()
            self._job.source.adopt()
            return partial(start_here, self._job, self._new_tasks)
        execute = self._others.following()
        return None if execute is None else partial(start_beside, self._job, execute)

    # The ticker's thread

    def _beat(self) -> float | None:
        with self._lock:
            tasks = self._tasks
            if tasks is None or self._over or self._job.stopped:
                return None
            if tasks.tally is None:  # a look opens files; the loop may need what descriptors there are
                return SOON
            self._lateness.arrive()
            tasks.turn_soon()
            try:
                with quick_switching(URGENT):
                    seconds = self._decide(tasks)
            except BaseException as error:  # noqa: BLE001 - raised where the loop runs; here it would be lost
                tasks.crash = error
                tasks.retire()
                return None
            self._lateness.expect(seconds or 0.0)
            return seconds

    def _learn_limits(self) -> None:
        if not self._asked:
            limits = self._others.limits = self._ask()
            self._controller.allow(limits)
            self._asked = True

    def _decide(self, tasks: ElasticTaskPool) -> float | None:
        self._learn_limits()
        startup = self._others.workforce.startup
        arrangement = self._controller.look(self._loop_observer.sight(startup.ready if startup else 0))
        doubtful = arrangement.stage != "loop" and self._bond.doubtful  # first: the loop may look meanwhile
        if arrangement.stage != "loop" and (reason := self._bond.reason or self._mutation):
            if doubtful:
                tasks.ask(self._bond.look_again)
            else:
                self._controller.stay(reason)
            return SOON
        if arrangement.stage in {"waiting", "pair", "outside"}:
            return None if self._hand_over(arrangement, tasks) else SOON
        tasks.resize(arrangement.threads)
        self._note(arrangement, tasks)
        self._others.bring_up(arrangement, tasks, self._controller.bar)
        if self._controller.weighed:
            self._quick.close()
        return arrangement.look

    @cached_property
    def _mutation(self) -> str:
        """What calls change, or may come to: on one loop nothing comes between two awaits of theirs."""
        altered = self._state.altered()
        self._report.see(altered)
        return f"calls change {altered}" if altered else ""

    def _hand_over(self, arrangement: Arrangement, tasks: ElasticTaskPool) -> bool:
        """Have others do the rest; False where there are no threads for them, so that the loop goes on."""
        beside, overlap = self._follows_beside, self._may_overlap
        try:
            self._others.begin(arrangement, tasks, beside=beside, overlap=overlap)
        except (OSError, RuntimeError) as error:
            self._controller.stay(f"{arrangement.reason}, and threads cannot be started here ({error})")
            return False
        return True

    def _note(self, arrangement: Arrangement, tasks: ElasticTaskPool) -> None:
        report = self._report
        lanes, done = self._job.source.fitting(tasks.lanes), self._others.before + tasks.done
        report.note(Step(report.now, arrangement.stage, f"loop ×{lanes}", lanes, arrangement.reason, done))


def _giving_way(put: Callable[[Batch], None], urgency: Urgency) -> Callable[[Batch], None]:
    """Puts batches, on a loop of ours, which gives way after each; the caller's own has others to serve."""

    def put_and_give_way(batch: Batch) -> None:
        put(batch)
        urgency.give_way_briefly()

    return put_and_give_way


def _job_ended(conductor: weakref.ref[LoopConductor]) -> None:
    """The job has stopped."""
    if (found := conductor()) is not None:
        found.end_here()
