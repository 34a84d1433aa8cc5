"""When a run that has just begun is looked at for the first time."""

import pytest

from concurrent_choices._engine._first_glances import BRIEF, FirstGlances
from concurrent_choices._engine._lateness import Lateness
from concurrent_choices._engine._tally import Tally
from concurrent_choices._judge._controller._first_look import FIRST_LOOK
from concurrent_choices._judge._controller._thresholds import COMPUTED, FROM_ONE, PROCESS_START


@pytest.fixture
def tally():
    """The account of a thread that has done nothing yet."""
    return Tally()


@pytest.fixture
def glances(tally):
    """What glances at it."""
    return FirstGlances(tally, Lateness())


def does(tally, items, wall, cpu):
    """Enter items of equal length."""
    tally.first = (wall / items, cpu / items)
    tally.items, tally.wall, tally.cpu = items, wall, cpu


def test_nothing_that_has_begun_is_looked_at(glances):
    """Who gives the items may be what is slow."""
    assert glances.rest(10) is None


@pytest.mark.parametrize(
    ("items", "cpu", "dozes"),
    [(0, 1e-4, True), (0, 3e-4, False), (1, 0.0, False)],
    ids=["sleeps", "computes", "is not the first"],
)
def test_a_call_dozes_that_has_slept_for_most_of_its_time(tally, monkeypatch, items, cpu, dozes):
    """What looks is made ready meanwhile, where nobody else wants the GIL."""
    tally.items = items
    monkeypatch.setattr(tally, "held", lambda: (3e-4, cpu))
    assert FirstGlances(tally, Lateness()).dozes is dozes


def test_nothing_dozes_before_it_has_begun(glances):
    """Who gives the items may be what is slow."""
    assert not glances.dozes


def test_calls_that_compute_are_looked_at_once_something_can_be_decided(glances, tally):
    """Until then a look would take the GIL from them for nothing."""
    does(tally, items=2, wall=COMPUTED / 2, cpu=COMPUTED / 2)
    assert glances.rest(1000) == FIRST_LOOK
    does(tally, items=4, wall=COMPUTED, cpu=COMPUTED)
    assert glances.rest(1000) is None
    assert glances.computed


@pytest.mark.parametrize(
    ("looks", "late", "left", "rest"),
    [
        (2, 2, 40, FIRST_LOOK),
        (3, 3, 40, 20e-3),
        (3, 3, 4, BRIEF),
        (3, 2, 40, None),
        (3, 3, 90, None),
        (3, 3, None, None),
    ],
    ids=["may hold it", "hold it", "little is left", "leave it free", "much is left", "nobody knows"],
)
def test_calls_that_hold_the_gil_are_looked_at_if_processes_could_come_up(tally, looks, late, left, rest):
    """They are over before that, and nothing else would serve them: a first look takes 3 ms from them."""
    lateness = Lateness()
    lateness.looks, lateness.late = looks, late
    does(tally, items=10, wall=10e-3, cpu=10e-3)
    glances = FirstGlances(tally, lateness)
    glances._brief = left == 4
    assert glances.rest(left) == (pytest.approx(rest) if rest else None)


def test_calls_that_hold_the_gil_for_longer_than_the_first_are_looked_at(tally):
    """Where the heavy ones come last, what is left seems little at each glance."""
    lateness = Lateness()
    lateness.looks = lateness.late = 3
    does(tally, items=610, wall=PROCESS_START, cpu=PROCESS_START)
    assert FirstGlances(tally, lateness).rest(90) is None


class Lasting(Tally):
    """The account of a thread whose first call has computed for so many seconds."""

    seconds = 0.0

    def held(self):
        return self.seconds, self.seconds


def test_a_single_call_is_given_longer():
    """It may import what the others need not."""
    tally = Lasting()
    glances = FirstGlances(tally, Lateness())
    tally.seconds = COMPUTED
    assert glances.rest(1000) == FIRST_LOOK
    tally.seconds = FROM_ONE * COMPUTED
    assert glances.rest(1000) is None


def test_calls_that_wait_are_looked_at(glances, tally):
    """Lanes would overlap them."""
    does(tally, items=2, wall=1e-3, cpu=1e-4)
    assert glances.rest(1000) is None
    assert not glances.computed


@pytest.mark.parametrize("cpu", [1e-3, 1e-4])
def test_a_brief_rest_is_looked_at_only_if_it_lasts_longer_than_it_said(glances, tally, cpu):
    """Whatever the calls do: anything else takes as long to begin."""
    does(tally, items=2, wall=1e-3, cpu=cpu)
    assert glances.rest(4) == pytest.approx(4 * 0.5e-3)
    does(tally, items=2, wall=COMPUTED, cpu=COMPUTED)
    assert glances.rest(1) is None


def test_the_first_call_tells_little_of_the_rest(glances, tally):
    """It may have imported or connected."""
    does(tally, items=3, wall=1e-3, cpu=1e-3)
    tally.first, tally.wall, tally.cpu = (1.0, 1.0), 1.001, 1.001
    assert glances.rest(4) == pytest.approx(4 * 0.5e-3)


def test_nobody_is_waited_for_where_nothing_is_left_to_claim(glances, tally):
    """No lane could take a part of what the calling thread is at."""
    does(tally, items=2, wall=1.0, cpu=1.0)
    assert glances.rest(0) == BRIEF


def test_of_an_unknown_length_no_rest_is_brief(glances, tally):
    """There may be a million more."""
    does(tally, items=2, wall=1e-3, cpu=1e-4)
    assert glances.rest(None) is None
