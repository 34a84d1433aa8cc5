"""What the executor knows of one callable."""

from __future__ import annotations

from itertools import count

from ..._runtime._mutex import Mutex
from ._figures import Figures
from ._looks import Looks
from ._placing import HOLDS, Place, place, worth_moving
from ._ramp import Ramp

__all__ = ["EXAMINED", "FULL", "Account"]

NEW = 8
"""Calls that are all measured in full (DECISION.md 5.3: the first 8)."""

FULL = 400e-6
"""Seconds from which every call is measured in full: reading the clocks costs 4 µs, 1 % of it."""

EXAMINED = 2
"""Calls that must have left unchanged what they could change, before any is moved (guessed)."""

WAITING = 32
"""Calls at once that are allowed to what waits, before more are tried (DECISION.md 0.10)."""

CHANGED = 4.0
"""Factor by which computing must have changed for another look at a callable (guessed)."""

REVIEWED, GROWN = 32, 4
"""Measured calls at most, and as a part of those before, from one review to the next (guessed)."""

ASKED_FOR = 'place="process" was asked for'

_numbers = count(1)


class Account:
    """What is known of one callable, and how many of its calls run.

    Args:
        identity: What it is recognised by, which lives as long as this.
        start: How many may run at once at first.
        most: How many at most.
        processes: How many worker processes there may be, each of which makes one call at a time.
        ceiling: The caller's own limit, or None.
        cpus: Processors.

    Attributes:
        number: What workers know it by.
        running: Calls in threads now; the dispatch counts them.
        away: Calls in worker processes now; the process pool counts them.
        imported: Digest of what it holds, where a worker imports it; else empty.
        pinned: Whether its calls go to processes whatever is learnt.
        figures: What was measured.
        tasks: Tasks that were made, each of one call or many.
        calls: Calls of the user's callable in them.
        errors: Tasks that raised.
        review_at: How many calls must have been measured for the next review.
        marks: Of what its arguments use of modules, where it may call them, as `Imported` has them.
        digest: Of what is the same for all its calls, as they were examined; empty where nothing is.
        looks: When to look at what it holds.
        moving: Whether a worker is asked about it, before its calls go there.
        place: Where its calls go now.
        placement: Where they belong, by what was measured.
        candidate: Whether the next call is examined.
        fully: Whether each call is measured in full.
        ramp: Finds out how many may run at once, where `placement` names no limit.
        limit: How many may run at once now.
    """

    def __init__(  # noqa: PLR0913 - made in one place, each by name
        self,
        name: str,
        identity: object,
        *,
        start: int,
        most: int,
        processes: int,
        ceiling: int | None,
        cpus: float,
    ) -> None:
        self.name = name
        self.identity = identity
        self.number = next(_numbers)
        self.running = self.away = 0
        self.imported = b""
        self.pinned = False
        self._processes = processes
        self._lock = Mutex()  # its calls end in any thread, and without the GIL two would count one
        self.figures = Figures()
        self.tasks = self.calls = self.errors = 0
        self.review_at = 2
        self._weighed: list[float] = []  # what each examined call's pickling costs
        self.marks: dict[tuple[str, str], int] = {}
        self.digest = b""
        self.looks = Looks()
        self.moving = False
        self._waits_for = ""  # why there are no worker processes to move to
        self.place: Place = "thread"
        self.placement = place(self.figures, cpus=cpus)
        self.candidate = False
        self.fully = True
        self._cpus = cpus
        self._ceiling = ceiling
        self.ramp = Ramp(start, most)
        self.limit = self._bounded(self.ramp.limit)
        self._relief = 0
        self._basis = 0.0

    @property
    def below_ceiling(self) -> bool:
        """Whether the caller's own limit allows one more call, in threads and processes together."""
        return self._ceiling is None or self.running + self.away < self._ceiling

    @property
    def at_once(self) -> int:
        """How many may run at once, for people: its limit may be more than there are processes.

        It is what fills the processors with calls that wait a little, or what calls may that cannot travel.
        """
        return min(self.limit, self._processes) if self.place == "process" else self.limit

    @property
    def why(self) -> str:
        """The reason for its place."""
        return self.figures.obstacle or self._waits_for or (ASKED_FOR if self.pinned else self.placement.why)

    @property
    def ready_to_move(self) -> bool:
        """Whether it belongs to processes, and all is known that must be."""
        return self.placement.place == "process" and self.place == "thread" and not self.moving

    def take_note(self) -> None:
        """Decide how closely the next calls are watched: that is asked at every call, so it is kept."""
        known = self.figures
        worth = not known.is_new and worth_moving(known)
        outside = known.gil is not None and known.gil < HOLDS
        at_home = self.place == "thread" and not (known.obstacle or self.moving)
        self.candidate = worth and at_home and not outside and known.payload is None
        self.fully = known.measured < NEW or known.wall >= FULL

    def counted(self, calls: int) -> None:
        """A task of so many calls is made."""
        with self._lock:
            self.tasks += 1
            self.calls += calls

    def failed(self) -> None:
        """A task has raised."""
        with self._lock:
            self.errors += 1

    def learn(self, wall: float, cpu: float, queued: float) -> None:
        """A call was measured in full, in a thread; seconds."""
        with self._lock:
            self.figures.learn(wall, cpu, queued, self.running)
        self.take_note()

    def learn_remote(self, wall: float, cpu: float, queued: float) -> None:
        """A call was measured in a worker process; seconds."""
        with self._lock:
            self.figures.learn_remote(wall, cpu, queued)
        self.take_note()

    def weigh(self, cost: float) -> None:
        """A call was examined: what it takes and gives costs so many seconds of pickling.

        The least of them counts, and none before the last: who pickles first may have to import what pickles.
        """
        self._weighed.append(cost)
        if len(self._weighed) >= EXAMINED:
            self.figures.payload = min(self._weighed)
        self.take_note()

    def bar(self, reason: str) -> None:
        """Keep it in this process from now on."""
        if self.pinned:  # this call only stays: the next is tried again
            self.figures.obstacle = f"seen of some calls: {reason}"
            return
        self.figures.obstacle = self.figures.obstacle or reason
        self.moving = False
        self.place = "thread"
        self.review()

    def put_off(self, reason: str) -> None:
        """Keep it in this process until there may be worker processes again."""
        if self.pinned:
            self.bar(reason)
            return
        self._waits_for = reason
        self.moving = False
        self.place = "thread"
        self.review()

    def pin(self) -> None:
        """Send its calls to processes, whatever is learnt."""
        self.pinned = True
        self.place = "process"
        self.limit = self._bounded(self.ramp.most)

    def move(self) -> None:
        """Its calls go to processes from now on."""
        self.moving = False
        self._waits_for = ""
        self.place = "process"
        self.review_at = self.figures.measured + 2  # the first trip is no evidence, the second is
        self.take_note()

    def review(self) -> None:
        """Decide again where it belongs and how many may run at once."""
        self.review_at = self.figures.measured + max(1, min(REVIEWED, self.figures.measured // GROWN))
        self._doubt()
        self.placement = place(self.figures, cpus=self._cpus)
        if self.placement.kind in {"waiting", "mixed"}:
            self.ramp.at_least(WAITING)
        if self.pinned:
            return
        if self.place == "process" and self.placement.place == "thread":
            self.place = "thread"
        self.refresh_limit()
        self.take_note()

    def told(self, gil: float) -> None:
        """The share of its computing that holds the GIL has been found."""
        self.figures.gil = gil
        self._basis = self.figures.cpu
        self.review()

    def stuck(self) -> None:
        """All its calls stand still while others wait: let more run at once."""
        if self.placement.limit is None:
            self.ramp.stuck()
        else:
            self._relief = min(self.ramp.most, 2 * max(1, self.limit))
        self.refresh_limit()

    def _doubt(self) -> None:
        """Forget what was found out about calls of another size."""
        if self._basis and not 1 / CHANGED < self.figures.cpu / self._basis < CHANGED:
            self._basis = self.figures.cpu
            self.figures.alone = None
            if self.place == "thread":
                self.figures.gil = None

    def refresh_limit(self) -> None:
        """Take over what the ramp or the placement allows."""
        allowed = self.ramp.limit if self.placement.limit is None else self.placement.limit
        self.limit = self._bounded(max(allowed, self._relief))

    def _bounded(self, limit: int) -> int:
        return limit if self._ceiling is None else min(limit, self._ceiling)
