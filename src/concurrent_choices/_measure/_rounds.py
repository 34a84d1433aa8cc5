"""One lane at work under all instruments, until enough is known or the budget is spent."""

from __future__ import annotations

import math
from contextlib import nullcontext
from typing import TYPE_CHECKING

from .._facts._shares import COMPUTES
from ._awaited_calls import AwaitedCalls
from ._calls import cut
from ._figures import Block, Totals, relative_error
from ._ledger import HOPELESS, hopeless, refusal
from ._sample import Gauge, Sample, Unfinished, native_share, worth_counting
from ._steps import Steps
from ._witness import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._facts._batch import Claim
    from ._allowance import Allowance
    from ._bench import Bench
    from ._witness import WitnessThread

__all__ = ["PRECISE", "Rounds", "block_size"]

BLOCK = 1_000_000
"""Nanoseconds of a timed block: ten times the least at which CPU time is exact (DECISION.md 2.1), and some
hundred times what timing and entering one take (measured: 6 to 13 µs, with the caches as the calls leave
them)."""

ROUND = 8_000_000
"""Nanoseconds between looks at the budget (guessed: eight looks of the witness)."""

ENOUGH = 80_000_000
"""Nanoseconds of calls after which the witness errs by 0.08 or less (40 to 80 looks)."""

PRECISE = 0.03
"""Relative error of the mean that is good enough (guessed: less than one machine differs by)."""

PATIENCE = 3
"""Times `ENOUGH` after which the mean need not be precise any more (guessed)."""

ALIKE = 2
"""Calls that wait equally long, after which the next ones will too (guessed). Of some 22 ms, a third leaves
no time for several lanes, which tell more: for a hundred requests that took 64 to 95 ms in the oracle's runs,
114 to 125 were predicted without them, 77 to 90 with them."""

FEWEST = 5
"""Blocks that tell a trend and a spread (DECISION.md 5.1)."""

MOST = 30_000
"""Items called at most: keeping the result of each takes a microsecond (so they cost 30 ms, of 250)."""

ALONE = 0.5
"""Part of the items that one lane may take: the rest is for trials of several, and for the plan (guessed)."""

SPARED = 40e-3
"""Seconds of work of which a part is spared: one lane's and two lanes' 15 ms in a trial (`_trial`)."""

GROWTH = 8
"""By how much a round may exceed all before it, while the estimate is young (guessed)."""

LOOKS = 8
"""Places of a sequence looked at in one round (guessed)."""

OTHERS = 0.3
"""CPU seconds per second, while nothing is called, from which others in the process compute (guessed)."""


