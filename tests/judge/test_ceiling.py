"""The most lanes there may be, by hand: fewer once calls are turned away, more again once they are not."""

from concurrent_choices._judge._controller._ceiling import CONGESTED_PATIENCE, Ceiling
from concurrent_choices._judge._controller._sight import Sight


class Rounds:
    """Rounds of 32 calls in as many lanes as a ceiling allows, which rises whenever it says so."""

    def __init__(self, most=256):
        self.sight = Sight(now=0.0)
        self.ceiling = Ceiling(self.sight, most)

    def go(self, refused=0, calls=32):
        """One round, of which so many are turned away; whether there were more lanes afterwards."""
        began = self.sight
        self.sight = began._replace(calls=began.calls + calls, refused=began.refused + refused)
        more = self.ceiling.allows_more(began, self.sight)
        if more:
            self.ceiling.rise(self.sight, self.ceiling.lanes)
        return more

    def until_more(self):
        """Quiet rounds until there are more lanes; and how many then."""
        rounds = 1
        while not self.go():
            rounds += 1
        return rounds, self.ceiling.lanes


def cut(lanes=30, most=256):
    """Rounds beneath a ceiling of four fifths of so many lanes."""
    rounds = Rounds(most)
    rounds.ceiling.cut(lanes)
    return rounds


def test_without_errors_there_is_nothing_to_raise():
    """However many rounds are quiet."""
    rounds = Rounds()
    assert not any(rounds.go() for _ in range(2 * CONGESTED_PATIENCE))
    assert rounds.ceiling.lanes == 256


def test_lanes_grow_by_an_eighth_each_time_twice_as_soon():
    """Until there are two rounds between them, as what one brings shows in the next."""
    rounds = cut()
    assert rounds.ceiling.lanes == 24
    steps = [rounds.until_more() for _ in range(7)]
    assert steps == [(64, 27), (32, 31), (16, 35), (8, 40), (4, 45), (2, 51), (2, 58)]


def test_the_last_two_steps_are_taken_back():
    """What a step brings may show after the next one only."""
    rounds = cut()
    for _ in range(4):
        rounds.until_more()
    assert not rounds.ceiling.is_too_high(rounds.sight)
    rounds.go(refused=2)
    assert rounds.ceiling.is_too_high(rounds.sight)
    rounds.ceiling.fall()
    assert rounds.ceiling.lanes == 40 - 2 * 5
    assert not rounds.ceiling.is_too_high(rounds.sight)


def test_a_try_in_vain_leaves_as_many_lanes_as_before():
    """And the next one comes after twice as long."""
    rounds = cut()
    for again in (1, 2, 4):
        assert rounds.until_more() == (64 * again, 27)
        rounds.ceiling.fall()
        assert rounds.ceiling.lanes == 24


def test_a_round_with_calls_turned_away_begins_the_count_anew():
    """One of 32 is no trouble, as some are turned away in any case; two are."""
    rounds = cut()
    for _ in range(CONGESTED_PATIENCE - 1):
        rounds.go(refused=1)
    rounds.go(refused=2)
    assert rounds.until_more() == (64, 27)


def test_one_of_few_calls_is_no_trouble():
    """One lane makes four calls in a round: where one in fifty fails, as good as no stretch was without."""
    rounds = cut(1)
    more = [rounds.go(refused=number % 12 == 5, calls=4) for number in range(CONGESTED_PATIENCE)]
    assert more == [False] * (CONGESTED_PATIENCE - 1) + [True]


def test_what_is_turned_away_all_the_time_keeps_lanes_down_for_twice_as_long():
    """Whatever share that is, as long as nobody says that there are too many."""
    rounds = cut()
    for lanes, patience in ((27, 64), (31, 32), (35, 16)):
        more = [rounds.go(refused=4) for _ in range(2 * patience)]
        assert more == [False] * (2 * patience - 1) + [True]
        assert not rounds.ceiling.is_too_high(rounds.sight)
        assert rounds.ceiling.lanes == lanes


def test_a_step_is_too_far_where_more_are_turned_away_than_before():
    """A tenth of all calls is, in any case; a step too far has another tenth turned away."""
    rounds = cut()
    while not rounds.go(refused=3):
        pass
    for _ in range(30):
        rounds.go(refused=3)
        assert not rounds.ceiling.is_too_high(rounds.sight)
    for _ in range(40):
        rounds.go(refused=6)
    assert rounds.ceiling.is_too_high(rounds.sight)


def test_where_all_lanes_are_allowed_once_more_it_begins_anew():
    """Other errors later have nothing to do with those before."""
    rounds = cut(most=27)
    rounds.until_more()
    assert rounds.ceiling.lanes == 27
    assert not rounds.ceiling.is_too_high(rounds.sight._replace(refused=100))
    rounds.ceiling.cut(30)
    assert rounds.until_more() == (64, 27)


def test_one_lane_is_left():
    """Or nothing would ever show that the errors have passed."""
    assert cut(1).ceiling.lanes == 1
