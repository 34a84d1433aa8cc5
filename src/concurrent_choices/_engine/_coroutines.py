"""One run of an `async def` under `auto`: on one loop first, elsewhere if that is not the place for it."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from math import inf

from .._facts._batch import Batch
from .._judge._controller import Arrangement, Controller, Limits, LoopController, Prior
from .._judge._controller._climb import FIRST
from .._measure._switching import quick_switching
from .._strategies._lanes._asyncio import Factory, run_shift
from .._strategies._lanes._crew import Crew
from .._strategies._lanes._native import execute_shift
from .._strategies._lanes._threads import Lane
from .._work._job import Job
from .._work._state import State
from ._conductor import Conductor
from ._deck import Deck
from ._report import RunReport, Step
from ._ticker import ticker
from ._tide import Tide, Watch
from ._yard import Yard

__all__ = ["LoopConductor"]

FIRST_LOOK = 2e-3
"""Seconds until the first look at the loop."""

MANY = 5000
"""Items from which uvloop is worth its import: 30 ms, over 6 µs saved at each socket wait (dispatch
benchmarks, coroutines)."""


class LoopConductor:
    """A run of an `async def`.

    Args:
        job: What to do.
        limits: What it may use.
        tasks: Items in flight at most, or None.
        report: Where it is written down.
    """

    def __init__(self, job: Job, limits: Limits, tasks: int | None, report: RunReport) -> None:
        self._job = job
        self._limits = limits
        self._tasks = tasks
        self._report = report
        self._lock = threading.Lock()
        self._over = False
        self._yard: Yard | None = None
        self._next: Arrangement | None = None
        self._began = time.monotonic()

    def batches(self) -> Iterator[Batch]:
        """Perform the job; its batches."""
        self._state = State(self._job.fn)
        self._crew = Crew("concurrent_choices-auto")
        self._controller = LoopController(self._limits, self._tasks)
        try:
            yield from self._here() if self._job.linger == inf else self._beside()
            self._stop_looking()
            if self._next is not None and not self._job.stopped and not self._job.source.finished:
                yield from self._elsewhere(self._next)
                return
        except BaseException as error:
            self._close(error)
            raise
        self._close(None)

    def abatches(self) -> AsyncIterator[Batch]:
        """The same on the running loop, which its items do not leave: they may use what belongs to it."""
        self._controller = LoopController(self._limits, self._tasks, movable=False)
        return execute_shift(self._job, self._controller.first, self._new_tide)

    def _close(self, error: BaseException | None) -> None:
        self._job.stop()
        self._stop_looking()
        self._crew.close()
        if self._yard is not None:
            self._yard.close(error)

    def _stop_looking(self) -> None:
        with self._lock:
            self._over = True

    # On one loop

    def _new_tide(self, put: Callable[[Batch], None], concurrency: int) -> Tide:
        self._tide = Tide(self._job, put, concurrency)
        self._watch = Watch(self._job, self._tide)
        self._job.on_stop(partial(_close_report, self._report, weakref.ref(self._tide)))
        ticker().start(self._beat, FIRST_LOOK)
        return self._tide

    def _here(self) -> Iterator[Batch]:
        """On a loop in the calling thread, where nobody looks at results before the end."""
        batches: list[Batch] = []
        tide = self._new_tide(batches.append, self._controller.first)
        run_shift(self._factory(), tide, lambda _nudge: None)
        yield from batches

    def _beside(self) -> Iterator[Batch]:
        """On a loop in a thread beside the calling one, which keeps it in items."""
        job = self._job
        deck = Deck(job, self._crew, self._serve)
        tide = self._new_tide(deck.outbox.put, self._controller.first)
        job.source.widen(2 * self._controller.first)
        deck.resize(1)
        try:
            while not job.stopped and not (deck.workers == 0 and not deck.busy):
                deck.feed()
                deck.staff()
                yield from deck.collect()
                if tide.is_retiring:
                    deck.workers = 0
                if not deck.busy and not deck.outbox and (job.source.finished or tide.is_retiring):
                    break
                if not job.source.ready:
                    job.source.hunger()
                if not deck.outbox:
                    deck.wait()
            yield from deck.collect()
        finally:
            if self._next is None:
                job.stop()
                deck.part()

    def _serve(self, lane: Lane) -> None:
        _run_in(lane, self._factory(), self._tide)

    def _factory(self) -> Factory:
        """Uvloop where it is loaded, or worth loading; else asyncio's own."""
        if "uvloop" in sys.modules or (self._job.source.length or 0) >= MANY:
            try:
                import uvloop  # noqa: PLC0415 - 30 ms, and not there on every platform
            except ImportError:
                return asyncio.new_event_loop
            return uvloop.new_event_loop
        return asyncio.new_event_loop

    # Elsewhere

    def _elsewhere(self, arrangement: Arrangement) -> Iterator[Batch]:
        """In threads with a loop each, or in processes with loops."""
        done = max(1, self._tide.done)
        each = (time.monotonic() - self._began) / done
        prior = Prior(
            stage=arrangement.stage,
            lanes=FIRST,
            each=each,
            inside=arrangement.inside,
            reason=arrangement.reason,
        )
        conductor = Conductor(
            self._job,
            Controller(self._limits, prior),
            self._report,
            eager=True,
            most=self._limits.threads,
            body=partial(_perform_in_loop, self._factory()),
            yard=self._yard,
            done=self._tide.done,
        )
        self._crew.close()
        yield from conductor.batches()

    # The ticker's thread

    def _beat(self) -> float | None:
        with self._lock:
            if self._over or self._job.stopped:
                return None
            arrangement = self._controller.look(self._watch.sight(self._yard.ready if self._yard else 0))
            self._obey(arrangement)
            return arrangement.look if self._next is None else None

    def _obey(self, arrangement: Arrangement) -> None:
        self._tide.resize(arrangement.threads)
        self._note(arrangement)
        if arrangement.stage == "starting" and self._yard is None:
            self._yard = Yard(self._job, self._state)
            self._crew.start(partial(self._order, self._yard, arrangement.processes))
        elif arrangement.stage in {"waiting", "outside"}:
            self._next = arrangement
            self._tide.retire()

    def _order(self, yard: Yard, workers: int) -> None:
        with quick_switching():
            yard.order(workers)
        if yard.obstacle:
            self._report.witness = yard.witness
            self._controller.bar(yard.obstacle)

    def _note(self, arrangement: Arrangement) -> None:
        lanes, report = arrangement.threads, self._report
        step = Step(
            report.now, arrangement.stage, f"loop ×{lanes}", lanes, arrangement.reason, self._tide.done
        )
        report.note(step)


