"""Arithmetic on measured times: means, spreads, trends, trials. No clock, no thread."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "PAIR",
    "SURE",
    "Block",
    "Lane",
    "Line",
    "Totals",
    "Trial",
    "beside_others",
    "compare",
    "line",
    "relative_error",
    "spread",
    "trend",
    "variation",
]

PAIR = 2
"""Lanes of the trial that tells whether they help each other at all."""

SURE = 2.0
"""Standard errors that make a difference (the usual 95 %)."""

_HANDING = 20e-6
"""CPU seconds for each time that a lane slept, up to which what it computed beyond one alone was the handing
over of the GIL, caches that had cooled meanwhile included (measured: 7 to 17 µs, 36 with rows of SQLite)."""

_LOST = 0.2
"""`Trial.handing` and `Trial.behind` from which they are no noise (guessed; measured: 0.3 to 2.5 where calls
let go of the GIL for moments, 0.03 where they do not)."""

_FEWEST_FOR_TREND = 5  # DECISION.md 5.1: fewer points show no trend


class Block(NamedTuple):
    """A timed run of consecutive calls, in nanoseconds over all of them.

    Attributes:
        start: The place of its first item.
        calls: How many there were.
        wall: Time.
        cpu: CPU time of the thread that made them.
        queued: Time for which that thread was ready to run and had no core.
        sleeps: How often it went to sleep; of lanes in a trial only.
        behind: The part of `queued` that was spent behind another lane, while the next core stood idle.
    """

    start: int
    calls: int
    wall: int
    cpu: int
    queued: int
    sleeps: int = 0
    behind: int = 0

    def plus(self, more: Block) -> Block:
        """This one and the next as one."""
        return Block(self.start, *(one + other for one, other in zip(self[1:], more[1:], strict=True)))


class Lane(NamedTuple):
    """What a lane of a trial did.

    Attributes:
        first: Its first call, or calls.
        rest: Those after that.
        apart: Whether enough followed for these to speak for themselves.
    """

    first: Block
    rest: Block
    apart: bool

    @property
    def block(self) -> Block:
        """Its totals, without the first where that is apart: a thread may connect in it, or touch memory."""
        return self.rest if self.apart else self.first.plus(self.rest)

    @property
    def late(self) -> float:
        """Seconds that the first call took longer than one after it."""
        return (self.first.wall / self.first.calls - self.rest.wall / self.rest.calls) / 1e9


class Totals(NamedTuple):
    """Sums over blocks, seconds."""

    calls: int
    wall: float
    cpu: float
    queued: float
    sleeps: int = 0
    behind: float = 0.0

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Totals:
        """Add up blocks."""
        return cls(
            sum(block.calls for block in blocks),
            sum(block.wall for block in blocks) / 1e9,
            sum(block.cpu for block in blocks) / 1e9,
            sum(block.queued for block in blocks) / 1e9,
            sum(block.sleeps for block in blocks),
            sum(block.behind for block in blocks) / 1e9,
        )


class Trial(NamedTuple):
    """What lanes did together, beside one alone.

    Attributes:
        lanes: How many there were.
        parallelism: (CPU + run-queue delay) over the mean wall time of a lane.
        inflation: CPU time of a call over that of a call alone; None where there was none to speak
            of.
        speedup: Throughput over that of one lane, both as if no neighbour had ever taken a core.
        resident: The inflation of hashing what fits a cache, at the same moment; None where not tried.
        handing: CPU time that lanes took to hand over the GIL, over that of as many calls alone. It is in no
            other figure.
        behind: Time that lanes queued behind one another, over the same.
        error: The relative standard error of the speed-up where calls differ from one another by chance.
        late: Seconds that the first call of a lane took longer than others.
    """

    lanes: int
    parallelism: float
    inflation: float | None
    speedup: float
    resident: float | None = None
    handing: float = 0.0
    behind: float = 0.0
    error: float = 0.0
    late: float = 0.0

    @property
    def hands_over(self) -> bool:
        """Whether lanes let go of the GIL more often than a witness can see."""
        return self.handing >= _LOST

    @property
    def shares_a_core(self) -> bool:
        """Whether lanes stood in each other's way, which tells nothing of how they get on without."""
        return self.behind >= _LOST


class Line(NamedTuple):
    """A line through the times of calls.

    Attributes:
        slope: How steep it is.
        error: The standard error of that; infinite where all are at one place.
        middle: The mean of the places.
        mean: The mean of the times, ns.
        share: The share of the variance of the times that it accounts for.
    """

    slope: float
    error: float
    middle: float
    mean: float
    share: float

    def at(self, place: float) -> float:
        """The time at a place, ns."""
        return self.mean + self.slope * (place - self.middle)


