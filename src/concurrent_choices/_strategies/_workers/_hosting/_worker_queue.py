"""What one worker has in hand for one job, and what that means when it dies."""

from __future__ import annotations

import time
from _socket import MSG_DONTWAIT
from collections import deque
from contextlib import suppress
from math import ceil, inf
from typing import Any, NamedTuple

from ...._facts._batch import Claim
from ...._work._pace import LOAD, TAIL, TRIP, Load, Pace, trip
from ...._work._source import Source
from .._between._wire import Kind, Message
from ._child import readable
from ._host import Worker

__all__ = ["CREDIT", "Fallen", "SharedWorkerQueue", "WorkerQueue"]

CREDIT = 2
"""Batches a worker may hold, so that it never waits for the parent: one in work and one ahead
(DECISION.md 5.2)."""

LONG = 10e-3
"""Seconds from which a batch is long: its worker gets the next when it has ended, so that nothing waits
behind it while another worker is idle. The gap costs 1 % (guessed: 100 µs for each, and what is shared, which
lasts a 64th). `TRIP` is less."""

MOST_CREDIT = 32
"""Batches it may hold while they are over in microseconds: waking a process for each would cost fifty
times as much as the item (benchmarks.dispatch, processes, batches of one)."""

BRIEF = 0.5e-3
"""Seconds of work that a worker should have ahead (guessed: a few round trips)."""

AHEAD = 1.25
"""Items sent to a worker with lanes, as a multiple of those it has in flight: a quarter waits, so that none
of them does (guessed)."""

STUCK = 2.0
"""Seconds beyond a timeout in which a worker that looks after its lanes' time itself has to report something:
otherwise an item blocks its loop, or holds its GIL (guessed: what was cancelled may clean up meanwhile)."""


class Fallen(NamedTuple):
    """What a dead worker leaves.

    Attributes:
        lost: Items that were started before the last one; their results did not arrive.
        running: The item that was started last.
        unstarted: What another worker may take.
    """

    lost: list[tuple[int, Any]]
    running: list[tuple[int, Any]]
    unstarted: list[Claim]


