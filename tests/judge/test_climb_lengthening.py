"""Calls that wait longer than those before them, which their number may be taken to be the reason for."""

from concurrent_choices._judge._controller._climb import FIRST, Climb
from concurrent_choices._judge._controller._sight import Sight

MS = 1e-3
CROWDED = "calls get in each other's way"


class Lanes:
    """Calls under way in lanes, looked at once a millisecond; five have told how long one takes."""

    def __init__(self, length_of, *, alone=MS, first=FIRST):
        self.length_of = length_of  # seconds of a call that begins beside so many
        self.told = {"remaining": 10**6, "alone_items": 5, "alone_wall": 5 * alone, "quickest": alone}
        self.now = 0.0
        self.calls, self.seconds = 5, 5 * alone
        self.ends = []
        self.climb = Climb(self.sight(), 256, first)

    def sight(self):
        under_way = len(self.ends)
        return Sight(
            now=self.now, in_flight=under_way, calls=self.calls, call_seconds=self.seconds, **self.told
        )

    def work(self, seconds):
        """Go on for so long; the lanes, and why so many, look by look."""
        until = self.now + seconds
        while self.now < until:
            self.now += MS
            back = [each for each in self.ends if each[1] <= self.now]
            self.calls += len(back)
            self.seconds += sum(end - begin for begin, end in back)
            self.ends = [each for each in self.ends if each not in back]
            while len(self.ends) < self.climb.lanes:
                begins = self.now + MS * 1e-3 * len(self.ends)
                self.ends.append((begins, begins + self.length_of(self.climb.lanes, begins)))
            self.climb.look(self.sight())
            yield self.climb.lanes, self.climb.why


def test_calls_that_come_back_together_late_are_longer_ones():
    """Five quick ones, which found something cached, made it one lane for calls of 40 times as long."""
    seen = [*Lanes(lambda _lanes, _now: 40 * MS).work(0.3)]
    assert {why for _, why in seen}.isdisjoint({CROWDED})
    assert seen[-1][0] > 4 * FIRST


def test_calls_that_share_what_serves_them_come_back_together_too():
    """As many in all as one after another."""
    seen = [*Lanes(lambda lanes, _now: lanes * MS).work(0.3)]
    assert seen[-1][0] < FIRST
    assert seen[-1][1] == CROWDED


def test_lanes_that_were_not_in_the_way_are_there_again():
    """They came back one by one as if they queued; fewer deliver less, which two calls of one lane tell."""
    lengths = iter(range(10**6))
    lanes = Lanes(lambda _lanes, _now: (2 + next(lengths) * 7 % 60) * MS)
    seen = [*lanes.work(0.5)]
    crowded = next(at for at, (_, why) in enumerate(seen) if why == CROWDED)
    before, (fewer, _) = seen[crowded - 1][0], seen[crowded]
    again = next(at for at, (_, why) in enumerate(seen) if at > crowded and why != CROWDED)
    assert fewer < before <= seen[again][0]
    assert again - crowded < 200
    assert CROWDED not in {why for _, why in seen[again:]}
