"""Lanes that make real calls side by side, and what they took beside one alone."""

from __future__ import annotations

import math
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from .._facts._table import counted
from .._runtime._hand import DaemonHand
from .._runtime._switching import quick_switching
from ._awaited_calls import AwaitedCalls
from ._calls import cut
from ._figures import SURE, beside_others, compare, variation
from ._ledger import turned_away
from ._rounds import block_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from .._facts._batch import Claim
    from .._facts._clock import Clock
    from ._bench import Bench
    from ._calls import PlainCalls
    from ._figures import Block, Lane, Trial
    from ._ledger import Run
    from ._sample import Sample

__all__ = ["NO_LONGER", "TURN", "Size", "Trials"]

TURN = 1e-3
"""Switch interval of a trial where lanes may take turns: at the usual 5 ms, a trial of 15 ms is over before
turns even out (measured: 1.3 for what is 1.0). Lanes that seldom hold the GIL are tried at the usual one: two
read small files 0.9 times as fast as one there, as they do later, and 1.26 times with this one (measured)."""

NO_LONGER = 1.3
"""How many times as long as the sample's longest the last call of a trial may take, and any call where those
were equally long: what queueing may add (guessed)."""

ALIKE = 2
"""Lanes turned away at once, and as many in one more trial, while all else is served: from so many on, or one
of a pair, that is a limit. Where one call in twenty fails by chance, sixteen lanes look so once in 200, and
two once in 140 such samples; from one lane of sixteen on it would be once in 30 (simulated)."""


class Size(NamedTuple):
    """How large a trial is.

    Attributes:
        lanes: Those that work at once.
        calls: Of each.
        seconds: What it needs at most.
        settles: Whether lanes are not timed before their second call, and begin no call that would end late.
        turn: Its switch interval, seconds.
        figure: What it is for, as the profile calls it.
    """

    lanes: int
    calls: int
    seconds: float
    settles: bool = False
    turn: float = TURN
    figure: str = "pair_speedup"


class Trials:
    """Has lanes make calls side by side, as far as items and budget allow.

    Why a trial was not made, the bench's `missing` is told.
    """

    def __init__(self, bench: Bench, sample: Sample) -> None:
        self.bench = bench
        self.sample = sample
        self._away = 0  # lanes of the last trial that were turned away at once, if nothing else was
        self._late: list[float] = []  # by lane of that, what its first call took longer than others, seconds

    @property
    def left(self) -> float:
        """Seconds until everything has to stop."""
        return self.bench.left(self.sample.deadline)

    def make(self, size: Size) -> Trial | None:
        """What lanes did together beside the one of the sample; None where they did nothing."""
        differing, runs = variation(self.sample.counted), self.bench.ledger.runs
        before = len(runs)
        lanes = self.lanes(size)
        self._away = _away_at_once(lanes, runs[before:])
        trial = compare(lanes, self.sample.alone, crowded=self.sample.native > 0, differing=differing)
        return trial._replace(late=self._usually_late(differing)) if trial and size.settles else trial

    def better(self, first: Trial, size: Size, merit: Callable[[Trial], float]) -> Trial:
        """The better of a trial and one more like it."""
        again = self.again(size)
        return max(first, again, key=merit) if again else first

    def again(self, size: Size) -> Trial | None:
        """What lanes did together in one more trial. Where it cannot be made, no figure is missing."""
        missing, away = list(self.bench.missing), self._away
        trial = self.make(size)
        self.bench.missing[:] = missing
        if self._away == away >= min(ALIKE, size.lanes - 1):
            self.bench.turned_away = away / size.lanes
        return trial

    def lanes(self, size: Size) -> list[Block]:
        """The totals of each lane; none for want of items, budget or threads, or if one did not come back."""
        source = None if self.bench.gave_up else self._source(size)
        if source is None:
            return []
        self._late.clear()
        told = self._settled if size.settles else _plain
        done = _together(self.bench, source, size, self.sample.deadline + int(size.seconds * 1e9), told)
        if self.bench.gave_up:
            self._lacks(size, "{} did not come back in time")
        elif not done:
            self._lacks(size, "the system gives too few threads for {}")
        return done

    def _settled(self, lane: Lane) -> Block:
        """The totals of a lane whose calls wait, without what its first may have taken to connect.

        Where no other followed, that is what it took longer than calls alone do, up to what the first of all
        waited longer. Two threads that connect each, in three times the time of a call, looked as if they
        queued for something.
        """
        block = lane.block
        if lane.apart:
            self._late.append(lane.late)
            return block
        longer = block.wall / 1e9 - block.calls * self.sample.each
        late = max(0.0, min(self.sample.connecting, longer))
        self._late.append(late)
        return block._replace(wall=block.wall - int(late * 1e9))

    def _usually_late(self, differing: float) -> float:
        """What lanes' first calls took longer than others, seconds; 0 where that may be chance.

        Less what they queued for what each other computed: they began at once.
        """
        sample, lanes = self.sample, len(self._late)
        if not lanes:
            return 0.0
        alone = sample.alone
        queueing = (lanes - 1) / 2 * (alone.cpu + alone.queued) / max(1, alone.calls)
        late = sum(self._late) / lanes - queueing
        chance = SURE * differing / math.sqrt(lanes)
        return late if late > chance * sample.each else 0.0

    def _lacks(self, size: Size, reason: str) -> None:
        at_once = f"{counted(size.lanes, 'call')} at once"
        self.bench.missing.append(f"{size.figure}: {reason.format(at_once)}")

    def _source(self, size: Size) -> _Source | None:
        """What the lanes draw from; None where items or budget do not allow a trial."""
        bench = self.bench
        waiting = size.lanes * size.calls * bench.feed.pace.seconds  # for the items
        if size.seconds + waiting > self.left:
            self._lacks(size, "the budget was spent before {} could be tried")
            return None
        run = block_size(self.sample.each)
        claims = cut(bench.feed.take(size.lanes * size.calls, run), run)
        if len(claims) < size.lanes:
            bench.feed.give_back(claims)
            self._lacks(size, "too few items were left to try {}")
            return None
        last = self.sample.deadline - int(NO_LONGER * self.sample.longest)
        if not size.settles:
            # By then they are done even one after another, unless they take longer than in the sample.
            last = min(last, bench.clock.wall() + int(size.seconds * 1e9))
        return _Source(claims, bench.clock, last)


