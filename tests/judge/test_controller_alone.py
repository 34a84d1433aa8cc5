"""The controller, by hand, while the calling thread is alone: first calls, and callables that must stay."""

import pytest
from controller_sights import at_the_pair, computing, controller

from concurrent_choices._judge._controller._controller import Controller
from concurrent_choices._judge._controller._sight import Limits, Sight


def test_a_tiny_job_stays_in_the_calling_thread():
    """What is over in a moment is worth no second lane."""
    decider = controller()
    arrangement = decider.look(computing(0.002, items=2000, remaining=500))
    assert (arrangement.stage, arrangement.threads) == ("alone", 0)
    assert "too small" in arrangement.reason


@pytest.mark.parametrize(("remaining", "stage"), [(9, "alone"), (30, "pair")])
def test_a_rest_that_is_over_before_two_lanes_are_compared_stays(remaining, stage):
    """The trial takes as long, and beside a neighbour a second lane gains nothing anyway."""
    decider = controller()
    for now in (0.002, 0.005, 0.006):
        arrangement = decider.look(computing(now, items=round(now * 1000), remaining=remaining))
    assert arrangement.stage == stage


def test_a_million_tiny_items_stay_too():
    """Handing one over costs as much as it takes."""
    decider = controller()
    for now in (0.002, 0.01, 0.05, 0.2):
        arrangement = decider.look(computing(now, items=int(now * 1e7), remaining=10**7))
        assert (arrangement.stage, arrangement.threads, arrangement.processes) == ("alone", 0, 0)


def test_a_call_that_waits_is_not_waited_for():
    """The first call is in flight and its clock stands still: lanes start at once."""
    sight = Sight(now=0.002, remaining=49, held=0.002, held_cpu=0.0001)
    arrangement = controller().look(sight)
    assert (arrangement.stage, arrangement.threads, arrangement.relieved) == ("waiting", 16, True)


@pytest.mark.parametrize(("remaining", "share"), [(1, 16), (0, 4)])
def test_lanes_that_have_begun_all_items_are_seldom_looked_at(remaining, share):
    """There is nothing left that more of them could do, or processes; only the next run learns by it."""
    decider = controller()
    decider.look(Sight(now=0.002, remaining=15, held=0.002, held_cpu=0.0001))
    arrangement = decider.look(Sight(now=0.082, remaining=remaining, in_flight=15, lane_cpu=0.001))
    assert arrangement.look == pytest.approx(0.08 / share)


def test_a_first_call_that_computed_and_waits_now_gets_company():
    """It may have imported and connected before it asked its server."""
    decider = controller()
    decider.look(Sight(now=0.002, remaining=49, held=0.002, held_cpu=0.002, cpu=0.002))
    decider.look(Sight(now=0.0045, remaining=49, held=0.0045, held_cpu=0.004, cpu=0.004))
    arrangement = decider.look(Sight(now=0.0067, remaining=49, held=0.0067, held_cpu=0.004, cpu=0.004))
    assert (arrangement.stage, arrangement.threads) == ("waiting", 4)


def test_a_call_that_computed_for_long_gets_little_company():
    """Workers were ordered by what it computed; it sleeps now, and the others may well compute as much."""
    decider = controller()
    for now, late in ((0.002, 1), (0.004, 2), (0.007, 3), (0.01, 4)):
        clocks = {"held": now, "held_cpu": now, "cpu": now, "lane_cpu": now}
        arrangement = decider.look(Sight(now=now, remaining=49, looks=late, late=late, **clocks))
    assert arrangement.stage == "starting"
    clocks = {"held_cpu": 0.01, "cpu": 0.01, "lane_cpu": 0.01}
    for now in (0.015, 0.02, 0.022, 0.024):
        arrangement = decider.look(Sight(now=now, remaining=49, looks=5, late=4, held=now, **clocks))
    assert (arrangement.stage, arrangement.threads) == ("waiting", 4)


