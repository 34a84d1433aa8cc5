"""Coroutine lanes on one loop, whose number changes while they work, watched from outside."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count, repeat
from operator import length_hint
from typing import Any

from .._facts._batch import Batch, Claim
from .._judge._controller import LoopSight, Sight
from .._measure._congestion import is_congestion
from .._platform._frames import frames
from .._strategies._lanes._shift import LANE, Chunk, Host, Shift, Slots
from .._work._job import Job
from ._tally import Queueing, Tally

__all__ = ["Tide", "Watch"]

_DEEPEST = 60

STILL = 0.25
"""Share of the time between two looks in which a thread that was found at the same place twice may have
computed, and still count as standing still there (guessed)."""

STARTING = threading.Thread.start.__code__

Place = tuple[int, int]
"""Where a thread is: its innermost frame, and the instruction there."""


class Tide(Shift):
    """A shift with more or fewer lanes as it is told, and an end before the source's.

    Args:
        job: What to do.
        put: Takes the batches.
        concurrency: Lanes to begin with.
        is_surplus: Asked when the loop turns and between claims: whether this shall retire.

    Attributes:
        done: Items finished.
        errors: How many of them raised what means "too many at once".
        is_retiring: Whether it claims no more.
        waits: Whether its items may wait, so that others are let in beside them.
        latest: Values of the batch that was handed over last.
        crash: What went wrong with whoever looks after it; raised where it runs.
    """

    def __init__(
        self,
        job: Job,
        put: Callable[[Batch], None],
        concurrency: int,
        *,
        is_surplus: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(job, put, concurrency)
        self._is_surplus = is_surplus
        self.done = 0
        self.errors = 0
        self.tally: Tally | None = None
        self.is_retiring = False
        self.waits = True
        self.latest: Sequence[Any] = ()
        self.crash: BaseException | None = None
        self._unstarted: Iterator[Any] = iter(())

    @property
    def lanes(self) -> int:
        """Lanes there may be."""
        return self._concurrency

    @property
    def flying(self) -> int:
        """Items in flight; from any thread. A lane whose callable never waits has no other beside it."""
        unfinished = sum(chunk.left for chunk in list(self._open.values()))
        return max(0, min(self._live, unfinished - length_hint(self._unstarted)))

    async def serve(self, host: Host) -> None:
        """Work until the source is finished, the job is stopped, or this is told to retire."""
        self._host = host
        self.tally = Tally()
        await super().serve(host)

    def resize(self, concurrency: int) -> None:
        """Have so many lanes; from any thread. Fewer there are once those at work have finished."""
        if concurrency != self._concurrency:
            self.job.source.widen(2 * concurrency)
            self._concurrency = concurrency
            self._wake()

    def retire(self) -> None:
        """Claim no more, and end once what was claimed is done; from any thread."""
        self.is_retiring = True
        self._wake()

    def _wake(self) -> None:
        if self.tally is not None:  # before that there is no host, and it will see for itself
            self._host.wake_soon()

    def _top_up(self) -> None:
        if self.crash is not None:
            raise self.crash
        if not self._is_leaving():
            super()._top_up()
        elif not self._live:
            self._halted = True
            self._host.wake()

    def _is_leaving(self) -> bool:
        if not self.is_retiring and self._is_surplus():
            self.is_retiring = True
        return self.is_retiring

    def _claims(self) -> Iterator[Slots]:
        source = self.job.source
        while self._live <= self._concurrency and not self._is_leaving():
            claim = source.claim(self._pace.size)
            if claim is None:
                break
            chunk = Chunk(claim)
            self._open[claim.start] = chunk
            self._unstarted = iter(claim.items)
            yield zip(repeat(chunk), count(), self._unstarted)
        self._dry = True

    def _hand_over(self, claim: Claim, batch: Batch) -> None:
        self.done += len(batch.values)
        self.latest = batch.values
        if self.job.return_exceptions:
            self.errors += sum(isinstance(each, Exception) and is_congestion(each) for each in batch.values)
        super()._hand_over(claim, batch)


class Watch:
    """Looks at a tide from another thread.

    Args:
        job: What is done.
        tide: The lanes.
    """

    def __init__(self, job: Job, tide: Tide) -> None:
        self._source = job.source
        self._tide = tide
        self._began = self._last = time.monotonic()
        self._flown = self._stuck = self._cpu = 0.0
        self._looks = self._inside = 0
        self._place: Place | None = None
        self._queueing: Queueing | None = None

    def sight(self, ready: int) -> LoopSight:
        """The loop as it stands.

        Args:
            ready: Worker processes that are up.
        """
        tide, source = self._tide, self._source
        tally, queued = tide.tally, 0.0
        if tally is not None:
            self._queueing = self._queueing or Queueing(tally.thread)
            queued = self._queueing.read()
        # Nothing that gives the GIL away between the two clocks: getting it back may take milliseconds.
        now, spent, flying = time.monotonic(), tally.spent() if tally is not None else 0.0, tide.flying
        since, self._last = now - self._last, now
        # Little's law: the time of all calls together is the number in flight, added up over time.
        self._flown += flying * since
        if self._queueing is not None:
            self._look_at(self._queueing, since, spent)
        run = Sight(
            now=now - self._began,
            done=tide.done,
            remaining=source.remaining,
            flying=flying,
            calls=tide.done,
            call_seconds=self._flown,
            lane_cpu=spent,
            errors=tide.errors,
            # Where the loop's own thread takes the items from the iterable, none is ever ready.
            starved=flying < tide.lanes and not source.ready and not source.finished,
            ready=ready,
        )
        return LoopSight(
            run=run,
            looks=self._looks,
            inside=self._inside,
            stuck=self._stuck,
            queued=queued,
            alone=not tide.waits,
        )

    def _look_at(self, queueing: Queueing, since: float, spent: float) -> None:
        """Where the loop's thread is, and whether it has stood still there since the last look."""
        before, self._place = self._place, _place_of(queueing.thread)
        cpu, self._cpu = spent - self._cpu, spent
        self._looks += 1
        if self._place is not None:
            self._inside += 1
            still = self._place == before and cpu <= STILL * since
            if still and not queueing.is_queueing():
                self._stuck += since

    def close(self) -> None:
        """Close what is read from."""
        if self._queueing is not None:
            self._queueing.close()


def _place_of(thread: threading.Thread) -> Place | None:
    """Where in the callable a thread is; None outside, where no lane waits for a call to return.

    Nor is there a place where it waits for another thread to start: `asyncio.to_thread` does, for a moment.
    """
    frame = frames().get(thread.ident or -1)
    if frame is None or frame.f_code is LANE:
        return None
    place = id(frame), frame.f_lasti
    for _ in range(_DEEPEST):
        frame = frame.f_back
        if frame is None or frame.f_code is STARTING:
            return None
        if frame.f_code is LANE:
            return place
    return None