class Rounds:
    """Makes calls, first one, then one more, then rounds of blocks."""

    def __init__(self, bench: Bench, witness: WitnessThread | None) -> None:
        self._bench = bench
        self._witness = witness
        self._spans: list[tuple[int, int]] = []  # from when to when calls were made
        self._gauges: list[Gauge] = []  # what was read meanwhile
        self._called = 0  # items, or being called
        # The present round: CPU time and delay of who makes its calls, that of children, the time, and how
        # many blocks there were.
        self._began = (0, 0), 0, 0
        self._known = 0

    def sample(self, allowance: Allowance) -> Sample:
        """Make calls until enough is known."""
        bench = self._bench
        before = Gauge.read(bench.clock)
        with self._witness or nullcontext():
            idle = Gauge.read(bench.clock).since(before)
            came_back = self._round(1, allowance.first(bench.clock.wall()))
            first_steps = self._steps()
            while came_back:
                deadline = allowance.after(_usual(bench.ledger.blocks))
                if not self._wants_more(deadline, allowance.alone(deadline, _beginning(bench.ledger.blocks))):
                    break
                came_back = self._round(self._next_size(deadline), deadline)
            unfinished = None if came_back else self._unfinished()
            steps = self._steps()
        blocks = bench.ledger.blocks
        # the first call may have connected: it counts only where it is all there is
        later = 1 if len(blocks) > 1 else 0
        testimony = self._witness.testify(self._spans[later:]) if self._witness else Statement()
        whole = Gauge.of(self._gauges[later:])
        return Sample(
            blocks[0] if blocks else None,
            blocks[1:],
            whole,
            native_share(whole, _of_others(idle, testimony.start) + testimony.cpu_rate),
            testimony,
            steps.since(first_steps) if later else steps,
            unfinished,
            allowance.after(_usual(blocks)),
        )

    def _round(self, size: int, deadline: int) -> bool:
        """Make calls with so many items; False when it is over."""
        bench, blocks = self._bench, self._bench.ledger.blocks
        per_block = block_size(_each(blocks)) if blocks[1:] else 1  # the first is no guide
        asked = bench.clock.wall()
        taken = bench.feed.take(size, max(per_block, math.ceil(size / LOOKS)))
        if not self._called:  # the first call is made, however long its item was waited for
            deadline += bench.clock.wall() - asked
        claims = cut(taken, per_block)
        if not claims:
            return False
        self._called += sum(len(claim.items) for claim in claims)
        self._known = len(blocks)
        watched = bench.clock.watch(bench.hand.thread)
        self._began = watched, bench.clock.children_cpu(), bench.clock.wall()
        return bench.do(lambda: self._work(claims), claims, deadline)

    def _work(self, claims: Sequence[Claim]) -> None:
        clock = self._bench.clock
        before, start = Gauge.read(clock), clock.wall()
        self._bench.calls.round(claims, self._bench.ledger)
        self._spans.append((start, clock.wall()))
        self._gauges.append(Gauge.read(clock).since(before))

    def _next_size(self, deadline: int) -> int:
        bench, blocks = self._bench, self._bench.ledger.blocks
        each = max(1e-9, _each(blocks))
        fitting = min(ROUND / 1e9 / each, bench.left(deadline) / (each + bench.feed.pace.seconds))
        growth = GROWTH * self._called if len(blocks) >= HOPELESS else 1
        size = min(fitting, growth, self._most() - self._called)
        return max(1, int(size))

    def _most(self) -> int:
        """Items called at most: not all there are, unless all of them are less than a trial's worth."""
        count, blocks = self._bench.feed.count, self._bench.ledger.blocks
        if count is None or not blocks:
            return MOST
        return min(MOST, max(FEWEST, int(count * ALONE))) if count * _each(blocks) > SPARED else MOST

    def _wants_more(self, deadline: int, enough: int) -> bool:
        bench, blocks = self._bench, self._bench.ledger.blocks[1:]
        if self._called >= self._most() or bench.clock.wall() >= deadline or self._hopeless():
            return False
        if len(blocks) > 1 and bench.clock.wall() >= enough:
            return False
        spent = sum(block.wall for block in blocks)
        if blocks and spent / len(blocks) > deadline - bench.clock.wall():
            return False  # the next one would not come back in time
        if len(blocks) < FEWEST or spent < ENOUGH:
            return not _wait_alike(blocks)
        return spent < PATIENCE * ENOUGH and relative_error(worth_counting(blocks)) > PRECISE

    def _hopeless(self) -> bool:
        runs = self._bench.ledger.runs
        wrong = refusal(runs)
        if wrong is not None:
            self._bench.missing.append(f"wall: it refuses to be called in another thread ({wrong})")
        return hopeless(runs)

    def _steps(self) -> Steps:
        bench, calls = self._bench, self._bench.calls
        return calls.meter.sums_now(bench.hand.thread) if isinstance(calls, AwaitedCalls) else Steps()

    def _unfinished(self) -> Unfinished | None:
        """What is known of a call that did not come back; None where there is none, but no more items."""
        bench = self._bench
        if not bench.in_flight:
            return None
        (cpu, queued), children, start = self._began
        cpu_now, queued_now = bench.clock.watch(bench.hand.thread)
        children_now = bench.clock.watch_children(bench.hand.thread)
        now = bench.clock.wall()
        self._spans.append((start, now))
        blocks = bench.ledger.blocks
        done = Totals.of(blocks[self._known :])  # by the same round, before
        seconds = (now - start) / 1e9 - done.wall
        what = _named(bench.in_flight[0].claim) if blocks else "the first call"
        bench.missing.append(f"wall: {what} had not come back after {seconds:.3g} s; that is a lower bound")
        return Unfinished(
            seconds,
            max(0.0, (cpu_now - cpu) / 1e9 - done.cpu),
            max(0.0, (queued_now - queued) / 1e9 - done.queued),
            max(0, children_now - children) / 1e9,
        )


def _of_others(idle: Gauge, start: int) -> float:
    """CPU seconds per second that others than the witness, which takes `start` to begin, take meanwhile.

    Nothing is called then. On a slow core its start takes 0.3 to 0.4, and as much was taken to go on while
    matrices were multiplied: their native threads were no more than that, 9 times of 24 (measured).
    """
    busy = (idle.process - idle.cpu - start) / idle.wall if idle.wall > 0 else 0.0
    return busy if busy > OTHERS else 0.0


def _named(claim: Claim) -> str:
    last = claim.start + len(claim.items) - 1
    return f"item {last}" if last == claim.start else f"one of items {claim.start} to {last}"


def _usual(blocks: Sequence[Block]) -> int:
    """What a call takes, ns: of the first alone one cannot tell what it spent on beginnings."""
    if not blocks:
        return 0
    first, later = blocks[0].wall, Totals.of(blocks[1:])
    return min(first, int(later.wall / later.calls * 1e9)) if later.calls else first


def _beginning(blocks: Sequence[Block]) -> int:
    """What the first call took beyond what a call takes, ns."""
    return max(0, blocks[0].wall - _usual(blocks)) if blocks else 0


def _wait_alike(blocks: Sequence[Block]) -> bool:
    """Whether a few calls tell as much as many: they wait, equally long."""
    totals = Totals.of(blocks)
    computing = totals.cpu + totals.queued
    enough = len(blocks) >= ALIKE and totals.wall * 1e9 >= ENOUGH / 2
    return enough and computing < (1.0 - COMPUTES) * totals.wall and relative_error(blocks) <= PRECISE


def block_size(each: float) -> int:
    """How many calls, of `each` so many seconds, make a block that is long enough to be timed well."""
    return math.ceil(BLOCK / max(1.0, each * 1e9))


def _each(blocks: Sequence[Block]) -> float:
    """Seconds of a call; the first one tells only where it is all there is."""
    totals = Totals.of(worth_counting(blocks[1:] or blocks))
    return totals.wall / totals.calls
