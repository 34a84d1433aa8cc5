"""What was measured of a callable: the figures the cost model reads.

Times are seconds per item unless a field says otherwise. A figure nobody could measure keeps its
default and is named in ``missing``.
"""

from __future__ import annotations

from attrs import frozen

from ._json import Jsonable

__all__ = ["TIMES", "Payload", "Profile"]

TIMES = ("wall", "cpu", "gil", "queued", "children", "loop_held", "loop_cpu", "in_threads", "longest_wait")
"""Fields of a profile that are as much longer as its calls are."""


@frozen(kw_only=True)
class Payload(Jsonable):
    """What a trip to another process and back costs.

    Attributes:
        item_bytes: Pickled size of one item.
        result_bytes: Pickled size of one result.
        item_seconds: Seconds to pickle and unpickle one item.
        result_seconds: Seconds to pickle and unpickle one result.
        obstacle: Why it cannot travel, in a phrase a user understands; empty where it can.
        shared_modules: Modules that one process imports for all workers before they can load the callable.
        own_modules: Modules that each worker imports for it.
        load_seconds: Seconds a fresh worker took to load the callable; or takes at least, where pickling
            did not end. None where none was started.
    """

    item_bytes: float = 0.0
    result_bytes: float = 0.0
    item_seconds: float = 0.0
    result_seconds: float = 0.0
    obstacle: str = ""
    shared_modules: int = 0
    own_modules: int = 0
    load_seconds: float | None = None


@frozen(kw_only=True)
class Profile(Jsonable):
    """A callable's behaviour on a sample of real items.

    Times are in seconds; they and what is counted are for each item, unless a field says otherwise.

    Attributes:
        calls: Calls that were measured (the first one apart).
        items: Items there are in all; None where unknown.
        wall: Mean wall time.
        wall_sd: Standard deviation of the wall time.
        cpu: CPU time of the calling thread.
        queued: Time spent runnable without a core (run-queue delay).
        gil: CPU time spent holding the GIL.
        gil_se: Standard error of ``gil / wall``: of the share, not of the seconds.
        first_excess: How much longer the first call took than the mean of the rest, at least 0.
        lane_excess: How much longer the first call in a thread, or of coroutines in flight, took than others
            there.
        trend: Relative change of the wall time over the whole input (0.5: the last items take half
            as long again).
        native: CPU spent by native threads inside the callable, per second of its own CPU.
        children: CPU of child processes it waited for.
        blocking_calls: Voluntary context switches.
        disk_blocks: Blocks read or written.
        pair_parallelism: (CPU + run-queue delay) over the wall time of two threads at work; None where not
            tried.
        pair_inflation: CPU per item with two threads over with one; None where not tried, or in doubt.
        pair_resident: The same at the same moment for hashing data that fits a cache: how much two lanes slow
            each other down whatever they do. None where `pair_inflation` left no doubt.
        pair_speedup: Throughput of two lanes over that of one; None where not tried.
        pair_se: Its relative standard error, from how much calls differ from one another.
        is_async: Whether it is a coroutine function.
        steps: How often a coroutine gave the loop back.
        loop_held: Wall time a coroutine held its loop.
        loop_cpu: CPU time within that.
        loop_queued: Run-queue delay within that; None to use all of `queued`.
        longest_wait: The longest time that a coroutine waited between two steps; 0 where unknown.
        in_threads: Time a coroutine waited for threads of its loop, as `asyncio.to_thread` does.
        blocks_at: "FILE:LINE" of what holds the loop longest; empty where nothing does.
        payload: What sending items and results to another process costs.
        errors: Share of calls that raised.
        congestion: Share of calls that raised what an overloaded resource raises (429, timeouts,
            "locked").
        refused: The share that those surely exceed, in trials or one at a time: a few of a sample may have
            reasons of their own. Or the share of a trial's lanes that were turned away at once, twice alike.
            None where that is not known, so that `congestion` counts.
        missing: Figures that could not be measured, each as "field: reason".
        wall_max: The longest call seen; 0 where unknown.
        wall_at_least: Whether no call returned in time; then `wall` is how long the first one had lasted, and
            every prediction is a lower bound.
        ramp: Pairs of a number of lanes and their throughput over that of one lane, from trials
            with more than two lanes; empty where not tried.
        ramp_inflation: CPU per item in the last of those trials over that of one lane; for coroutines, in the
            trial of two lanes if there was no wider one; None where not tried.
        process_speedup: Throughput of two worker processes over that of one; None where not tried.
        binding: Why it must be called in its caller's own thread, or coroutines on one loop; empty where
            nothing indicates that.
        cpus: CPUs of the machine it was measured on; None for those of the machine asked about.
        by_size: Share of the variance of wall times that the sizes of items account for, where those of all
            items have told how long all calls will take: then times, their deviation and the longest one are
            of all items. 0 where they are of the sample.
        source: Time that the iterable takes to give an item. That is in no other time.
        result_memory: Bytes that keeping a result takes, if it is a small one: it, and its place in the list.
            Without what calls got anew in the sample: that is in their times.
    """

    calls: int = 0
    items: int | None = None
    wall: float = 0.0
    wall_sd: float = 0.0
    cpu: float = 0.0
    queued: float = 0.0
    gil: float = 0.0
    gil_se: float = 0.07
    first_excess: float = 0.0
    lane_excess: float = 0.0
    trend: float = 0.0
    native: float = 0.0
    children: float = 0.0
    blocking_calls: float = 0.0
    disk_blocks: float = 0.0
    pair_parallelism: float | None = None
    pair_inflation: float | None = None
    pair_resident: float | None = None
    pair_speedup: float | None = None
    pair_se: float = 0.0
    is_async: bool = False
    steps: float = 0.0
    loop_held: float = 0.0
    loop_cpu: float = 0.0
    loop_queued: float | None = None
    longest_wait: float = 0.0
    in_threads: float = 0.0
    blocks_at: str = ""
    payload: Payload = Payload()
    errors: float = 0.0
    congestion: float = 0.0
    refused: float | None = None
    missing: tuple[str, ...] = ()
    wall_max: float = 0.0
    wall_at_least: bool = False
    ramp: tuple[tuple[int, float], ...] = ()
    ramp_inflation: float | None = None
    process_speedup: float | None = None
    binding: str = ""
    cpus: float | None = None
    by_size: float = 0.0
    source: float = 0.0
    result_memory: float = 0.0

    @property
    def queued_on_loop(self) -> float:
        """Time a coroutine held its loop without a core, seconds: a thread queues between steps too."""
        return self.queued if self.loop_queued is None else self.loop_queued

    @property
    def blocked(self) -> float:
        """Wall time in which it neither computed nor waited for a core, seconds."""
        return max(0.0, self.wall - self.cpu - self.queued)

    @property
    def failed(self) -> bool:
        """Whether every call raised, so that nothing is known of calls that do their work."""
        return self.errors == 1.0