class WorkerQueue:
    """Batches that one worker performs one after another, at some pace.

    Attributes:
        unheard: Seconds for which nobody will hear it, so that it has room for what lasts so long.
    """

    def __init__(self, worker: Worker, pace: Pace) -> None:
        self.worker = worker
        self.pace = pace
        self._claims: deque[Claim] = deque()
        self._reported: int = 0
        self._items, self._results = Load(), Load()
        self._byte_seconds = inf  # to pickle one
        self._message_size = 0
        self._credit = 1
        self._told = 0.0
        self._batch_seconds = inf
        self.unheard = 0.0

    @property
    def idle(self) -> bool:
        """Whether it has nothing in hand."""
        return not self._claims

    @property
    def room(self) -> int:
        """How many items to send it now."""
        if len(self._claims) >= max(self._credit, 1 + int(self.unheard / self._batch_seconds)):
            return 0
        size = self.pace.size
        return size if self.pace.is_fixed else min(size, self._items.most, self._results.most)

    def __lt__(self, other: WorkerQueue) -> bool:
        """Whether it has less in hand; if as much, since longer."""
        return self._burden < other._burden

    @property
    def _burden(self) -> tuple[int, int]:
        return (len(self._claims), self._claims[-1].start) if self._claims else (0, 0)

    @property
    def least(self) -> int:
        """How many to send it at least, however few are left, where each message is dear."""
        return self.room // TAIL if self.pace.aim > TRIP else 1

    def took(self, seconds: float, count: int) -> None:
        """A batch of `count` items took so many seconds in the worker."""
        self._told += seconds
        self._batch_seconds = max(seconds, 1e-6)
        self.pace.took(seconds, count)
        most = min(MOST_CREDIT, LOAD // max(1, self._message_size))
        ahead = max(CREDIT, min(int(BRIEF / self._batch_seconds), most))
        self._credit = ahead if seconds < LONG else 1

    @property
    def brisk(self) -> bool:
        """Whether its batches are over in microseconds."""
        return self._credit > CREDIT

    @property
    def held(self) -> float:
        """Seconds it has spent at batches that it has not told of here; from any thread.

        By its own account: results may lie unread for as long as who wants them does something else.
        """
        return self.worker.page.worked / 1e9 - self._told

    def left(self, timeout: float) -> float:
        """Seconds until the item it runs has taken so long; as many, if it runs none."""
        since = self.worker.page.since
        return since / 1e9 + timeout - time.monotonic() if since else timeout

    def still_overdue(self, timeout: float, job: int) -> bool:
        """Whether the item of a job that was overdue goes on, and nothing else dies with its worker."""
        return self.worker.condemn(job, lambda _started: self.left(timeout) <= 0)

    def seclude(self, index: int) -> bool:
        """Whether it can have an item without company; then it takes no other until that one is over."""
        del index  # it runs one at a time
        return True

    def cease(self, job: int) -> None:
        """Have it begin no more items of a job, and end what those before have left."""
        self.worker.page.cancelled = job
        self.worker.link.queue(Kind.CEASE, job, 0, [b""])
        with suppress(ConnectionError):  # it has ended
            self.worker.link.flush(MSG_DONTWAIT)

    def heard_of_end(self, message: Message) -> bool:
        """Whether it has nothing more to do for a job that has ceased, now that it has said this."""
        if message.kind == Kind.DONE:
            self.reported(message.start, 1)
        return message.kind == Kind.CEASED

    def sent(self, claim: Claim) -> None:
        """It got a batch."""
        self._claims.append(claim)

    def packed(self, seconds: float, size: int, count: int) -> None:
        """A message of `count` items was made in so many seconds, and took `size` bytes."""
        self._items.weighed(size, count)
        self._message_size = size
        # The least of them: of any, another thread may have had the core or the GIL meanwhile.
        self._byte_seconds = min(self._byte_seconds, seconds / size)
        if self._items.shared:
            self.pace.aim = trip(self._byte_seconds * self._items.shared)

    def answered(self, size: int, count: int) -> None:
        """A message of `count` results took `size` bytes."""
        self._results.weighed(size, count)

    def reported(self, start: int, count: int) -> Claim:
        """What came of its oldest batch has arrived; the batch."""
        del start, count
        claim = self._claims.popleft()
        self._reported += len(claim.items)
        return claim

    def refused(self, start: int) -> Claim:
        """It cannot read its oldest batch, and has started nothing of it; the batch."""
        del start
        return self._claims.popleft()

    def fallen(self, started: int) -> Fallen:
        """What it leaves, if it had started so many items of this job."""
        begun = started - self._reported
        opened: list[tuple[int, Any]] = []
        unstarted: list[Claim] = []
        for claim in self._claims:
            here = max(0, min(begun, len(claim.items)))
            begun -= here
            opened += enumerate(claim.items[:here], claim.start)
            if here < len(claim.items):
                unstarted.append(claim.after(here))
        return Fallen(opened[:-1], opened[-1:], unstarted)


class SharedWorkerQueue(WorkerQueue):
    """Items that one worker performs many at a time, one in each of its `lanes`.

    It has some more in hand, so that no lane waits for the next, where there are enough for the lanes of all
    `workers`: not of the last ones, nor where so few may be under way that others would go without.
    """

    def __init__(self, worker: Worker, lanes: int, workers: int, source: Source) -> None:
        super().__init__(worker, Pace(1))
        self._lanes = lanes
        self._all_lanes = workers * lanes
        self._source = source
        self._most = ceil(AHEAD * lanes)
        window = source.window
        if window.fixed and window.most is not None:
            self._most = max(lanes, min(self._most, window.most // workers))
        self._open: dict[int, Any] = {}
        self._secluded = -1
        self._counts: dict[int, int] = {}
        self._progress = 0, 0, 0
        self._since = 0.0

    @property
    def idle(self) -> bool:
        return not self._open

    def left(self, timeout: float) -> float:
        progress = self.worker.page.started, self._reported, self.worker.link.unfinished
        if progress != self._progress:
            self._progress, self._since = progress, time.monotonic()
        if progress[0] <= progress[1]:
            return timeout
        left = self._since + timeout + STUCK - time.monotonic()
        unread = left <= 0 and readable(self.worker.link.fileno(), 0)  # so that it may wait for us
        return timeout if unread else left

    def still_overdue(self, timeout: float, job: int) -> bool:
        del job  # its lanes would not hear that they may go on after all
        return self.left(timeout) <= 0

    @property
    def _burden(self) -> tuple[int, int]:
        return len(self._open), 0

    def seclude(self, index: int) -> bool:
        if self.idle:
            self._secluded = index
        return self.idle

    @property
    def room(self) -> int:
        if self._secluded in self._open:
            return 0
        remaining = self._source.remaining
        last = remaining is not None and remaining <= self._all_lanes
        most = self._lanes if last else self._most
        free = most + self._lanes * bool(self.unheard) - len(self._open)
        return max(0, min(free, max(1, self._lanes // 4)))

    def sent(self, claim: Claim) -> None:
        self._open.update(enumerate(claim.items, claim.start))
        self._counts[claim.start] = len(claim.items)

    def reported(self, start: int, count: int) -> Claim:
        self._reported += count
        self._counts.pop(start, None)  # of whose batch something was started is not refused
        return self._take(start, count)

    def refused(self, start: int) -> Claim:
        return self._take(start, self._counts.pop(start))

    def _take(self, start: int, count: int) -> Claim:
        return Claim(start, [self._open.pop(index) for index in range(start, start + count)])

    def fallen(self, started: int) -> Fallen:
        begun = started - self._reported
        opened = list(self._open.items())  # in the order they were sent, which is the order of starting
        return Fallen([], opened[:begun], [Claim(index, [item]) for index, item in opened[begun:]])
