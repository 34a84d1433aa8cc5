"""One run of a `def` under `auto`: the calling thread's part, and what happens beside it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from .._facts._batch import Batch, Claim
from .._measure._switching import URGENT, quick_switching
from .._measure._thread_bound import bound_to_thread
from .._strategies._lanes._crew import Crew
from .._strategies._lanes._pace import Pace, share_of_rest
from .._strategies._lanes._threads import MOST_THREADS, Lane
from .._work._job import Job
from .._work._nesting import lanes_around
from .._work._state import State
from ._brief import brief_rest
from ._deck import Deck
from ._report import RunReport, Step
from ._tally import Tally
from ._ticker import ticker

if TYPE_CHECKING:
    from .._judge._controller import Arrangement, Controller, Prior
    from ._yard import Yard

__all__ = ["Conductor"]

FIRST_LOOK = 1e-3
"""Seconds until the run-queue delay is read for the first time; the controller is asked one later."""

SURE = 4e-3
"""Looks so far apart, in seconds, mean that the controller has made up its mind for now."""

_COMPUTING = frozenset({"pair", "parallel"})

AHEAD = 32
"""Items taken from an iterable before the first call, so that lanes find some while it lasts (guessed)."""


class Conductor:
    """A run.

    Args:
        job: What to do.
        decider: Makes who decides how, when that is looked for first.
        report: Where it is written down.
        eager: Whether to ask the controller before the first call, since it knows the callable.
        most: Threads at work at most; with one, the callable stays in the calling thread.
        body: What lanes do, if they are not to perform claims of a `def`.
        yard: Worker processes that were ordered already, or None.
        before: Items that others have finished, or will have by the end.
    """

    def __init__(  # noqa: PLR0913 - where everything meets; each by name
        self,
        job: Job,
        decider: Callable[[], Controller],
        report: RunReport,
        *,
        eager: bool,
        most: int = MOST_THREADS,
        body: Callable[[Lane], None] | None = None,
        yard: Yard | None = None,
        before: Callable[[], int] = int,
    ) -> None:
        self._job = job
        self._decider = decider
        self._report = report
        self._eager = eager
        self._lock = threading.Lock()
        self._over = False
        self._asked = False
        self._looking = self._hurried = False
        self._relieved: bool = False
        self._outside: int = 0  # lanes in each process; 0 while items stay here
        self._processes = 0 if yard is None else yard.workers
        self._quick: AbstractContextManager[None] | None = None
        self._yard = yard
        self._body = body
        self._before = before
        self._bound: str | None = None
        self._caller = threading.get_ident()
        self._base = job.lanes
        self._most = most
        self._mutated: str | None = None
        self._latest: Sequence[Any] = ()
        self._overlapped = False
        # Who wants results as they come, or may give up on an item, cannot be busy with one.
        others = job.linger < inf and most > 1 and not self._binding()
        self._stands_in = job.timeout is not None or job.is_async or others

    def batches(self) -> Iterator[Batch]:
        """Perform the job in this thread and wherever the controller says; its batches."""
        self._open()
        try:
            self._begin_looking()
            while not self._job.stopped and not self._is_over():
                if self._outside:
                    yield from self._cross()
                elif self._relieved or self._stands_in:
                    yield from self._tend()
                else:
                    yield from self._perform()
            yield from self._deck.collect()
        except BaseException as error:
            self._job.stop()
            self._close(error)
            raise
        self._close(None)  # whose job it is stops it: others may be at their last items

    # The beginning and the end

    def _open(self) -> None:
        job = self._job
        self._state = State(job.fn)
        self._crew = Crew("concurrent_choices-auto")
        self._deck = Deck(job, self._crew, self._body)
        self._tally = Tally()
        self._pace = Pace()
        if not job.source.ended:
            job.source.feed(AHEAD)
        self._looked_after = job.source.length is None or job.source.length > 1
        if self._stands_in and not (self._eager and self._looked_after):
            self._deck.resize(1)  # else the controller says at once how many

    def _begin_looking(self) -> None:
        if self._looked_after:
            # A computing callable would keep the ticker's thread waiting for 5 ms at each step.
            self._quick = quick_switching()
            self._quick.__enter__()
            ticker().start(self._beat, 0.0 if self._eager else FIRST_LOOK)

    def _close(self, error: BaseException | None) -> None:
        with self._lock:
            self._over = True
            self._switch_as_usual()
            if self._looking:
                self._observer.close()
        if self._yard is not None:
            self._yard.leave()
        self._deck.part()
        self._crew.close()
        if self._overlapped and not (self._yard or self._report.witness):
            self._report.witness = self._state.changed()
        self._report.close(self.done)
        if self._yard is not None:
            self._yard.close(error)

    def _is_over(self) -> bool:
        return self._job.source.finished and not self._deck.busy and not self._deck.outbox

    # The calling thread

    def _perform(self) -> Iterator[Batch]:
        """Perform items here, and hand over what lanes did meanwhile."""
        job, deck, tally, pace = self._job, self._deck, self._tally, self._pace
        source, performer = job.source, job.performer
        while not (self._relieved or self._outside or job.stopped):
            deck.feed()
            size = pace.size
            if deck.workers and size > 1:
                size = share_of_rest(size, source.remaining, deck.workers + 1)
            claim = source.claim(size)
            if claim is None:
                yield from self._idle()
                return
            tally.begin()
            batch = performer(claim, self._mark if len(claim.items) > 1 else None)
            pace.took(tally.end(len(batch.values)), len(batch.values))
            self._latest = batch.values
            if batch.error is not None:
                source.close()
            elif len(batch.values) < len(claim.items):
                done = len(batch.values)
                source.give_back(Claim(claim.start + done, claim.items[done:]))
            yield batch
            if deck.workers or deck.busy:
                deck.staff()
            yield from deck.collect()

    def _mark(self, _index: int) -> bool:
        """Whether the next item of a batch may start."""
        return not (self._relieved or self._outside or self._job.stopped or self._deck.starving)

    def _idle(self) -> Iterator[Batch]:
        """Nothing can be claimed now: lanes are still busy, or items have yet to come."""
        deck, source = self._deck, self._job.source
        yield from deck.collect()
        if not self._is_over() and not deck.outbox and not source.ready:
            source.hunger()
            deck.wait()
        yield from deck.collect()

    def _tend(self) -> Iterator[Batch]:
        """Keep the lanes in items, and hand over what they did."""
        deck, job = self._deck, self._job
        while (self._relieved or self._stands_in) and not self._outside and not job.stopped:
            deck.feed()
            deck.staff()
            yield from deck.collect()
            if self._is_over():
                return
            if not job.source.ready:
                job.source.hunger()
            if not deck.outbox:
                deck.wait()

    def _cross(self) -> Iterator[Batch]:
        """Have items performed in worker processes."""
        from ._ferry import Ferry  # noqa: PLC0415 - most runs need no processes

        assert self._yard is not None
        host = self._yard.hand_over()
        ferry = Ferry(self._job, host, self._deck, workers=self._processes, inside=self._outside)
        self._observer.ferry = ferry
        if not self._outside:  # called back already
            ferry.leave()
        yield from ferry
        with self._lock:
            self._observer.ferry_ended(ferry)
            if ferry.unfit:
                self._controller.bar(ferry.unfit)
                self._outside, self._relieved = 0, False
        if self._job.source.finished:
            yield from self._drain()

    def _drain(self) -> Iterator[Batch]:
        """Wait for lanes that are at their last item."""
        deck = self._deck
        while deck.busy and not self._job.stopped:
            yield from deck.collect()
            if self._job.source.ready:
                self._outside = 0  # given back: this thread takes it
                return
            deck.nudge()
            if deck.busy and not deck.outbox:
                deck.wait()
        yield from deck.collect()

    @property
    def done(self) -> int:
        """Items finished, by others too."""
        here = self._observer.done if self._looking else self._tally.items + self._deck.counts().items
        return self._before() + here

    @property
    def learnt(self) -> Prior | None:
        """What another run of the same callable may begin with; None where that is nothing."""
        return self._controller.learnt if self._looking else None

    # The ticker's thread

    def _beat(self) -> float | None:
        """Look, ask, obey; seconds until the next time."""
        with self._lock:
            if self._over or self._job.stopped:
                return None
            if (rest := self._brief_rest()) is not None:
                return rest
            try:
                if not self._looking:
                    self._begin_to_look()
                seconds = self._decide()
            except BaseException as error:  # noqa: BLE001 - the calling thread raises it; here it would be lost
                self._deck.crash = error
                self._deck.outbox.ring()
                return None
            self._observer.expect(seconds)
            return seconds

    def _brief_rest(self) -> float | None:
        """Seconds until the end, where so little is left that it is not worth a look; said once at most."""
        if self._looking or self._hurried:
            return None
        self._hurried = bool(self._tally.items)
        return brief_rest(self._tally, self._job.source.remaining)

    def _begin_to_look(self) -> None:
        """What looks and what decides; made here, since many a run is over before."""
        with quick_switching(URGENT):  # each module's file gives the GIL away some four times
            from ._observer import Observer  # noqa: PLC0415 - many a run needs none

            self._controller = self._decider()
            self._observer = Observer(
                self._job, self._deck, self._tally, self._state, stands_in=self._stands_in
            )
        self._observer.yard = self._yard
        self._looking = True

    def _decide(self) -> float:
        sight = self._observer.sight(alone=not (self._relieved or self._outside))
        if not (self._asked or self._eager):
            self._asked = True
            # What was done before the first call does not count; a call in flight counts from its own start.
            self._controller.begin(sight._replace(held=0.0, held_cpu=0.0))
            if sight.held < FIRST_LOOK:
                return FIRST_LOOK
        arrangement = self._controller.look(sight)
        self._obey(arrangement)
        if arrangement.look >= SURE:
            self._switch_as_usual()
        return arrangement.look

    def _switch_as_usual(self) -> None:
        """Nothing urgent is left to be found out."""
        quick, self._quick = self._quick, None
        if quick is not None:
            quick.__exit__(None, None, None)

    def _obey(self, arrangement: Arrangement) -> None:
        """Make a run what the controller wants it to be."""
        wanted = self._threads(arrangement)
        if wanted and not self._stands_in:  # the calling thread is one of those that may be
            wanted = min(wanted, max(0, self._most - (self._tally.began > 0)))
        if self._stands_in and not arrangement.outside:
            wanted = max(1, min(wanted + (not arrangement.relieved), self._most))
        if arrangement.processes and not (self._processes or self._observer.unseen):
            self._processes = arrangement.processes
            self._crew.start(partial(self._order, arrangement.processes, arrangement.inside))
        self._overlapped |= wanted > 1
        changed = arrangement.relieved != self._relieved or arrangement.outside != bool(self._outside)
        self._relieved = arrangement.relieved
        self._outside = arrangement.inside if arrangement.outside else 0
        if wanted != self._deck.workers:
            self._crowd(max(wanted, 1))
            self._deck.resize(wanted)
        elif wanted:
            self._deck.staff()
        if self._observer.ferry is not None and not arrangement.outside:
            self._observer.ferry.leave()
        if changed:
            self._deck.outbox.ring()
        self._note(arrangement, wanted)

    def _threads(self, arrangement: Arrangement) -> int:
        """Lanes to have: none where something keeps the callable in one thread."""
        if not arrangement.threads or (arrangement.stage in _COMPUTING and self._observer.unseen):
            return 0
        bond = "" if self._stands_in else self._binding()
        bond = bond or self._mutation(arrangement.stage)
        if bond:
            self._controller.keep_single(bond)
            return 0
        return arrangement.threads

    def _mutation(self, stage: str) -> str:
        """What calls were seen to change, before two compute side by side: their results may depend on it."""
        if stage not in _COMPUTING:
            return ""
        if self._mutated is None:
            self._report.witness = self._mutated = self._state.changed()
        return f"calls change {self._mutated}" if self._mutated else ""

    def _binding(self) -> str:
        """What binds the callable to the calling thread; empty if nothing is seen."""
        if self._bound is None:
            self._bound = bound_to_thread(self._job.fn, self._caller)
        return self._bound

    def _order(self, workers: int, inside: int) -> None:
        """Have worker processes come up, in a thread of its own."""
        with quick_switching(URGENT):
            from ._freight import too_dear  # noqa: PLC0415 - most runs need no processes
            from ._yard import Yard  # noqa: PLC0415 - as above

            if too_dear(self._job.source, self._latest, (self._tally, self._deck.counts()), workers):
                self._controller.bar("carrying items and results would cost more than it saves")
                return
            yard = Yard(self._job, self._state)
            with self._lock:
                if self._over:
                    return
                self._yard = self._observer.yard = yard
            yard.order(workers, inside)
            if yard.obstacle:
                self._report.witness = yard.witness
                self._controller.bar(yard.obstacle)
            self._beat()  # workers that are up must not wait for the ticker, nor it for the GIL

    def _crowd(self, lanes: int) -> None:
        """Tell nested runs how many lanes there are."""
        self._job.context.run(lanes_around.set, self._base * lanes)

    def _note(self, arrangement: Arrangement, threads: int) -> None:
        lanes = max(1, threads)
        if arrangement.outside:
            lanes = arrangement.processes * arrangement.inside
            inside = f" of {arrangement.inside} lanes" if arrangement.inside > 1 else ""
            doing = f"process ×{arrangement.processes}{inside}"
        elif arrangement.relieved or self._stands_in:
            doing = f"thread ×{threads}"
        else:
            doing = f"this thread + {threads}" if threads else "this thread"
        now = self._report.now
        self._report.note(Step(now, arrangement.stage, doing, lanes, arrangement.reason, self.done))