def _close_report(report: RunReport, tide: weakref.ref[Tide]) -> None:
    """The job has stopped. A weak reference, or items would live in a cycle until the next collection."""
    if (found := tide()) is not None and not found.is_retiring:
        report.close(found.done)


def _run_in(lane: Lane, factory: Factory, tide: Tide) -> None:
    """Run a tide on a loop in a lane's thread, and have it told when there are items."""
    floor = lane.floor
    nudges: list[Callable[[], None]] = []

    def register(nudge: Callable[[], None]) -> None:
        nudges.append(nudge)
        floor.nudges.add(nudge)
        floor.job.on_stop(nudge)

    try:
        run_shift(factory, tide, register)
    finally:
        floor.nudges.difference_update(nudges)


def _perform_in_loop(factory: Factory, lane: Lane) -> None:
    """A lane's body: one item at a time on a loop of its own, with an account."""
    deck = lane.floor
    assert isinstance(deck, Deck)
    tally = deck.enter()

    def put(batch: Batch) -> None:
        tally.end(len(batch.values))
        deck.outbox.put(batch)
        if batch.error is not None or deck.job.return_exceptions:
            deck.inspect(batch)
        if deck.is_surplus(lane):
            tide.retire()
        tally.begin()

    tide = Tide(deck.job, put, 1)
    tally.begin()
    try:
        _run_in(lane, factory, tide)
    finally:
        deck.exit(tally)