def _away_at_once(lanes: Sequence[Block], runs: Iterable[Run]) -> int:
    """How many lanes were turned away at their first calls, unless others were later."""
    idle = sum(not lane.calls for lane in lanes)
    return idle if idle and idle == sum(turned_away(run.outcomes) for run in runs) else 0


class _Source:
    """Claims that lanes share, each drawn once; none after the wall time `last`, ns."""

    def __init__(self, claims: Sequence[Claim], clock: Clock, last: int) -> None:
        self.claims = claims
        self._last = last
        self._left = deque(claims)
        self._clock = clock

    def __iter__(self) -> Iterator[Claim]:
        while self._clock.wall() < self._last:
            try:
                yield self._left.popleft()
            except IndexError:
                return

    def rest(self) -> list[Claim]:
        """What nobody drew."""
        return list(self._left)


def _plain(lane: Lane) -> Block:
    return lane.block


def _together(
    bench: Bench, source: _Source, size: Size, deadline: int, told: Callable[[Lane], Block]
) -> list[Block]:
    """Make calls in lanes; what is told of each, nothing where one did not come back."""
    calls = bench.calls
    if isinstance(calls, AwaitedCalls):
        done: list[Lane] = []

        def work() -> None:
            done.extend(calls.lanes(source, bench.ledger, size.lanes, settles=size.settles))

        if bench.do(work, source.claims, deadline):
            bench.feed.give_back(source.rest())
        return [told(lane) for lane in done]
    done, others = _on_threads(bench, calls, source, size, deadline)
    return beside_others([told(lane) for lane in done], others)


def _on_threads(
    bench: Bench, calls: PlainCalls, source: _Source, size: Size, deadline: int
) -> tuple[list[Lane], int]:
    """What each lane did, and what others computed meanwhile, ns."""
    done: dict[int, Lane] = {}
    hands = _hands(size.lanes)
    if not hands:
        bench.feed.give_back(source.claims)
        return [], 0

    def lane(place: int) -> None:
        done[place] = calls.lane(source, bench.ledger, start, settles=size.settles)

    ended, start, before = False, bench.clock.wall(), _elsewhere(bench.clock)
    try:
        with quick_switching(size.turn):
            for place, hand in enumerate(hands):
                hand.begin(partial(lane, place))
            # All are asked: it waits for who came back.
            came_back = [hand.ended(bench.left(deadline)) for hand in hands]
        ended = all(came_back)
    finally:
        if ended:
            bench.feed.give_back(source.rest())
        else:
            bench.give_up(source.claims)
        for hand in hands:
            hand.close()
    return list(done.values()) if ended else [], _elsewhere(bench.clock) - before


def _hands(lanes: int) -> list[DaemonHand]:
    """A thread for each lane; none where the system does not give so many."""
    hands: list[DaemonHand] = []
    try:
        for _ in range(lanes):
            hands.append(DaemonHand())  # noqa: PERF401 - those that there are when one fails must be closed
    except RuntimeError:
        for hand in hands:
            hand.close()
        return []
    return hands


def _elsewhere(clock: Clock) -> int:
    """Time that cores have computed for others than this process, ns."""
    return clock.cores_busy() - clock.process_cpu()