def test_a_call_of_one_thread_that_waits_while_workers_come_up_is_left_to_them():
    """No other thread may wait beside it, but other processes may."""
    decider = controller(threads=1)
    for now in (0.002, 0.004, 0.007, 0.01):
        clocks = {"held": now, "held_cpu": now, "cpu": now, "lane_cpu": now}
        arrangement = decider.look(Sight(now=now, remaining=49, **clocks))
    assert arrangement.stage == "starting"
    clocks = {"held_cpu": 0.01, "cpu": 0.01, "lane_cpu": 0.01}
    for now in (0.015, 0.02, 0.022, 0.024):
        arrangement = decider.look(Sight(now=now, remaining=49, held=now, **clocks))
    assert arrangement.stage == "starting"


def test_a_clock_that_seems_to_go_back_proves_no_waiting():
    """A call was taken for queueing at one look, and was not: the next tells nothing."""
    decider = controller()
    decider.look(Sight(now=0.002, remaining=49, held=0.002, held_cpu=0.002, cpu=0.001))
    sight = Sight(now=0.0045, remaining=49, held=0.0045, held_cpu=0.0018, cpu=0.002)
    assert decider.look(sight._replace(held_cpu=0.0042)).stage == "alone"
    assert decider.look(sight._replace(now=0.0067, held=0.0067, held_cpu=0.0041)).stage != "waiting"


@pytest.mark.parametrize("rough", [True, False])
def test_what_follows_a_rough_sight_is_not_taken_for_waiting(rough):
    """A call queued for a core, which two figures held; what is left for the next seems to be missing."""
    decider = controller()
    decider.keep_apart("calls change the global 'count'")
    for sight in (
        Sight(now=0.036, alone_items=4, alone_wall=0.035, alone_cpu=0.034, held=0.001, held_cpu=0.001),
        Sight(now=0.045, alone_items=4, alone_wall=0.035, alone_cpu=0.038, held=0.01, held_cpu=0.01),
        Sight(now=0.055, alone_items=6, alone_wall=0.054, alone_cpu=0.049, held=0.001, held_cpu=0.001),
    ):
        arrangement = decider.look(sight._replace(rough=rough and sight.now == 0.045))
    assert (arrangement.stage == "alone") is rough


def test_a_call_that_sleeps_is_seen_after_a_rough_sight():
    """Nothing counts from that, but everything from the next."""
    decider = controller()
    clocks = {"cpu": 0.001, "lane_cpu": 0.001}
    decider.begin(Sight(now=0.002, remaining=49, held=0.002, held_cpu=0.002, rough=True, **clocks))
    for now in (0.004, 0.006):
        arrangement = decider.look(Sight(now=now, remaining=49, held=now, held_cpu=0.002, **clocks))
    assert arrangement.stage == "waiting"


def test_a_first_call_unlike_the_others_is_forgotten():
    """Workers were ordered by what it computed; the others wait."""
    decider = controller()
    for now, late in ((0.002, 1), (0.004, 2), (0.007, 3), (0.01, 4)):
        sight = Sight(
            now=now, remaining=49, held=now, held_cpu=now, cpu=now, lane_cpu=now, looks=late, late=late
        )
        arrangement = decider.look(sight)
    assert arrangement.stage == "starting"
    one = {"alone_wall": 0.052, "alone_cpu": 0.05, "cpu": 0.05, "looks": 5, "late": 5}
    decider.look(Sight(now=0.052, done=1, remaining=48, alone_items=1, held=0.0, **one))
    stages = []
    for now in (0.06, 0.07, 0.08, 0.09, 0.1, 0.11):
        held = (now - 0.052) % 0.019
        items = 1 + int((now - 0.052) / 0.019)
        wall = 0.052 + 0.019 * (items - 1)
        sight = Sight(
            now=now, remaining=40, alone_items=items, held=held, **one | {"alone_wall": wall, "cpu": 0.052}
        )
        stages.append(decider.look(sight).stage)
    assert stages[-1] == "waiting"


