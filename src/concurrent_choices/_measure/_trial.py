"""Lanes at work together: the direct answer to "do threads help here?".

Two threads call with real items at the same time. If both could compute or wait as one alone does,
the GIL is free; if each made half the way, they shared the GIL, or a lock (DECISION.md 2.2,
experiments 2 and 16).
"""

from __future__ import annotations

import math
import sys
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ._awaited_calls import AwaitedCalls
from ._calls import cut
from ._control import CONTROL_SECONDS, resident_inflation
from ._figures import PAIR, Totals, beside_others, compare, relative_error
from ._hand import DaemonHand, OwnHand
from ._rounds import PRECISE, block_size
from ._switching import USUAL, quick_switching

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .._facts._batch import Claim
    from .._facts._clock import Clock
    from ._bench import Bench
    from ._calls import PlainCalls
    from ._figures import Block, Trial
    from ._rounds import Sample

__all__ = ["try_lanes"]

CROWD = 16
"""Lanes of the wide trial: enough to meet a limit of eight, or of the six threads that an event loop lends
on two cores."""

TRIAL = (15e-3, 20e-3)
"""Seconds that a lane works in a trial: three switch intervals, at most 20 ms unless a call takes
longer (DECISION.md 5.3)."""

TWICE = 2
"""Calls a lane makes at least, unless they wait: of one alone, half is the wait for the GIL at the
beginning."""

CONFIRMED_BY = 5
"""Lanes' worth of calls that a pair of calls and its confirmation take: two lanes, one, and two once more."""

TURN = 1e-3
"""Switch interval of a trial where lanes may take turns: at the usual 5 ms, a trial of 15 ms is over before
turns even out (measured: 1.3 for what is 1.0). Lanes that seldom hold the GIL are tried at the usual one: two
read small files 0.9 times as fast as one there, as they do later, and 1.26 times with this one (measured)."""

WAIT = 4e-3
"""Seconds that a lane works in a trial of calls that wait: they do not take turns, so few calls say as much
as many (guessed: long beside the start of sixteen threads)."""

SETTLED = 2
"""Calls that a lane makes at least where calls wait. The first are made by all lanes at once, and queue as
later ones do not; so the second is the first that is timed."""

LONGER = 2.0
"""Factor by which the longest call of a trial may exceed the longest of the sample (guessed: of three times
as many calls that are exponential, the longest is 1.4 times as long)."""

NO_LONGER = 1.3
"""The same where the sample's calls were equally long, and what the last call of a trial is given: what
queueing may add (guessed)."""

USED = 0.3
"""Part of all items that a wide trial may take: the rest is for the plan (guessed)."""

AT_ONCE = 1.4
"""Parallelism above which two lanes did not take turns (guessed, as in `_judge._trials`)."""

SELDOM = 0.5
"""Share of computing under the GIL, by the witness, below which two lanes should not have to take turns
(guessed)."""

INFLATED = 1.2
"""CPU inflation from which a pair is tried again (guessed: less than what makes a verdict)."""

WAITING = 0.5
"""Share of the wall time spent blocked, from which many lanes are tried too (DECISION.md 5.1)."""

SIDE_BY_SIDE = 1.4
"""Speed-up of a pair from which more lanes may do better still (guessed: between one at a time, and two)."""


