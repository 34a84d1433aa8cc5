"""How many lanes for items that wait: probing by throughput.

The objective is the delivery rate. Limiters that watch latency keep queues short, which is not what a
batch needs: in a simulation of 11 servers their makespans were 2.4 to 3.6 times the best (DECISION.md,
experiment 9), this rule's 1.24.
"""

from __future__ import annotations

from math import ceil, inf, sqrt

from ._ceiling import Ceiling
from ._probing import Probing
from ._rationing import Rationing
from ._sight import Sight
from ._thresholds import COUNTED, FULL, TWO

__all__ = ["FIRST", "Climb"]

FIRST = 16
"""Lanes to begin with (DECISION.md, experiment 9: 8 is too timid, 32 gains nothing)."""

BLIND = ((0.0, 64), (0.02, 128), (0.08, 256))
"""Most lanes while not one call has come back, by the seconds waited so far. Calls that last longer
cost more for every round trip spent on doubling (DECISION.md, experiment 16; the steps are guessed)."""

GROWTH = 1.25
"""A round that delivers less than this times the best so far has gained nothing (DECISION.md 1.4: BBR's
full pipe)."""

FLAT_ROUNDS = 2
"""Rounds in a row without a gain from which it settles, and once settled with a loss from which it climbs
again (guessed: BBR takes three, and most jobs are shorter than what that sends)."""

GAIN = 2.0
"""Settle at so many times the bandwidth-delay product (DECISION.md, experiment 9: 1.5 costs
21 % on a queue)."""

FEWEST = 4
"""Calls that make a round at least (guessed)."""

DROP = 0.75
"""A settled rate that falls below this share of what it was means that something has changed (guessed)."""

INFLATED = 3.0
"""Calls so many times as long as alone: they queue, or get in each other's way (DECISION.md,
experiment 11: behind a lock)."""

SHARED = 0.6
"""Part of what calls alone deliver below which they do not just share what serves them (guessed)."""

_CROWDED = "calls get in each other's way"
_CONGESTED = "errors mean that too many calls are made at once"
_PASSED = "few calls have been turned away for long, so lanes grow again"
_BORNE = "calls are turned away as often from fewer lanes, so these double again"


