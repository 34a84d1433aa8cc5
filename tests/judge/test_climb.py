"""How many lanes calls that wait get, by hand: as many as deliver more, and none that would not."""

from math import ceil

import pytest

from concurrent_choices._judge._controller._climb import Climb
from concurrent_choices._judge._controller._sight import Sight


def climbs(rate_of, *, seconds=3.0, errors_at=None, alone=0):
    """A climb over a server that delivers `rate_of(lanes)` calls a second, after each look."""
    each = 0.05
    climb = Climb(Sight(now=0.0, remaining=10**6), 256, alone=each if alone else 0.0)
    now, calls, busy, errors = each, 0.0, 0.0, 0
    while now < seconds:
        calls += rate_of(climb.lanes) * 0.01
        busy += climb.lanes * 0.01
        if errors_at is not None and climb.lanes > errors_at:
            errors += 1
        climb.look(
            Sight(
                now=now,
                remaining=10**6,
                in_flight=climb.lanes,
                calls=int(calls),
                call_seconds=busy,
                quickest=each,
                alone_items=alone,
                alone_wall=alone * each,
                errors=errors,
            )
        )
        yield climb
        now += 0.01


def climbing(rate_of, **about):
    """The same climb at the end."""
    *_, climb = climbs(rate_of, **about)
    return climb


def test_lanes_double_to_the_ceiling_where_nothing_holds_them_up():
    """Pure waiting: every lane delivers."""
    assert climbing(lambda lanes: lanes / 0.05).lanes == 256


def test_lanes_double_from_look_to_look():
    """Calls that come back hundreds of times between two looks leave time to see what more lanes do."""
    climb = Climb(Sight(now=0.0, remaining=10**6), 256)
    calls = [30, 330, 990, 2000]
    lanes = []
    for step, count in enumerate(calls, 1):
        in_flight = climb.lanes
        sight = Sight(
            now=step / 100, remaining=10**6, in_flight=in_flight, calls=count, call_seconds=count * 3e-4
        )
        lanes.append(climb.look(sight))
    assert lanes == [32, 64, 128, 256]


def test_lanes_settle_at_twice_what_a_server_takes():
    """A server that lets eight in needs no two hundred callers."""
    climb = climbing(lambda lanes: min(lanes, 8) / 0.05)
    assert climb.settled
    assert 8 <= climb.lanes <= ceil(2 * 8 * 1.6)


def test_a_lock_gets_few_lanes():
    """Calls that get in each other's way are told early by one that was alone."""
    climb = climbing(lambda lanes: 1 / 0.05, seconds=6.0, alone=1)
    assert climb.lanes <= 4
    assert climb.why == "calls get in each other's way"


def test_one_lane_that_is_tried_is_no_sign_of_a_lock():
    """It delivers what one would; a server that lets two in has the others back after that."""
    looks = climbs(lambda lanes: min(lanes, 2) / 0.05, seconds=10.0, alone=4)
    seen = [(climb.lanes, climb.alone_is_best) for climb in looks]
    assert (1, False) in seen
    assert not any(alone_is_best for _, alone_is_best in seen)


@pytest.mark.parametrize(("alone", "settled"), [(1, False), (16, True)])
def test_a_few_quick_calls_do_not_make_the_others_look_crowded(alone, settled):
    """What one takes by itself is as uncertain as those are few that told it."""
    told = {"remaining": 1000, "alone_items": alone, "alone_wall": alone * 1e-3}
    climb = Climb(Sight(now=0.02, **told), 256)
    climb.look(Sight(now=0.022, in_flight=16, **told))
    climb.look(Sight(now=0.027, in_flight=16, calls=16, call_seconds=16 * 4e-3, quickest=1e-3, **told))
    climb.look(Sight(now=0.032, in_flight=32, calls=48, call_seconds=48 * 4e-3, quickest=1e-3, **told))
    assert climb.settled is settled