def try_lanes(bench: Bench, sample: Sample, deadline: int) -> list[Trial]:
    """Two lanes together, and many where calls mostly wait, as far as items and budget allow.

    Args:
        bench: What the calls are made with; `missing` is told why a trial was not made.
        sample: What one lane did alone.
        deadline: The clock's wall time at which to stop, ns.
    """
    alone = sample.alone
    if not alone.calls or bench.in_flight or isinstance(bench.hand, OwnHand):
        return []
    each = alone.wall / alone.calls
    if not _waits(sample):
        seconds = max(TWICE * each, min(max(3 * each, TRIAL[0]), TRIAL[1]))
        calls = min(math.ceil(seconds / each), max(TWICE, _left(bench) // CONFIRMED_BY))
        turn = USUAL if _seldom_held(sample) else TURN
        size = _Size(PAIR, calls, PAIR * calls * each, turn=turn)
        pair = _pair(bench, sample, size, deadline)
        sure = _surer(bench, sample, pair, size, deadline) if pair else None
        return [sure] if sure else []
    calls = max(SETTLED, math.ceil(WAIT / each))
    pair = _waiting_pair(bench, sample, _Size(PAIR, calls, PAIR * each, settles=True), deadline)
    if pair is None or pair.speedup < SIDE_BY_SIDE:
        return [pair] if pair else []
    # at worst its first calls take as long as if no more than those two were let in
    slowed = each / min(pair.speedup, PAIR)
    crowd = min(CROWD, int(bench.left(deadline) / slowed), _spare(bench) // calls)
    width = max(crowd, 2 * PAIR)
    longest = max(block.wall / block.calls for block in sample.blocks) / 1e9
    longer = NO_LONGER if relative_error(sample.blocks) <= PRECISE else LONGER
    seconds = max(width * slowed, longer * calls * longest)
    wide = _tried(bench, sample, _Size(width, calls, seconds, settles=True), deadline)
    return [pair, wide] if wide else [pair]


class _Size(NamedTuple):
    """Of a trial: its lanes, the calls of each, the seconds it needs at most, and its switch interval.

    Where it settles, lanes are not timed before their second call, and begin no call that would end late.
    """

    lanes: int
    calls: int
    seconds: float
    settles: bool = False
    turn: float = TURN


def _waits(sample: Sample) -> bool:
    """Whether calls mostly wait, for something else than child processes that compute."""
    alone = sample.alone
    children = sample.whole.children / 1e9 / max(1, sum(block.calls for block in sample.blocks))
    return alone.wall - alone.cpu - alone.queued - children * alone.calls > WAITING * alone.wall


def _pair(bench: Bench, sample: Sample, size: _Size, deadline: int) -> Trial | None:
    """Two lanes of calls that compute; where each was in the other's way, the better of two trials."""
    pair = _tried(bench, sample, size, deadline)
    if pair is None or not pair.shares_a_core:
        return pair
    again = _tried_again(bench, sample, size, deadline)
    return min(pair, again, key=lambda each: each.behind) if again else pair


def _waiting_pair(bench: Bench, sample: Sample, size: _Size, deadline: int) -> Trial | None:
    """Two lanes of calls that wait; where they seem to wait for each other the better of two trials.

    A neighbour who takes a core for a moment spoils the few calls of one.
    """
    pair = _tried(bench, sample, size, deadline)
    if pair is None or pair.speedup >= SIDE_BY_SIDE:
        return pair
    again = _tried_again(bench, sample, size, deadline)
    return max(pair, again, key=lambda each: each.speedup) if again else pair


def _left(bench: Bench) -> int:
    """Items that nobody has called."""
    places = bench.feed.places
    return sys.maxsize if places is None else sum(map(len, places.gaps))


def _spare(bench: Bench) -> int:
    """Items that a wide trial may take."""
    return sys.maxsize if bench.feed.count is None else int(USED * bench.feed.count)


def _tried(bench: Bench, sample: Sample, size: _Size, deadline: int) -> Trial | None:
    """A trial, where items and budget allow."""
    return compare(_lanes(bench, sample, size, deadline), sample.alone, crowded=sample.native > 0)


def _tried_again(bench: Bench, sample: Sample, size: _Size, deadline: int) -> Trial | None:
    """A trial like one that has been made: where it cannot be, no figure is missing for that."""
    missing = list(bench.missing)
    again = _tried(bench, sample, size, deadline)
    bench.missing[:] = missing
    return again


def _surer(bench: Bench, sample: Sample, pair: Trial, size: _Size, deadline: int) -> Trial | None:
    """A pair that computes, tried again where it is doubtful; None where that doubt stays."""
    if _inflated(pair):
        return _confirmed(bench, sample, pair, size, deadline)
    if _taking_turns(pair) and _seldom_held(sample):
        # a lane that loses its core while it holds the GIL for a moment keeps the other from its own
        again = _tried_again(bench, sample, size, deadline)
        return max(pair, again, key=lambda each: each.parallelism) if again else pair
    return pair


def _inflated(trial: Trial) -> bool:
    """Whether two that computed at once may have slowed each other down."""
    return trial.parallelism > AT_ONCE and (trial.inflation or 0.0) > INFLATED


def _taking_turns(trial: Trial) -> bool:
    """Whether two lanes worked one after the other."""
    return trial.parallelism < AT_ONCE


def _seldom_held(sample: Sample) -> bool:
    """Whether the witness saw computing outside the GIL, so that two might have worked at once."""
    share, alone = sample.testimony.share, sample.alone
    return share is not None and share * alone.wall < SELDOM * (alone.cpu + alone.queued)


def _confirmed(bench: Bench, sample: Sample, first: Trial, size: _Size, deadline: int) -> Trial | None:
    """A pair that slowed itself down, tried again beside one lane, and beside hashing at the same moment.

    A neighbour who comes between the sample and the pair lengthens the pair's calls too, so the lesser of
    both inflations stands; and a pair that nobody could try again is worse than none.
    """
    alone = size._replace(lanes=1, seconds=size.seconds / PAIR)
    fits = alone.seconds + size.seconds <= bench.left(deadline)
    one = _lanes(bench, sample, alone, deadline) if fits else []
    two = _lanes(bench, sample, size, deadline) if one else []
    again = compare(two, Totals.of(one), crowded=False)
    if again is None:
        bench.missing.append("pair_inflation: two lanes slowed each other down, and could not be tried again")
        return None
    lesser = min(first, again, key=lambda each: each.inflation or 1.0)
    if bench.left(deadline) < CONTROL_SECONDS:
        return lesser
    return lesser._replace(resident=resident_inflation(bench.clock))


def _lanes(bench: Bench, sample: Sample, size: _Size, deadline: int) -> list[Block]:
    """The totals of each lane, where items and budget allow."""
    field = "pair_speedup" if size.lanes == PAIR else "ramp"
    if size.seconds > bench.left(deadline):
        bench.missing.append(f"{field}: the budget was spent before {size.lanes} lanes could be tried")
        return []
    run = block_size([sample.blocks[0], *sample.blocks])
    claims = cut(bench.feed.take(size.lanes * size.calls, run), run)
    if len(claims) < size.lanes:
        bench.feed.give_back(claims)
        bench.missing.append(f"{field}: too few items were left to try {size.lanes} lanes")
        return []
    source = _Source(claims, bench.clock)
    source.last = deadline - int(NO_LONGER * max(block.wall / block.calls for block in sample.blocks))
    if not size.settles:
        # by then they are done even one after another, unless they take longer than they did in the sample
        source.last = min(source.last, bench.clock.wall() + int(size.seconds * 1e9))
    return _together(bench, source, size, deadline + int(size.seconds * 1e9))


class _Source:
    """Claims that lanes share, each drawn once.

    Attributes:
        claims: All of them.
        last: The wall time after which no more are handed out, ns; None to hand out all.
    """

    def __init__(self, claims: Sequence[Claim], clock: Clock) -> None:
        self.claims = claims
        self.last: int | None = None
        self._left = deque(claims)
        self._clock = clock

    def __iter__(self) -> Iterator[Claim]:
        while self.last is None or self._clock.wall() < self.last:
            try:
                yield self._left.popleft()
            except IndexError:
                return

    def rest(self) -> list[Claim]:
        """What nobody drew."""
        return list(self._left)


def _together(bench: Bench, source: _Source, size: _Size, deadline: int) -> list[Block]:
    """Make calls in lanes; the totals of each, none where one did not come back."""
    calls = bench.calls
    if isinstance(calls, AwaitedCalls):
        done: list[Block] = []

        def work() -> None:
            done.extend(calls.lanes(source, bench.ledger, size.lanes, settles=size.settles))

        if bench.do(work, source.claims, deadline):
            bench.feed.give_back(source.rest())
        return done
    return _on_threads(bench, calls, source, size, deadline)


def _on_threads(bench: Bench, calls: PlainCalls, source: _Source, size: _Size, deadline: int) -> list[Block]:
    done: dict[int, Block] = {}
    hands = [DaemonHand() for _ in range(size.lanes)]

    def lane(place: int) -> None:
        done[place] = calls.lane(source, bench.ledger, start, settles=size.settles)

    ended, start, before = False, bench.clock.wall(), _elsewhere(bench.clock)
    try:
        with quick_switching(size.turn):
            for place, hand in enumerate(hands):
                hand.begin(partial(lane, place))
            came_back = [
                hand.ended(bench.left(deadline)) for hand in hands
            ]  # all are asked: it waits for who came back
        ended = all(came_back)
    finally:
        if ended:
            bench.feed.give_back(source.rest())
        else:
            bench.give_up(source.claims)
        for hand in hands:
            hand.close()
    return beside_others(list(done.values()), _elsewhere(bench.clock) - before) if ended else []


def _elsewhere(clock: Clock) -> int:
    """Time that cores have computed for others than this process, ns."""
    return clock.cores_busy() - clock.process_cpu()