def test_a_call_that_computes_is_watched_on():
    """The first call is in flight and computes: nothing starts for it yet."""
    sight = Sight(now=0.002, remaining=49, held=0.002, held_cpu=0.0019)
    assert controller().look(sight).stage == "alone"


def test_a_long_first_call_is_taken_for_one_of_many():
    """It has not returned, and the rest is worth processes by what it has lasted so far."""
    decider = controller()
    for now in (0.002, 0.004, 0.02, 0.03):
        decider.look(Sight(now=now, remaining=14, held=now, held_cpu=now, cpu=now, lane_cpu=now))
    decider.look(Sight(now=0.031, remaining=13, held=0.031, lane_cpu=0.031, cpu=0.031, in_flight=1))
    arrangement = decider.look(Sight(now=0.06, remaining=13, held=0.06, lane_cpu=0.06, cpu=0.06, in_flight=1))
    arrangement = decider.look(Sight(now=0.08, remaining=13, held=0.08, lane_cpu=0.08, cpu=0.08, in_flight=1))
    assert arrangement.stage == "starting"


def test_what_may_change_its_surroundings_is_seen_once_before_it_gets_company():
    """The first call has to return: until then nobody knows what it changes."""
    decider = controller()
    for now in (0.002, 0.01, 0.05, 0.2):
        sight = Sight(now=now, remaining=50, held=now, held_cpu=now, cpu=now, lane_cpu=now, unseen=True)
        assert decider.look(sight).threads == 0


@pytest.mark.parametrize("remaining", [1, 5, 1000])
def test_a_callable_bound_to_its_thread_stays_for_that_reason(remaining):
    """However little is left: that nothing would be gained is true as well, and says less."""
    decider = controller()
    decider.look(computing(0.002, items=2))
    decider.keep_single("it belongs to the thread that made it")
    decider.bar("a worker process cannot load it")
    for now in (0.005, 0.01, 0.02):
        arrangement = decider.look(computing(now, items=round(now * 1000), remaining=remaining))
        assert (arrangement.stage, arrangement.threads) == ("alone", 0)
        assert "it belongs to the thread that made it" in arrangement.reason


def test_a_callable_bound_to_its_thread_may_compute_in_workers():
    """Each makes its calls in one thread, too."""
    decider = controller()
    decider.look(computing(0.002, items=2))
    decider.keep_single("it sets the working directory")
    arrangement = decider.look(computing(0.02, items=20))
    assert (arrangement.stage, arrangement.threads, arrangement.processes) == ("starting", 0, 2)


@pytest.mark.parametrize("reason", ["calls change the global 'n'"])
def test_a_barred_callable_never_leaves(reason):
    """What changes its surroundings goes on in this process, and the reason says why."""
    decider = at_the_pair()
    decider.look(computing(0.03, items=30))
    decider.look(computing(0.08, items=80))
    decider.bar(reason)
    arrangement = decider.look(computing(0.1, items=100, ready=2))
    assert not arrangement.outside
    assert reason in decider.look(computing(0.5, items=500, remaining=5000)).reason


def test_calls_that_must_not_compute_side_by_side_may_wait_so():
    """A client that connects at first, and keeps its connections, computes before it waits."""
    decider = at_the_pair()
    decider.keep_apart("calls change the global 'session'")
    arrangement = decider.look(computing(0.05, items=8, in_flight=0))
    assert (arrangement.stage, arrangement.threads) == ("alone", 0)
    more = {"alone_items": 10, "alone_wall": 0.17, "alone_cpu": 0.052, "cpu": 0.052, "lane_cpu": 0.052}
    for now in (0.15, 0.17):
        arrangement = decider.look(Sight(now=now, done=10, remaining=990, held=0.01, **more))
    assert (arrangement.stage, arrangement.relieved) == ("waiting", True)


