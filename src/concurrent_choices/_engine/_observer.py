"""Taking sights: what the controller is told of a run, read from the accounts of its threads."""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING

from .._judge._controller._first_look import HARDLY
from .._judge._controller._sight import Sight
from .._mutation._state import State
from .._platform._tasks import number_of
from ._bystanders import Bystanders
from ._elastic_pool import Counts, ElasticPool
from ._lateness import Lateness
from ._tally import Queueing, Tally

if TYPE_CHECKING:
    from ._fallback_pump import FallbackPump
    from ._handover import CountInside
    from ._worker_startup import WorkerStartup

__all__ = ["Observer"]

DOUBT = 1e-3
"""Seconds that a call has neither computed nor queued, from which one asks whether it queues now; and that
taking a sight lasts, from which clocks that it read one after the other tell of different moments."""

LASTING = 0.5
"""Seconds of one lane's work from which what calls may change is looked at though it is large (guessed: three
times what that takes at the most)."""


class Observer:
    """Reads how a run stands. Made in the calling thread; everything else is for the ticker's.

    `began` is when the run did, by the monotonic clock and by that of the process's CPU.

    Attributes:
        pump: What hands items to workers, while there is one.
        count_inside: Asked for the lanes that are inside an item; None where they have no loops.
    """

    def __init__(  # noqa: PLR0913 - where everything is read from; each by name
        self,
        pool: ElasticPool,
        tally: Tally,
        state: State,
        lateness: Lateness,
        *,
        began: tuple[float, float],
        stands_in: bool,
    ) -> None:
        self._source = pool.job.source
        self._pool = pool
        self._tally = tally
        self._state = state
        self._stands_in = stands_in
        self._glances = self._inside = 0
        self._began, self._cpu_began = began
        self._alone = Counts()
        self._before = Counts()
        self._queueing: Queueing | None = None
        self._queues = False
        self._lateness = lateness
        self._bystanders = Bystanders()
        self._pumped = (0, 0.0)
        self.pump: FallbackPump | None = None
        self.count_inside: CountInside | None = None

    @property
    def done(self) -> int:
        """Items finished, wherever."""
        return self._tally.items + self._pool.counts().items + self._pumped_so_far()[0]

    def pump_ended(self, pump: FallbackPump) -> None:
        """Processes have done what they had to do."""
        self._pumped = (self._pumped[0] + pump.items, self._pumped[1] + pump.seconds)
        self.pump = None

    def close(self) -> None:
        """Close what is read from."""
        self._lateness.close()
        if self._queueing is not None:
            self._queueing.close()

    def sight(self, startup: WorkerStartup | None, *, alone: bool) -> Sight:
        """The run as it stands; a lane that stands in for the calling thread may be alone."""
        now = time.monotonic()
        self._lateness.count()
        pool, source, lanes = self._pool, self._source, self._pool.counts()
        if self.count_inside is not None:
            threads = [tally.thread for tally in pool.tallies()]
            self._glances += len(threads)
            self._inside += self.count_inside(threads)
        self._queues = False
        one, held, held_cpu = self._alone_so_far(lanes, alone=alone)
        alone_cpu = one.cpu + (self._queueing.read() if self._queueing else 0.0)
        rough = self._queues or time.monotonic() - now >= DOUBT
        in_flight, calls, seconds = self._beside(lanes, one, held)
        cpu, lane_cpu = time.process_time() - self._cpu_began, lanes.spent + self._tally.spent()
        items, pumped = self._pumped_so_far()
        done = self._tally.items + lanes.items + items
        sight = Sight(
            now=now - self._began,
            done=done,
            remaining=source.remaining,
            alone_items=one.items,
            alone_wall=one.wall,
            alone_cpu=alone_cpu,
            first_wall=self._tally.first[0],
            first_cpu=self._tally.first[1],
            held=held,
            held_cpu=held_cpu,
            rough=rough,
            in_flight=in_flight,
            calls=calls,
            call_seconds=seconds,
            quickest=0.0 if lanes.quickest == inf else lanes.quickest,
            cpu=cpu,
            lane_cpu=lane_cpu,
            others_cpu=self._bystanders.spent(cpu - lane_cpu, self._threads),
            errors=pool.errors,
            refused=pool.refused,
            looks=self._lateness.looks,
            late=self._lateness.late,
            glances=self._glances,
            inside=self._inside,
            unseen=self._state.may_change and not (done and self._have_told(one, alone_cpu, done, in_flight)),
            starved=not source.ready and not source.finished,
            outside_items=items,
            outside_seconds=pumped,
        )
        return sight if startup is None else self._with_workers(sight, startup)

    def _have_told(self, alone: Counts, cpu: float, done: int, in_flight: int) -> bool:
        """Whether calls have shown if they change what the callable holds; others that are in flight have.

        What is large is looked at for that only where one lane alone computes, and may do so for long.
        """
        left, each = self._source.remaining, alone.wall / max(1, alone.items)
        lasts = cpu > HARDLY * alone.wall and (left is None or left * each > LASTING)
        return in_flight > 0 or not (lasts and self._state.is_doubtful(done))

    def _with_workers(self, sight: Sight, startup: WorkerStartup) -> Sight:
        return sight._replace(
            ready=startup.ready,
            outside_held=self.pump.held if self.pump else 0.0,
            outside_cpu=startup.cpu(),
            outside_queued=startup.queued(),
        )

    def _beside(self, lanes: Counts, one: Counts, held: float) -> tuple[int, int, float]:
        """How many lanes are at an item, what they have finished, and in how many seconds, added up.

        Without the one that stands in for the calling thread, as far as it was alone.
        """
        in_flight = sum(tally.began > 0 for tally in self._pool.tallies())
        if not self._stands_in:
            return in_flight, lanes.items, lanes.wall
        return in_flight - (held > 0), lanes.items - one.items, lanes.wall - one.wall

    def _alone_so_far(self, lanes: Counts, *, alone: bool) -> tuple[Counts, float, float]:
        """What one lane alone has done; how long its present batch lasts, and wanted a core."""
        if not self._stands_in:
            tally = self._tally
            self._watch(tally)
            return Counts(tally.items, tally.wall, tally.cpu), *self._held(tally)
        before, self._before = self._before, lanes
        if not alone:
            return self._alone, 0.0, 0.0
        self._alone = self._alone.plus(lanes.minus(before))
        at_work = [tally for tally in self._pool.tallies() if tally.began]
        if not at_work:
            return self._alone, 0.0, 0.0
        self._watch(at_work[0])
        return self._alone, *self._held(at_work[0])

    def _watch(self, tally: Tally) -> None:
        """Follow this thread's run-queue delay from now on."""
        before = self._queueing
        if before is None or before.thread is not tally.thread:
            self._queueing = Queueing(tally.thread, before.seconds if before else 0.0)
            if before is not None:
                before.close()

    def _held(self, tally: Tally) -> tuple[float, float]:
        held, cpu = tally.held()
        self._queues = held - cpu > DOUBT and self._queueing is not None and self._queueing.is_queueing()
        return held, held if self._queues else cpu  # the queue is accounted for when it is over

    def _threads(self) -> set[int | None]:
        """The run's own, as the system numbers them."""
        return {number_of(tally.thread) for tally in (self._tally, *self._pool.tallies())}

    def _pumped_so_far(self) -> tuple[int, float]:
        items, seconds = self._pumped
        pump = self.pump
        return (items + pump.items, seconds + pump.seconds) if pump is not None else (items, seconds)
