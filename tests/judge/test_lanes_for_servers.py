"""How many lanes servers get, in virtual time: such as share their time, queue, or are slowed by many."""

from heapq import heappop, heappush
from itertools import count
from math import inf
from random import Random
from statistics import median

import pytest

from concurrent_choices._judge._controller._climb import Climb
from concurrent_choices._judge._controller._sight import Sight

SECONDS = 0.02
MOST = 256


class Sharing:
    """Shares its time among all calls; what it does in a second depends on how many there are."""

    def __init__(self, speed):
        self.speed, self.calls, self.order = speed, [], count()
        self.now = self.each = 0.0  # seconds of work that each call has had that is always there

    def begin(self, now, seconds):
        self._pass(now)
        heappush(self.calls, (self.each + seconds, next(self.order), now))

    @property
    def next_end(self):
        if not self.calls:
            return inf
        return self.now + max(0.0, self.calls[0][0] - self.each) / self._pace

    def end(self, now):
        """How long the call has taken that ends now."""
        self._pass(now)
        return now - heappop(self.calls)[2]

    @property
    def _pace(self):
        return self.speed(len(self.calls)) / len(self.calls)

    def _pass(self, now):
        if self.calls:
            self.each += (now - self.now) * self._pace
        self.now = now


def waiting(calls):
    """None is in the way of another."""
    return calls


def full_with_eight(calls):
    """More are served no faster."""
    return min(calls, 8)


def best_with_sixteen(calls):
    """By Gunther's universal law of scalability: 256 calls are served at a seventh of the rate of 16."""
    return calls / (1 + 0.03 * (calls - 1) + 0.97 / 16**2 * calls * (calls - 1))


def exponential(random):
    """Many short ones, and a few that are long."""
    return random.expovariate(1 / SECONDS)


def lognormal(random):
    """As pages of many sites take."""
    return random.lognormvariate(-0.32, 0.8) * SECONDS


class Always:
    """As many lanes as somebody has chosen by hand."""

    settled, round_trip = True, SECONDS

    def __init__(self, lanes):
        self.lanes = lanes

    def look(self, sight):
        """Nothing to learn."""


def served(speed, lengths, climb, *, items, seed, tells_quickest=True):  # noqa: PLR0913 - what is rare each by name
    """Seconds that a server takes for so many calls, from as many lanes as a climb says."""
    random, server, begun, look = Random(seed), Sharing(speed), 0, 2e-3
    sight = Sight(now=0.0, remaining=items)
    while sight.calls < items:
        while begun < items and sight.in_flight < climb.lanes:
            server.begin(sight.now, lengths(random))
            begun += 1
            sight = sight._replace(in_flight=sight.in_flight + 1, remaining=items - begun)
        if look < server.next_end:
            sight = sight._replace(now=look)
            climb.look(sight)
            look += max(8e-3 if climb.settled else 2e-3, min(climb.round_trip / 4, 0.05))
            continue
        now = server.next_end
        took = server.end(now)
        sight = sight._replace(
            now=now,
            in_flight=sight.in_flight - 1,
            calls=sight.calls + 1,
            call_seconds=sight.call_seconds + took,
            quickest=min(sight.quickest or took, took) if tells_quickest else 0.0,
        )
    return sight.now


def against_by_hand(speed, lengths, lanes, items, **about):
    """Times as long as by so many lanes from the first call to the last: the median of five runs."""

    def ratio(seed):
        climb = Climb(Sight(now=0.0, remaining=items), MOST)
        told = {"items": items, "seed": seed, **about}
        return served(speed, lengths, climb, **told) / served(speed, lengths, Always(lanes), **told)

    return median(map(ratio, range(5)))


@pytest.mark.parametrize("lengths", [exponential, lognormal])
@pytest.mark.parametrize(("items", "most"), [(600, 1.7), (3000, 1.4)])
def test_calls_of_different_lengths_are_not_in_each_others_way(lengths, items, most):
    """The quickest of many told what one takes alone: 1.5 to 4 times as long as by 256 lanes."""
    assert against_by_hand(waiting, lengths, MOST, items) < most


@pytest.mark.parametrize("lengths", [exponential, lognormal])
def test_a_queue_is_kept_full(lengths):
    """Whatever number of lanes it is that waits in it."""
    assert against_by_hand(full_with_eight, lengths, 8, 600) < 1.1


@pytest.mark.parametrize("lengths", [exponential, lognormal])
def test_fewer_lanes_are_tried_too(lengths):
    """A server that many calls slow down was left with up to 256: 1.4 to 1.6 times as long as by 16."""
    assert against_by_hand(best_with_sixteen, lengths, 16, 10_000) < 1.35


@pytest.mark.parametrize("lengths", [exponential, lognormal])
def test_fewer_tasks_are_tried_too(lengths):
    """What coroutines take is only known as a mean: by it rounds tell that calls queue."""
    assert against_by_hand(best_with_sixteen, lengths, 16, 10_000, tells_quickest=False) < 1.5
