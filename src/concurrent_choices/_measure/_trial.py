"""Lanes at work together: the direct answer to "do threads help here?".

Two threads call with real items at the same time. If both could compute or wait as one alone does,
the GIL is free; if each made half the way, they shared the GIL, or a lock (DECISION.md 2.2,
experiments 2 and 16).
"""

from __future__ import annotations

import math
from collections import deque
from functools import partial
from typing import TYPE_CHECKING

from ._calls import AwaitedCalls, cut
from ._evidence import worth_counting
from ._figures import Totals, compare
from ._hand import DaemonHand, OwnHand
from ._rounds import block_size
from ._switching import quick_switching

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .._facts._batch import Claim
    from ._bench import Bench
    from ._calls import PlainCalls
    from ._figures import Block, Trial
    from ._rounds import Sample

__all__ = ["try_lanes"]

PAIR = 2

TRIAL = (15e-3, 20e-3)
"""Seconds that a lane works in a trial: three switch intervals, at most 20 ms unless a call takes
longer (DECISION.md 5.3)."""

TWICE = 2
"""Calls a lane makes at least: of one alone, half is the wait for the GIL at the beginning."""

TURN = 1e-3
"""Switch interval of a trial: at the usual 5 ms, a trial of 15 ms is over before turns even out
(measured: 1.3 for what is 1.0)."""

WAITING = 0.5
"""Share of the wall time spent blocked, from which four lanes are tried too (DECISION.md 5.1)."""


def try_lanes(bench: Bench, sample: Sample, deadline: int) -> list[Trial]:
    """Two lanes together, and four where calls mostly wait, as far as items and budget allow.

    Args:
        bench: What the calls are made with; `missing` is told why a trial was not made.
        sample: What one lane did alone.
        deadline: The clock's wall time at which to stop, ns.
    """
    alone = Totals.of(worth_counting(sample.blocks))
    if not alone.calls or bench.in_flight or isinstance(bench.hand, OwnHand):
        return []
    waits = alone.wall - alone.cpu - alone.queued > WAITING * alone.wall
    trials: list[Trial] = []
    for lanes in (2, 4) if waits else (2,):
        size = block_size([sample.blocks[0], *sample.blocks])
        claims = _claims(bench, alone.wall / alone.calls, size, lanes, deadline)
        together = _together(bench, claims, lanes, deadline) if claims else []
        trial = compare(together, alone, crowded=sample.native > 0)
        if trial is None:
            break
        trials.append(trial)
    return trials


def _claims(bench: Bench, each: float, size: int, lanes: int, deadline: int) -> list[Claim]:
    """Items for so many lanes, or none, with the reason."""
    seconds = max(TWICE * each, min(max(3 * each, TRIAL[0]), TRIAL[1]))
    field = "pair_speedup" if lanes == PAIR else "ramp"
    if lanes * seconds > bench.left(deadline):
        bench.missing.append(f"{field}: the budget was spent before {lanes} lanes could be tried")
        return []
    claims = cut(bench.feed.take(lanes * math.ceil(seconds / each), size), size)
    if len(claims) < lanes:
        bench.feed.give_back(claims)
        bench.missing.append(f"{field}: too few items were left to try {lanes} lanes")
        return []
    return claims


def _together(bench: Bench, claims: Sequence[Claim], lanes: int, deadline: int) -> list[Block]:
    """Make calls in lanes; the totals of each, none where one did not come back."""
    calls = bench.calls
    if isinstance(calls, AwaitedCalls):
        done: list[Block] = []
        bench.do(lambda: done.extend(calls.lanes(claims, bench.ledger, lanes)), claims, deadline)
        return done
    return _on_threads(bench, calls, claims, lanes, deadline)


def _on_threads(
    bench: Bench, calls: PlainCalls, claims: Sequence[Claim], lanes: int, deadline: int
) -> list[Block]:
    source = deque(claims)
    done: dict[int, Block] = {}
    hands = [DaemonHand() for _ in range(lanes)]

    def lane(place: int) -> None:
        done[place] = calls.lane(_drawn(source), bench.ledger, start)

    ended, start = False, bench.clock.wall()
    try:
        with quick_switching(TURN):
            for place, hand in enumerate(hands):
                hand.begin(partial(lane, place))
            ended = all(hand.ended(bench.left(deadline)) for hand in hands)
    finally:
        if not ended:
            bench.give_up(claims)
        for hand in hands:
            hand.close()
    return list(done.values()) if ended else []


def _drawn(source: deque[Claim]) -> Iterator[Claim]:
    while True:
        try:
            yield source.popleft()
        except IndexError:
            return