def test_errors_of_congestion_halve_the_lanes():
    """A server that turns away what is too much gets less, and never so much again."""
    climb = climbing(lambda lanes: lanes / 0.05, errors_at=40)
    assert climb.lanes <= 40


def test_nothing_is_concluded_while_items_are_missing():
    """Where the source is the slower one, a rate says nothing about the lanes."""
    climb = Climb(Sight(now=0.0), 256)
    for step in range(1, 100):
        climb.look(Sight(now=step / 100, calls=step, call_seconds=step / 100, in_flight=1, starved=True))
    assert not climb.settled
    assert climb.lanes == 16


def test_lanes_begin_as_fast_as_calls_are_seen_to_sleep():
    """The first call slept after 2 ms of CPU, as four more do now: six such fit into the 13 ms waited."""
    climb = Climb(Sight(now=0.003, held=0.004, held_cpu=0.002, lane_cpu=0.002), 256, 4)
    assert climb.look(Sight(now=0.012, in_flight=4, lane_cpu=0.0105)) == 6
    assert climb.look(Sight(now=0.016, in_flight=6, lane_cpu=0.0108)) == 11
    assert climb.look(Sight(now=0.100, in_flight=11, lane_cpu=0.0110)) == 22


def test_lanes_that_fill_the_gil_are_joined_by_none():
    """The first call slept; those beside it compute."""
    climb = Climb(Sight(now=0.003, held=0.004, held_cpu=0.001, lane_cpu=0.001), 256, 4)
    lanes = [climb.look(Sight(now=now, in_flight=4, lane_cpu=now - 0.002)) for now in (0.05, 0.1, 0.2)]
    assert lanes == [5, 5, 5]


def test_lanes_for_which_a_library_computes_are_joined_by_none():
    """They sleep until its threads have done, which more of them would keep busy no better."""
    climb = Climb(Sight(now=0.003), 256, 4)
    lanes = [climb.look(Sight(now=now, in_flight=4, lane_cpu=0.001, cpu=now)) for now in (0.05, 0.1, 0.2)]
    assert lanes == [4, 4, 4]


def test_a_first_call_for_which_a_library_computes_is_not_taken_to_sleep():
    """Its own clock stands still; lanes beside it would only begin more of what is computed already."""
    climb = Climb(Sight(now=0.034, held=0.034, held_cpu=0.009, lane_cpu=0.009, cpu=0.034), 256, 4)
    lanes = [climb.look(Sight(now=now, in_flight=4, lane_cpu=0.011, cpu=now)) for now in (0.04, 0.1, 0.2)]
    assert lanes == [4, 4, 4]


@pytest.mark.parametrize(("cores", "lanes"), [(1.0, 8), (1.9, 4)])
def test_lanes_are_joined_by_none_where_a_library_fills_the_cores(cores, lanes):
    """Each call that comes back would bring one more, which could only wait for those that are there."""
    climb = Climb(Sight(now=0.0), 256, 4, cpus=2.0)
    climb.look(Sight(now=0.01, in_flight=4, lane_cpu=0.002, cpu=0.01 * cores))
    clocks = {"lane_cpu": 0.004, "cpu": 0.03 * cores}
    assert climb.look(Sight(now=0.03, in_flight=4, calls=4, call_seconds=0.08, **clocks)) == lanes


@pytest.mark.parametrize("one_core", [True, False])
def test_lanes_that_fill_one_core_are_joined_by_others_where_there_are_more(one_core):
    """Under the GIL, and on a loop, a core is all that they have."""
    climb = Climb(Sight(now=0.0, remaining=1000), 256, 2, one_core=one_core)
    climb.look(Sight(now=0.01, remaining=1000, in_flight=2, lane_cpu=0.01))
    lanes = climb.look(Sight(now=0.02, remaining=998, in_flight=2, calls=2, call_seconds=0.02, lane_cpu=0.02))
    assert lanes == (2 if one_core else 4)