class Climb:
    """Doubles per round trip while the delivery rate grows, then settles; now and then tries more, and fewer.

    Args:
        sight: The run at the beginning of the climb.
        ceiling: Most lanes.
        first: Lanes to begin with.
        blind: Most lanes while no call has come back, by the seconds waited so far.
        alone: Seconds of a call with nothing beside it, if several have told; else 0.
        one_core: Whether the lanes have no more than that to compute on: they share a GIL, or a loop.
        cpus: Cores for what they, and threads of a library, compute outside of it.

    Attributes:
        lanes: How many there should be.
        settled: Whether there shall be no more for now.
        alone_is_best: Whether several lanes have delivered no more than one would.
        why: In words.
        round_trip: The shortest mean time of a call in any round; infinite while none is known.
    """

    def __init__(  # noqa: PLR0913 - what is rare each by name
        self,
        sight: Sight,
        ceiling: int,
        first: int = FIRST,
        *,
        blind: tuple[tuple[float, int], ...] = BLIND,
        alone: float = 0.0,
        one_core: bool = True,
        cpus: float = inf,
    ) -> None:
        self._one_core = one_core
        self._cpus = cpus
        self._blind = blind
        self._known_alone = alone
        self._ceiling = Ceiling(sight, max(1, ceiling))
        self.lanes = min(first, self._ceiling.lanes)
        self.settled = self.alone_is_best = False
        self.why = "lanes double per round trip while more is delivered"
        # Where the climb began; the last look; where the present round began, and with how many lanes.
        self._origin = self._last = self._round = sight
        self._round_lanes = self.lanes
        # Deliveries a second: the best of any round, and those that it has settled at.
        self._best = self._rate = 0.0
        self.round_trip = inf
        self._flat = 0  # rounds in a row that gained nothing; once settled, that lost much
        self._probing = Probing()
        self._rationing = Rationing(sight)
        self._seen_alone = 0.0  # seconds of a call, where what was known of one alone was too little
        self._crowd = 0  # lanes whose calls seemed to be in each other's way
        self._heard = sight.now  # when a call was last seen to have come back
        self._silence = 0.0  # the longest time in the present round in which none did

    def look(self, sight: Sight) -> int:
        """Learn how the run stands; the number of lanes from now on."""
        last, self._last = self._last, sight
        if self._round is self._origin:
            self._round, self._round_lanes = sight, self.lanes  # not what starting threads took
        if sight.calls > last.calls:
            self._silence = max(self._silence, last.now - max(self._heard, self._round.now))
            self._heard = sight.now
        halves = self._rationing.look(sight, self.lanes)
        if self._ceiling.is_too_high(sight):
            self._retreat(sight)
        elif halves:
            self._halve(sight)
        elif self._rationing.lanes:
            self._ascend(sight)
        elif sight.calls == self._origin.calls:
            self._grow_blindly(sight, last)
        else:
            if not self.settled and not self._gains_nothing(sight, last):
                self._grow(sight.calls - last.calls, sight.in_flight)
            if self._round_is_over(sight):
                self._judge(sight)
        return self.lanes

    @property
    def is_rationed(self) -> bool:
        """Whether calls are turned away, and maybe because there are so many."""
        return self.why == _CONGESTED or self._rationing.lanes > 0

    def narrow(self, filling: int) -> None:
        """Keep no more lanes than it takes to fill the GIL, which so few would if they never met.

        Others wait for it, and are in the way of who has to start workers.
        """
        self.lanes = self.narrowed(filling)

    def narrowed(self, filling: int) -> int:
        """The lanes that would be kept."""
        return min(self.lanes, ceil(GAIN * filling))

    def _grow_blindly(self, sight: Sight, last: Sight) -> None:
        """Nothing has come back: the first round trip is better spent on more calls.

        As many as could have begun in the time waited, by what those in flight have computed: where they
        sleep that is all there may be, twice as many at each look, and `FIRST` at the least; where they fill
        the GIL no more at all, nor where a library's threads compute for them.
        """
        origin = self._origin
        seen = origin.held > 0  # the first call, until it slept
        quiet = _is_quiet(last, sight) or (seen and not _is_helped(last, sight))
        if self.settled or sight.starved or not (sight.in_flight and quiet):
            return
        waited = sight.now - origin.now
        computed = sight.computed(origin) + origin.held_cpu
        fitting = int((waited + origin.held) * (sight.in_flight + seen) / max(computed, 1e-6))
        most = max(lanes for start, lanes in self._blind if waited >= start)
        doubled = max(2 * self.lanes, FIRST)
        self.lanes = self._round_lanes = max(self.lanes, min(doubled, fitting, most, self._ceiling.lanes))

    def _grow(self, returned: int, in_flight: int) -> None:
        """One more lane for each call that came back, and at most twice as many at a look."""
        if in_flight < self.lanes / 2:
            return  # there are more lanes than calls to make
        self.lanes = min(self.lanes + min(returned, self.lanes), self._ceiling.lanes)

    def _gains_nothing(self, sight: Sight, last: Sight) -> bool:
        """Whether more lanes would not help: these deliver what one would, or fill the GIL, or the cores.

        Simulated runs do not need it; without it writers of a database took 1.5 times as long (jobs of 50 ms)
        and items that compute half of their time 1.17 times (of 0.5 s; measured); and tables that a library's
        threads filter got 90 lanes, whose memory cost twice the CPU.
        """
        began, alone = self._round, self._alone(sight)
        seconds = sight.now - began.now
        if self._one_core and FULL <= sight.busy(last) < TWO:
            return True
        if sight.computed(began) > FULL * self._cpus * seconds:
            return True
        if seconds < 2 * alone:
            return self._known_alone > 0 and self.lanes < FIRST  # they compute too, and are short
        served = (sight.calls - began.calls) * alone * self._doubt(sight)
        return sight.alone_items > 0 and served < GROWTH * seconds

    def _round_is_over(self, sight: Sight) -> bool:
        fewest = COUNTED if self._known_alone else FEWEST
        return sight.calls - self._round.calls >= max(fewest, self._round.in_flight)

    def _judge(self, sight: Sight) -> None:
        """Compare what the round delivered with what was delivered before."""
        began, self._round = self._round, sight
        silence, self._silence = self._silence, 0.0
        calls, seconds = sight.calls - began.calls, sight.now - began.now
        lanes, self._round_lanes = self._round_lanes, self.lanes
        if seconds <= 0 or sight.starved or sight.in_flight < lanes / 4:
            return  # whoever gives the items was the slower one
        rate, mean = calls / seconds, (sight.call_seconds - began.call_seconds) / calls
        self.round_trip = min(self.round_trip, mean)
        if seconds > INFLATED * self._alone(sight):  # else those that have not come back may be in time
            mean = max(mean, (began.in_flight + sight.in_flight) / 2 / rate)  # by Little's law
        self._probing.count_round()
        probing = self._probing.usual > 0
        if self._ceiling.allows_more(began, sight) and self.settled and self._is_held_down:
            self._rise(sight, rate, mean)
        elif self.settled:
            self._watch(sight, rate, mean)
        elif self._have_lengthened(sight, rate, silence, seconds):
            self._seen_alone = silence
        else:
            self._climb(sight, rate, mean)
        if not probing:  # one lane delivers what one would
            self.alone_is_best = self._serves_one(began, sight)

    def _climb(self, sight: Sight, rate: float, mean: float) -> None:
        inflation = self._inflation(sight, mean)
        if inflation > INFLATED and sight.alone_items:
            # On a queue this loses nothing; where more calls deliver less, waiting for the plateau would.
            self._crowd = self.lanes
            self._settle(ceil(GAIN * rate * self._alone(sight)), rate, _CROWDED)
            return
        self._flat = 0 if rate >= GROWTH * self._best else self._flat + 1
        self._best = max(self._best, rate)
        if self._flat >= FLAT_ROUNDS:
            self._settle(ceil(GAIN * self._best * self.round_trip), rate, "more lanes deliver no more")
        elif self._flat and self.lanes == self._ceiling.lanes:
            self._settle(self.lanes, rate, "so many lanes are the limit")
        elif self._flat and inflation > GAIN:
            self._settle(self.lanes, rate, "more lanes deliver no more")
        if self.settled and inflation > GAIN and self.lanes > 1 and not self._ceiling.is_lowered:
            # They queue, or are in each other's way; or differ in length, for all that the quickest tells.
            self._try(self.lanes // 2)

    def _have_lengthened(self, sight: Sight, rate: float, silence: float, seconds: float) -> bool:
        """Whether calls take longer than those that told, and not because there are many.

        Those that queue come back one by one. Those that share something come back together, as many in all
        as one after another. Simulated jobs of which the first 2 to 30 items wait for 0.2 to 3 ms, and the
        others 5 to 100 times as long, took 2.7 times the best without this, and 1.9 with it.
        """
        if not sight.alone_items or silence < max(INFLATED * self._alone(sight), seconds / 2):
            return False
        return rate * self._alone(sight) < SHARED

    def _serves_one(self, began: Sight, sight: Sight) -> bool:
        """Whether one lane would deliver as much, with the GIL free: the others wait for it."""
        calls, seconds = sight.calls - began.calls, sight.now - began.now
        free = sight.busy(began) < FULL
        alone = self._alone(sight) if sight.alone_items else 0.0
        most = (calls + sight.in_flight / 2) * alone  # as if those in flight were half done
        return free and 0 < most < GROWTH * seconds

    def _alone(self, sight: Sight) -> float:
        """Seconds of a call with nothing beside it, as far as is known; else 0."""
        return max(self._known_alone or sight.by_itself, self._seen_alone)

    def _inflation(self, sight: Sight, mean: float) -> float:
        """How many times as long calls take as alone, or else as in the quickest round."""
        usual = self._doubt(sight) * self._alone(sight) or self.round_trip
        return mean / usual if usual else 1.0

    def _doubt(self, sight: Sight) -> float:
        """By how much the mean of so few calls alone is uncertain, as that of exponential lengths is."""
        return 1.0 if self._known_alone or not sight.alone_items else 1.0 + 1.0 / sqrt(sight.alone_items)

    def _settle(self, lanes: int, rate: float, why: str) -> None:
        self.lanes = max(1, min(lanes, self._ceiling.lanes))
        self.settled, self.why = True, why
        self._rate, self._flat = rate, 0
        self._probing.rest()

    def _watch(self, sight: Sight, rate: float, mean: float) -> None:
        """Settled: follow a server that changes, and try now and then whether more, or fewer, would do."""
        if not self._probing.tells():
            return
        if self._probing.usual:
            self._end_probe(rate)
        elif rate < DROP * self._rate:
            self._fall_behind(rate, mean)
        else:
            self._flat = 0
            self._rate = rate
            if self._probing.is_due and not self._ceiling.is_lowered:
                queued = self._inflation(sight, mean) > GAIN
                self._try(self._probing.wanted(self.lanes, self._ceiling.lanes, queued=queued))

    def _fall_behind(self, rate: float, mean: float) -> None:
        """A round has delivered much less than those it has settled at: climb anew once that is sure."""
        self._flat += 1
        if self.why == _CROWDED:
            # Fewer deliver less, so they were in nobody's way: those few that told what a call takes by
            # itself were quick ones; of exponential lengths two are, once in seven.
            self._seen_alone, self._flat = mean, FLAT_ROUNDS
            self.lanes = min(self._crowd, self._ceiling.lanes)
        if self._flat >= FLAT_ROUNDS:
            self.settled, self.why = False, "less is delivered than before, so lanes double once more"
            self._best, self._flat, self.round_trip = rate, 0, inf

    def _try(self, lanes: int) -> None:
        """Have so many lanes for a round, after one in which calls come back that began beside others."""
        if lanes != self.lanes:
            self._probing.begin(self.lanes, self._rate)
            self.lanes = lanes

    def _end_probe(self, rate: float) -> None:
        usual, tried = self._probing.usual, self.lanes
        self.lanes = self._probing.end(tried, rate)
        if self.lanes == usual:
            return
        self._rate = rate
        if tried < usual:
            self.why = "fewer lanes deliver as much"
            self._try(max(1, tried // 2))  # there may be far too many

    @property
    def _is_held_down(self) -> bool:
        """Whether it is errors for which there are no more lanes, and not that those deliver no more."""
        return self.why == _CONGESTED or self.lanes == self._ceiling.lanes

    def _rise(self, sight: Sight, rate: float, mean: float) -> None:
        """Calls have not been turned away for long: climb on, a step beyond what there is."""
        self._ceiling.rise(sight, self.lanes)
        self._probing.stop()
        self._flat, self._best, self.round_trip = 0, rate, mean
        self.settled, self.why = False, _PASSED

    def _retreat(self, sight: Sight) -> None:
        """They are once more: it was a step too far, and whatever that has begun may still be turned away."""
        self._ceiling.fall()
        self._round = sight
        self._settle(self.lanes, self._rate, _CONGESTED)

    def _ascend(self, sight: Sight) -> None:
        """Fewer lanes are turned away as often: have as many again as before, and climb from there."""
        self.lanes = self._round_lanes = self._rationing.lanes
        self._ceiling.lift()
        self._probing.stop()
        self._round, self._best, self._flat, self.round_trip = sight, 0.0, 0, inf
        self.settled, self.why = False, _BORNE

    def _halve(self, sight: Sight) -> None:
        """Errors of congestion: half the lanes, at most once per round, and not so many again for long."""
        if self.why == _CONGESTED and not self._round_is_over(sight):
            return
        self._rationing.halved(sight, self.lanes)
        self._ceiling.cut(self.lanes)
        self._round = sight
        self._settle(self.lanes // 2, self._rate, _CONGESTED)


def _is_quiet(last: Sight, sight: Sight) -> bool:
    """Whether the lanes leave most of a core idle: all have begun, and wait for nothing computed here."""
    return sight.computed(last) <= (sight.now - last.now) / 4


def _is_helped(last: Sight, sight: Sight) -> bool:
    """Whether a library's threads compute meanwhile, which the lanes wait for."""
    return sight.beside(last) > (sight.now - last.now) / 4
