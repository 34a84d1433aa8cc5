"""What the controller is told, and what it answers.

Named tuples, since attrs takes five times as long to make such classes, for which a first run waits.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, inf
from typing import NamedTuple

from ._thresholds import MOST_INSIDE, PROCESS_START

__all__ = ["Arrangement", "Limits", "LoopSight", "Prior", "Sight"]


class Sight(NamedTuple):
    """A run as it stands. All figures are totals since its start; times are seconds.

    Attributes:
        now: Time since the start.
        done: Items finished, wherever.
        remaining: Items nobody has claimed yet; None where the length is unknown.
        alone_items: Items the calling thread has finished.
        alone_wall: Time those took.
        alone_cpu: CPU and run-queue delay of the calling thread in that time.
        first_wall: Time the first of them took; 0 where that is not known.
        first_cpu: CPU of the calling thread in that time.
        held: How long the calling thread has been at its present batch; 0 where it is at none.
        held_cpu: Its CPU and run-queue delay since then.
        rough: Whether `alone_cpu` may hold some of that delay, too, as it queues for a core now, or whoever
            looks did meanwhile: what comes after this sight would seem to wait.
        in_flight: Thread lanes (or tasks) that are at an item.
        calls: Items that lanes have finished.
        call_seconds: Time those took, added up over the lanes.
        quickest: The shortest of them; 0 where there is none.
        cpu: CPU of this whole process; its clock may lag by a few milliseconds for each thread.
        lane_cpu: CPU of the calling thread and the lanes, exactly.
        others_cpu: CPU of the program's other threads: what its items do is not among it.
        errors: Errors that mean "too many at once".
        refused: Calls that raised such a one, or what may be one.
        looks: Looks that were due so far.
        late: How many of them came late, because somebody held the GIL.
        glances: How often lanes with a loop each were looked at, each of them by itself.
        inside: How often one was found inside its item, instead of waiting.
        unseen: Whether calls may change what the callable holds, and none has returned that would show it.
        starved: Whether lanes lack items although more will come: whatever gives the items is slower.
        ready: Worker processes that are up.
        outside_items: Items that workers have finished.
        outside_seconds: Time the workers spent in the callable; 0 where they have lanes inside.
        outside_held: Time they spent at batches whose results have not been read yet; 0 as above.
        outside_cpu: CPU of the workers.
        outside_queued: Time they were ready to run and found no core.
    """

    now: float
    done: int = 0
    remaining: int | None = None
    alone_items: int = 0
    alone_wall: float = 0.0
    alone_cpu: float = 0.0
    first_wall: float = 0.0
    first_cpu: float = 0.0
    held: float = 0.0
    held_cpu: float = 0.0
    rough: bool = False
    in_flight: int = 0
    calls: int = 0
    call_seconds: float = 0.0
    quickest: float = 0.0
    cpu: float = 0.0
    lane_cpu: float = 0.0
    others_cpu: float = 0.0
    errors: int = 0
    refused: int = 0
    looks: int = 0
    late: int = 0
    glances: int = 0
    inside: int = 0
    unseen: bool = False
    starved: bool = False
    ready: int = 0
    outside_items: int = 0
    outside_seconds: float = 0.0
    outside_held: float = 0.0
    outside_cpu: float = 0.0
    outside_queued: float = 0.0

    def busy(self, since: Sight) -> float:
        """Cores that lanes have used since then."""
        return (self.lane_cpu - since.lane_cpu) / (self.now - since.now)

    def used(self, since: Sight) -> float:
        """CPU seconds of this process since then, without those of other threads of the program."""
        return self.cpu - since.cpu - (self.others_cpu - since.others_cpu)

    def computed(self, since: Sight) -> float:
        """CPU seconds since then of lanes, and of threads that items have of their own, as of a library."""
        return max(self.lane_cpu - since.lane_cpu, self.used(since))

    def beside(self, since: Sight) -> float:
        """CPU seconds since then of such threads alone."""
        return self.computed(since) - (self.lane_cpu - since.lane_cpu)

    @property
    def has_others(self) -> bool:
        """Whether several items tell what those are like that need not connect or import."""
        return self.first_wall > 0 and self.alone_items >= 3  # noqa: PLR2004 - two others: one may be an exception

    @property
    def others_compute(self) -> float:
        """Share of its time that the calling thread computed in items after the first; 0 if there is none."""
        if not self.first_wall or self.alone_items <= 1:
            return 0.0
        return (self.alone_cpu - self.first_cpu) / (self.alone_wall - self.first_wall)

    @property
    def by_itself(self) -> float:
        """Seconds of an item with nothing beside it, as far as this tells; 0 where it does not."""
        if self.has_others:
            return (self.alone_wall - self.first_wall) / (self.alone_items - 1)
        if self.alone_items:
            return self.alone_wall / self.alone_items
        return max(self.quickest, self.held)  # the first call was alone when it began, and still lasts


class LoopSight(NamedTuple):
    """A loop as it stands.

    Attributes:
        run: The run. Its `calls` are the items finished, `in_flight` counts items, and `lane_cpu` is the CPU
            of the loop's thread.
        looks: How often the loop's thread was looked at.
        inside: How often it was found inside the callable, instead of waiting or switching tasks.
        stuck: Seconds it was found to stand still at one place of the callable, without computing.
        queued: Seconds that thread was ready to run and found no core.
        unclear: Seconds that tell nothing of the items: who looks wanted a core, had one or not, or threads
            that the items have brought computed, and the loop may have waited for the GIL; or the system was
            at something that only the first items need.
        alone: Whether no item was seen to wait, so that one at a time is begun.
        needs_loop: Whether one was seen to wait for what its loop brings, if only for a moment.
    """

    run: Sight
    looks: int
    inside: int
    stuck: float = 0.0
    queued: float = 0.0
    unclear: float = 0.0
    alone: bool = False
    needs_loop: bool = False

    def is_held_up(self, since: LoopSight) -> bool:
        """Whether the loop stands still, or may: nothing has come back, and it was found inside an item."""
        return self.stuck > since.stuck or (not self.run.calls and self.inside > since.inside)

    def busy(self, since: LoopSight) -> float:
        """Share of the time since then in which the loop computed, or would have if it had had a core."""
        cpu = self.run.lane_cpu - since.run.lane_cpu + self.queued - since.queued
        return cpu / max(self.run.now - since.run.now, 1e-9)

    def blocked(self, since: LoopSight) -> float:
        """Share of the time since then in which it stood still inside the callable, without computing."""
        inside = (self.inside - since.inside) / (self.looks - since.looks)
        unclear = (self.unclear - since.unclear) / max(self.run.now - since.run.now, 1e-9)
        return inside - self.busy(since) - unclear


class Arrangement(NamedTuple):
    """Who shall work, and when to look again. The engine makes it so; giving it twice changes nothing.

    Attributes:
        stage: The controller's state, for reports.
        reason: Why it is so, in a phrase.
        threads: Thread lanes beside the calling thread.
        relieved: Whether the calling thread leaves the items to others once its present one is done.
        processes: Worker processes that shall be up.
        outside: Whether items go to them.
        inside: Lanes in each of them.
        look: Seconds until the next look.
    """

    stage: str
    reason: str
    threads: int = 0
    relieved: bool = False
    processes: int = 0
    outside: bool = False
    inside: int = 1
    look: float = 2e-3


class Limits(NamedTuple):
    """What a run may use, and what its start-up costs.

    Attributes:
        cpus: Processors.
        gil: Whether one thread at a time runs Python code.
        threads: Thread lanes at most.
        processes: Worker processes at most; 0 where the callable must stay in this process.
        waiting: The same where items wait, each in the one thread that its process may make calls in.
        concurrency: Items in flight at most; None for any number.
        overlap_inside: Whether items may wait side by side inside a process: not where each blocks its loop.
        process_start: Seconds from ordering workers until they are up.
        ready_within: Tells whether each worker imports and reads what only the callable needs within so many
            seconds. It does so on a core that would have computed items.
        single: Why no process may make calls in more than one thread; empty where nothing says so.
        stays: Seconds for which coroutines that have left a loop stay away at least.
    """

    cpus: float = 1.0
    gil: bool = True
    threads: int = 256
    processes: int = 0
    waiting: int = 0
    concurrency: int | None = None
    overlap_inside: bool = True
    process_start: float = PROCESS_START
    ready_within: Callable[[float], bool] = lambda _: True
    single: str = ""
    stays: float = inf

    def share(self, in_flight: int) -> int:
        """Of so many items in flight those of each worker process, as far as they can be sent ahead."""
        return min(MOST_INSIDE, ceil(in_flight / self.processes))

    def inside(self, wanted: int) -> int:
        """Lanes to have in each worker process, where `wanted` would be best."""
        most = self.threads
        if self.concurrency is not None:
            most = min(most, self.concurrency // self.processes)
        return max(1, min(wanted, most))


class Prior(NamedTuple):
    """What an earlier run of the same callable has learnt, or an earlier part of this one.

    Attributes:
        stage: Where it ended: "waiting", "parallel", "gil", "outside"; of coroutines "loop" and "pair" too.
        lanes: Its lanes there.
        each: Seconds an item took.
        inside: Lanes in each worker process.
        reason: Why it ended there.
        worked: Seconds that an earlier part of this very run has lasted; 0 where it was another run.
        items: How many were over when that run was last looked at; 0 where that is not known.
        forgone: Seconds that worker processes would have saved that run, and those just before it, which had
            none for what those have to import; infinite where workers may have it.
    """

    stage: str
    lanes: int
    each: float
    inside: int = 1
    reason: str = "as the last run of this callable found"
    worked: float = 0.0
    items: int = 0
    forgone: float = inf

    @property
    def item(self) -> float:
        """Seconds from an item's beginning to its end, where all its lanes had one."""
        return self.each * self.lanes * self.inside
