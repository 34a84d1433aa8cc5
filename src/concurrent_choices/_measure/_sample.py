"""One lane's work as the instruments saw it, before anybody says what it means."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ._figures import Block, Totals
from ._steps import Steps
from ._witness import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._facts._clock import Clock

__all__ = ["SHORT", "Gauge", "Sample", "Unfinished", "native_share", "worth_counting"]

SHORT = 100_000
"""Nanoseconds below which a single call is timed badly: CPU reads 0.77 of the truth at 2.5 µs, 0.97
at 18 µs, 0.997 at 180 µs (DECISION.md 2.1)."""

WAITING = 0.5
"""Share of the wall time spent blocked, from which many lanes are tried too (DECISION.md 5.1)."""

_NATIVE = 0.1
"""CPU of other threads over the caller's that is more than the account's own noise (guessed)."""


class Gauge(NamedTuple):
    """Readings of a whole round, or sums of their differences; times in nanoseconds.

    Attributes:
        wall: The wall clock.
        cpu: CPU time of the thread that makes the calls.
        process: That of this process.
        children: That of child processes which have ended.
        switches: How often the thread went to sleep of its own accord.
        blocks: Blocks that it moved to and from disks.
        fresh: Bytes of memory that it was the first to touch.
    """

    wall: int = 0
    cpu: int = 0
    process: int = 0
    children: int = 0
    switches: int = 0
    blocks: int = 0
    fresh: int = 0

    @classmethod
    def read(cls, clock: Clock) -> Gauge:
        """Read a clock, in the thread that makes the calls."""
        return cls(
            clock.wall(),
            clock.thread_cpu(),
            clock.process_cpu(),
            clock.children_cpu(),
            clock.blocking_calls(),
            clock.disk_blocks(),
            clock.fresh_memory(),
        )

    def since(self, before: Gauge) -> Gauge:
        """What has passed since."""
        return Gauge(*(now - then for now, then in zip(self, before, strict=True)))

    @classmethod
    def of(cls, rounds: Sequence[Gauge]) -> Gauge:
        """The sums over rounds."""
        return cls(*map(sum, zip(*rounds, strict=True)))


class Unfinished(NamedTuple):
    """A call nobody waited for any longer: its times so far, seconds.

    What `children` have computed is that of all calls of its round.
    """

    wall: float
    cpu: float
    queued: float
    children: float = 0.0


class Sample(NamedTuple):
    """What the instruments showed of one lane.

    Attributes:
        first: The first call; None where it did not come back.
        blocks: The timed blocks after that.
        whole: All rounds but the first, if there were others.
        native: CPU seconds of native threads per CPU second of the calls' own.
        testimony: What the witness says of those rounds.
        steps: What coroutines did on their loop.
        unfinished: A call that did not come back.
        deadline: Until when trials may follow, ns of wall time.
    """

    first: Block | None = None
    blocks: Sequence[Block] = ()
    whole: Gauge = Gauge()
    native: float = 0.0
    testimony: Statement = Statement()
    steps: Steps = Steps()
    unfinished: Unfinished | None = None
    deadline: int = 0

    @property
    def counted(self) -> Sequence[Block]:
        """The blocks that were timed well."""
        return worth_counting(self.blocks)

    @property
    def alone(self) -> Totals:
        """What the one lane took, by those."""
        return Totals.of(self.counted)

    @property
    def each(self) -> float:
        """Seconds of a call, by those."""
        alone = self.alone
        return alone.wall / max(1, alone.calls)

    @property
    def waits(self) -> bool:
        """Whether calls mostly wait, for something else than child processes that compute."""
        alone = self.alone
        waited = alone.wall - alone.cpu - alone.queued - self.children * alone.calls
        return waited > WAITING * alone.wall

    @property
    def connecting(self) -> float:
        """Seconds that the first of calls that wait waited longer: to connect, it may be."""
        if self.first is None or not self.waits:
            return 0.0
        alone, first = self.alone, Totals.of([self.first])
        usual = (alone.wall - alone.cpu - alone.queued) / alone.calls
        return max(0.0, first.wall - first.cpu - first.queued - usual)

    @property
    def longest(self) -> float:
        """Nanoseconds of a call in the slowest block, of all blocks."""
        return max(block.wall / block.calls for block in self.blocks)

    @property
    def calls(self) -> int:
        """How many calls the blocks are of; at least one, as `whole` may be that of the first call alone."""
        return max(1, sum(block.calls for block in self.blocks))

    @property
    def children(self) -> float:
        """Seconds that child processes computed for a call."""
        more = self.unfinished.children if self.unfinished else 0.0
        return (self.whole.children / 1e9 + more) / self.calls


def worth_counting(blocks: Sequence[Block]) -> Sequence[Block]:
    """The blocks that were timed well.

    Where calls turned out to be short and were timed in larger blocks, the single ones at the
    beginning are left out: they would add the cost of reading the clocks.
    """
    singles = [block for block in blocks if block.calls == 1]
    larger = [block for block in blocks if block.calls > 1]
    if larger and singles and sum(each.wall for each in singles) / len(singles) < SHORT:
        return larger
    return blocks


def native_share(whole: Gauge, idle: float) -> float:
    """CPU of native threads, per second of the caller's; 0.0 where it may be noise.

    The rest of the process takes `idle` CPU seconds a second anyway.
    """
    if whole.cpu <= 0:
        return 0.0
    others = (whole.process - whole.cpu - idle * whole.wall) / 1e9
    ratio = others / (whole.cpu / 1e9)
    # Beside a callable that only waits, any trifle is a large multiple of its CPU time.
    return ratio if ratio > _NATIVE and others > _NATIVE * whole.wall / 1e9 else 0.0