def spread(blocks: Sequence[Block]) -> float:
    """The standard deviation of the wall time of one call, seconds.

    Blocks of k calls vary as much as the mean of k calls does, so each is weighed with its k: an
    unbiased estimate if calls are independent; 0.0 from fewer than two blocks.
    """
    if len(blocks) < 2:  # noqa: PLR2004 - one value has no spread
        return 0.0
    totals = Totals.of(blocks)
    mean = totals.wall / totals.calls
    squares = sum(block.calls * (block.wall / 1e9 / block.calls - mean) ** 2 for block in blocks)
    return math.sqrt(squares / (len(blocks) - 1))


def variation(blocks: Sequence[Block]) -> float:
    """The standard deviation of the wall time of one call, over its mean; 0.0 as for spread."""
    totals = Totals.of(blocks)
    return spread(blocks) / (totals.wall / totals.calls) if totals.wall > 0 else 0.0


def relative_error(blocks: Sequence[Block]) -> float:
    """The standard error of the mean wall time, over that mean; infinite where nobody can tell."""
    totals = Totals.of(blocks)
    if len(blocks) < 2 or totals.wall <= 0:  # noqa: PLR2004 - as in spread
        return math.inf
    return variation(blocks) / math.sqrt(totals.calls)


def trend(blocks: Sequence[Block], items: int | None) -> float:
    """How much the wall time changes from the first item to the last, over its mean.

    The slope of a least-squares line through the blocks, weighed with their calls; 0.0 where it is
    less than two standard errors from none, or the number of items is unknown.
    """
    if not items or len(blocks) < _FEWEST_FOR_TREND:
        return 0.0
    found = line(blocks, [(block.start + block.calls / 2) / items for block in blocks])
    if found.mean <= 0 or abs(found.slope) < SURE * found.error:
        return 0.0
    return found.slope / found.mean


def compare(lanes: Sequence[Block], alone: Totals, *, crowded: bool, differing: float = 0.0) -> Trial | None:
    """What the lanes' times say, beside those of one lane alone; None if fewer than two did anything.

    Args:
        lanes: The totals of each lane.
        alone: Those of one lane alone.
        crowded: Whether it is the callable's own threads that take the cores, and no neighbour.
        differing: The standard deviation of calls alone, over their mean.
    """
    together = [Totals.of([lane]) for lane in lanes if lane.calls]
    if len(together) < 2 or not alone.calls:  # noqa: PLR2004 - one is not together
        return None
    calls, wall = sum(lane.calls for lane in together), sum(_wall(lane) for lane in together)
    cpu, due = sum(lane.cpu for lane in together), calls * alone.cpu / alone.calls
    handing = min(max(0.0, cpu - due), _HANDING * sum(lane.sleeps for lane in together))
    needed = _wall if crowded else _served
    latency = sum(needed(lane) for lane in together) / calls
    return Trial(
        len(together),
        len(together) * (cpu - handing + sum(lane.queued for lane in together)) / wall,
        (cpu - handing) / due if due > 0 else None,
        len(together) * needed(alone) / alone.calls / latency,
        handing=handing / due if due > 0 else 0.0,
        behind=sum(lane.behind for lane in together) / due if due > 0 else 0.0,
        error=differing * math.sqrt(1.0 / calls + 1.0 / alone.calls),
    )


def beside_others(lanes: Sequence[Block], others: int) -> list[Block]:
    """Lanes with what they queued behind one another: all that others did not compute meanwhile.

    Threads that wake one another again and again stay on one core, though the next one stands idle.

    `others` is what others than this process computed on the machine's cores, ns.
    """
    queued = sum(lane.queued for lane in lanes)
    part = max(0.0, 1.0 - max(0, others) / queued) if queued else 0.0
    return [lane._replace(behind=int(part * lane.queued)) for lane in lanes]


def _wall(totals: Totals) -> float:
    return max(totals.wall, 1e-9)


def _served(totals: Totals) -> float:
    """The wall time without what was spent waiting for a core, seconds."""
    return max(totals.wall - totals.queued, totals.cpu, 1e-9)


def line(blocks: Sequence[Block], places: Sequence[float]) -> Line:
    """The least-squares line through blocks at places, three at least, each weighed with its calls."""
    placed = zip(blocks, places, strict=True)
    points = [(float(block.calls), place, block.wall / block.calls) for block, place in placed]
    total = math.fsum(w for w, _, _ in points)
    middle = math.fsum(w * x for w, x, _ in points) / total
    mean = math.fsum(w * y for w, _, y in points) / total
    width = math.fsum(w * (x - middle) ** 2 for w, x, _ in points)
    if width <= 0:
        return Line(0.0, math.inf, middle, mean, 0.0)
    slope = math.fsum(w * (x - middle) * (y - mean) for w, x, y in points) / width
    rest = math.fsum(w * (y - mean - slope * (x - middle)) ** 2 for w, x, y in points)
    explained = slope**2 * width
    share = explained / (explained + rest) if explained else 0.0
    return Line(slope, math.sqrt(rest / (len(points) - 2) / width), middle, mean, share)