def test_calls_that_must_not_compute_side_by_side_wait_so_beyond_doubt():
    """On a busy machine what computes seems to wait for a part of its time, and its results would tell."""
    decider = at_the_pair()
    decider.keep_apart("calls change the global 'count'")
    decider.look(computing(0.05, items=8, in_flight=0))
    computed = 0.05
    for now in (0.15, 0.25, 0.35):
        computed += 0.05
        more = {"alone_cpu": computed, "cpu": computed, "lane_cpu": computed}
        sight = Sight(now=now, done=10, remaining=990, alone_items=10, alone_wall=now, **more)
        arrangement = decider.look(sight)
        assert (arrangement.stage, arrangement.threads) == ("alone", 0)
    assert "calls change the global 'count'" in arrangement.reason


def test_one_processor_starts_neither_pair_nor_processes():
    """With nothing to gain there is nothing to try."""
    decider = controller(cpus=1.0, processes=1)
    for now in (0.002, 0.01, 0.05, 0.5):
        arrangement = decider.look(computing(now, items=round(now * 1000)))
        assert (arrangement.threads, arrangement.processes) == (0, 0)


def test_a_single_callable_gets_no_lanes():
    """`thread_safe=False`: where little is left, waiting work stays in the calling thread."""
    decider = controller(threads=1)
    arrangement = decider.look(Sight(now=0.01, remaining=3, held=0.01))
    assert (arrangement.threads, arrangement.relieved, arrangement.processes) == (0, False, 0)
    assert arrangement.reason == "it waits, and may run in one thread: as was asked for"


def test_a_single_callable_that_waits_does_so_in_workers():
    """Side by side, in one thread of each, however little it computes there."""
    decider = controller(threads=1, waiting=8)
    for now in (0.01, 0.1, 0.11, 0.2):
        sight = Sight(now=now, remaining=490, held=0.01, ready=2)
        arrangement = decider.look(sight)
    assert (arrangement.outside, arrangement.processes, arrangement.inside) == (True, 8, 1)
    for now, items in ((0.25, 10), (0.35, 30), (0.5, 60), (1.0, 160)):
        spent = 8 * (now - 0.2)
        sight = Sight(now=now, remaining=490 - items, outside_items=items, outside_seconds=spent, ready=2)
        assert decider.look(sight).outside
    again = Controller(Limits(cpus=2.0, processes=2, waiting=8, threads=1), decider.learnt)
    assert again.look(Sight(now=0.001, remaining=500)).processes == 8


def test_items_found_to_fill_the_cores_are_left_alone():
    """A trial of two left their own threads no core to be seen on; while workers come up, they have them."""
    decider = controller()
    for now, late in ((0.002, 1), (0.005, 2), (0.007, 3), (0.01, 4)):
        arrangement = decider.look(computing(now, items=round(now * 1000), looks=late, late=late))
    assert arrangement.stage == "starting"
    for now in (0.03, 0.05, 0.075):
        sight = computing(now, items=round(now * 1000), looks=4, late=4)
        arrangement = decider.look(sight._replace(cpu=0.01 + 1.9 * (now - 0.01)))
    assert (arrangement.stage, arrangement.processes) == ("alone", 0)
    assert arrangement.reason == "an item keeps the cores busy by itself"


def test_a_library_whose_threads_spin_after_it_was_loaded():
    """They are no item's: once they rest, the items that were left alone for them go to workers."""
    decider = controller()
    for now, late in ((0.002, 1), (0.005, 2), (0.007, 3), (0.01, 4)):
        decider.look(computing(now, items=round(now * 1000), looks=late, late=late))
    for now in (0.03, 0.05, 0.075, 0.125, 0.175, 0.225):
        sight = computing(now, items=round(now * 1000), looks=4, late=4 + round(100 * now))
        arrangement = decider.look(sight._replace(cpu=now + 0.9 * (min(now, 0.1) - 0.01)))
        if now == 0.075:
            assert arrangement.reason == "an item keeps the cores busy by itself"
    assert (arrangement.stage, arrangement.processes) == ("starting", 2)
