"""Lanes at work together: the direct answer to "do threads help here?".

Two threads call with real items at the same time. If both could compute or wait as one alone does,
the GIL is free; if each made half the way, they shared the GIL, or a lock (DECISION.md 2.2,
experiments 2 and 16).
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from .._runtime._hand import OwnHand
from .._runtime._switching import USUAL
from ._control import CONTROL_SECONDS, resident_inflation
from ._figures import PAIR, Totals, compare, relative_error
from ._lane_trials import NO_LONGER, TURN, Size, Trials
from ._ledger import hopeless
from ._rounds import PRECISE

if TYPE_CHECKING:
    from ._bench import Bench
    from ._figures import Trial
    from ._sample import Sample

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

WAIT = 4e-3
"""Seconds that a lane works in a trial of calls that wait: they do not take turns, so few calls say as much
as many (guessed: long beside the start of sixteen threads)."""

SETTLED = 2
"""Calls that a lane makes at least where calls wait. The first are made by all lanes at once, and queue as
later ones do not; so the second is the first that is timed."""

UNSURE = 0.1
"""Relative error of a pair's speed-up from which few calls do not tell one at a time from two (guessed) …"""

MORE = 4
"""… and how many times as many calls a second pair has then: half the error."""

LONGER = 2.0
"""Factor by which the longest call of a trial may exceed the longest of the sample (guessed: of three times
as many calls that are exponential, the longest is 1.4 times as long)."""

USED = 0.3
"""Part of all items that a wide trial may take: the rest is for the plan (guessed)."""

AT_ONCE = 1.4
"""Parallelism above which two lanes did not take turns (guessed, as in `_judge._trials`)."""

SELDOM = 0.5
"""Share of computing under the GIL, by the witness, below which two lanes should not have to take turns
(guessed)."""

INFLATED = 1.2
"""CPU inflation from which a pair is tried again (guessed: less than what makes a verdict)."""

SIDE_BY_SIDE = 1.4
"""Speed-up of a pair from which more lanes may do better still (guessed: between one at a time, and two)."""


def try_lanes(bench: Bench, sample: Sample) -> list[Trial]:
    """Two lanes together, and many where calls mostly wait, as far as items and budget allow."""
    if hopeless(bench.ledger.runs) or not sample.alone.calls or isinstance(bench.hand, OwnHand):
        return []
    trials = Trials(bench, sample)
    return _of_waiting(trials) if sample.waits else _of_computing(trials)


def _of_computing(trials: Trials) -> list[Trial]:
    """A pair, unless it is doubtful."""
    each = trials.sample.each
    seconds = max(TWICE * each, min(max(3 * each, TRIAL[0]), TRIAL[1]))
    calls = min(math.ceil(seconds / each), max(TWICE, _left(trials.bench) // CONFIRMED_BY))
    turn = USUAL if _seldom_held(trials.sample) else TURN
    size = Size(PAIR, calls, PAIR * calls * each, turn=turn)
    pair = _pair(trials, size)
    sure = _surer(trials, pair, size) if pair else None
    return [sure] if sure else []


def _of_waiting(trials: Trials) -> list[Trial]:
    """A pair, and a crowd where those two do not wait for each other."""
    each = trials.sample.each
    calls = max(SETTLED, math.ceil(WAIT / each))
    pair = _waiting_pair(trials, Size(PAIR, calls, PAIR * each, settles=True))
    if pair is None or pair.speedup * (1.0 + pair.error) < SIDE_BY_SIDE:
        return [pair] if pair else []
    wide = _crowd(trials, _wide(trials, calls, each / min(pair.speedup, PAIR)))
    return [pair, wide] if wide else [pair]


def _crowd(trials: Trials, size: Size) -> Trial | None:
    """Many lanes of calls that wait; where some were turned away at once, the better of two trials.

    One shows too little of it: that a server lets twelve of sixteen in may be chance, but hardly twice.
    """
    wide = trials.make(size)
    if wide is None or wide.lanes >= size.lanes:
        return wide
    return trials.better(wide, size, lambda each: each.speedup)


def _wide(trials: Trials, calls: int, slowed: float) -> Size:
    """The trial of a crowd. At worst its first calls take as long as if no more than two were let in.

    `slowed` is the seconds of a call, divided by how many are let in at once.
    """
    sample = trials.sample
    crowd = min(CROWD, int(trials.left / slowed), _spare(trials.bench) // calls)
    width = max(crowd, 2 * PAIR)
    longer = NO_LONGER if relative_error(sample.blocks) <= PRECISE else LONGER
    seconds = max(width * slowed, longer * calls * sample.longest / 1e9)
    return Size(width, calls, seconds, settles=True, figure="ramp")


def _pair(trials: Trials, size: Size) -> Trial | None:
    """Two lanes of calls that compute; where each was in the other's way, the better of two trials."""
    pair = trials.make(size)
    if pair is None or not pair.shares_a_core:
        return pair
    return trials.better(pair, size, lambda each: -each.behind)


def _waiting_pair(trials: Trials, size: Size) -> Trial | None:
    """Two lanes of calls that wait; where they seem to wait for each other the better of two trials.

    A neighbour who takes a core for a moment spoils the few calls of one. Where calls differ so much that
    few tell little, the second has more, and the surer one stands. Where one lane did nothing, as its first
    call was turned away, the second stands: that may be chance.
    """
    pair = trials.make(size) or trials.again(size)
    if pair is None or pair.speedup >= SIDE_BY_SIDE:
        return pair
    if pair.error > UNSURE:
        return trials.better(pair, size._replace(calls=MORE * size.calls), lambda each: -each.error)
    return trials.better(pair, size, lambda each: each.speedup)


def _left(bench: Bench) -> int:
    """Items that nobody has called."""
    places = bench.feed.places
    return sys.maxsize if places is None else sum(map(len, places.gaps))


def _spare(bench: Bench) -> int:
    """Items that a wide trial may take."""
    return sys.maxsize if bench.feed.count is None else int(USED * bench.feed.count)


def _surer(trials: Trials, pair: Trial, size: Size) -> Trial | None:
    """A pair that computes, tried again where it is doubtful; None where that doubt stays."""
    if _inflated(pair):
        return _confirmed(trials, pair, size)
    if _taking_turns(pair) and _seldom_held(trials.sample):
        # a lane that loses its core while it holds the GIL for a moment keeps the other from its own
        return trials.better(pair, size, lambda each: each.parallelism)
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


def _confirmed(trials: Trials, first: Trial, size: Size) -> Trial | None:
    """A pair that slowed itself down, tried again beside one lane, and beside hashing at the same moment.

    A neighbour who comes between the sample and the pair lengthens the pair's calls too, so the lesser of
    both inflations stands; and a pair that nobody could try again is worse than none.
    """
    alone = size._replace(lanes=1, seconds=size.seconds / PAIR, figure="pair_inflation")
    fits = alone.seconds + size.seconds <= trials.left
    one = trials.lanes(alone) if fits else []
    two = trials.lanes(size) if one else []
    again = compare(two, Totals.of(one), crowded=False)
    if again is None:
        doubt = "pair_inflation: two that did so could not be tried again"
        trials.bench.missing.append(doubt)
        return None
    lesser = min(first, again, key=lambda each: each.inflation or 1.0)
    if trials.left < CONTROL_SECONDS:
        return lesser
    return lesser._replace(resident=resident_inflation(trials.bench.clock))
