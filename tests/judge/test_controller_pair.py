"""The controller, by hand, as two lanes are compared with one, and as lanes compute side by side."""

import pytest
from controller_sights import at_the_pair, computing, controller

from concurrent_choices._judge._controller._sight import Sight


def test_two_lanes_twice_as_fast_become_threads():
    """CPU outside the GIL: as many threads as cores."""
    decider = at_the_pair(cpus=8.0, processes=8)
    arrangement = decider.look(
        Sight(now=0.03, done=52, remaining=900, lane_cpu=0.052, cpu=0.052, in_flight=1)
    )
    assert (arrangement.stage, arrangement.threads, arrangement.relieved) == ("parallel", 8, True)


@pytest.mark.parametrize(
    ("cpus", "late", "remaining", "stage"),
    [
        (8.0, 6, 9000, "starting"),
        (8.0, 1, 9000, "parallel"),  # the lanes wait for something else
        (8.0, 6, 150, "parallel"),  # the rest would not pay for processes
        (3.0, 6, 9000, "parallel"),  # two of so few lanes were compared
    ],
)
def test_lanes_that_take_turns_become_processes(cpus, late, remaining, stage):
    """Items need the GIL for half of their time: two cores are all that threads can use."""
    decider = at_the_pair(cpus=cpus, processes=round(cpus))
    decider.look(Sight(now=0.03, done=52, remaining=remaining, lane_cpu=0.052, cpu=0.052, in_flight=1))
    later = Sight(now=0.13, done=252, remaining=remaining, lane_cpu=0.252, cpu=0.252, in_flight=1, looks=6)
    arrangement = decider.look(later._replace(late=late))
    assert (arrangement.stage, arrangement.threads) == (stage, round(cpus))


def test_a_few_items_are_no_sign_that_lanes_take_turns():
    """What the rest takes is not known by those: they may be long ones."""
    decider = at_the_pair(cpus=8.0, processes=8)
    decider.look(Sight(now=0.03, done=52, remaining=9000, lane_cpu=0.052, cpu=0.052, in_flight=1))
    few = Sight(now=0.13, done=59, remaining=9000, lane_cpu=0.252, cpu=0.252, in_flight=1, looks=6, late=6)
    assert decider.look(few).stage == "parallel"


def test_lanes_that_fall_asleep_take_no_turns():
    """Looks come late as somebody else holds the GIL, and no lane's clock moves."""
    decider = at_the_pair(cpus=8.0, processes=8)
    decider.look(Sight(now=0.03, done=52, remaining=9000, lane_cpu=0.052, cpu=0.052, in_flight=1))
    asleep = Sight(
        now=0.13, done=252, remaining=9000, lane_cpu=0.052, cpu=0.152, in_flight=8, looks=6, late=6
    )
    assert decider.look(asleep).stage == "waiting"


def test_lanes_that_are_no_faster_together_any_more_give_way():
    """They computed outside the GIL, and now all of them use one core."""
    decider = at_the_pair(cpus=8.0, processes=8)
    decider.look(Sight(now=0.03, done=52, remaining=9000, lane_cpu=0.052, cpu=0.052, in_flight=1))
    arrangement = decider.look(
        Sight(now=0.13, done=152, remaining=9000, lane_cpu=0.152, cpu=0.152, in_flight=8)
    )
    assert (arrangement.stage, arrangement.threads) == ("alone", 0)
    assert "leave cores idle" in arrangement.reason


@pytest.mark.parametrize(("items", "stage"), [(62, "alone"), (110, "parallel"), (20, "parallel")])
def test_lanes_that_only_slow_each_other_down_give_way(items, stage):
    """Each keeps a core busy, with page faults or waiting for memory: by what they deliver one would do.

    A few items tell nothing: they may be long ones.
    """
    decider = at_the_pair()
    decider.look(Sight(now=0.03, done=52, remaining=900, lane_cpu=0.052, cpu=0.052, in_flight=1))
    both = Sight(
        now=0.09, done=52 + items, remaining=900, lane_cpu=0.172, cpu=0.172, in_flight=2, alone_items=8
    )
    assert decider.look(both).stage == stage


def test_what_lanes_only_slow_down_is_not_compared_again_at_once():
    """The calling thread alone goes on with it, for a long time."""
    decider = at_the_pair()
    decider.look(Sight(now=0.03, done=52, remaining=900, lane_cpu=0.052, cpu=0.052, in_flight=1))
    given = {"remaining": 900, "alone_items": 8, "alone_wall": 0.008, "alone_cpu": 0.008}
    both = Sight(now=0.09, done=114, lane_cpu=0.172, cpu=0.172, in_flight=2, **given)
    assert decider.look(both).stage == "alone"
    for now, items in ((0.1, 10), (0.12, 30), (0.15, 60), (0.2, 110)):
        arrangement = decider.look(alone_again(both, now, items))
        assert arrangement.stage == "alone"
    assert "one at a time" in arrangement.reason


@pytest.mark.parametrize("lacking", [{"starved": True}, {"in_flight": 1}])
def test_lanes_that_lacked_items_are_judged_by_what_they_deliver_since(lacking):
    """Whoever gives the items was the slower one at first; they deliver nearly twice what one lane does."""
    decider = at_the_pair()
    decider.look(Sight(now=0.03, done=52, remaining=900, lane_cpu=0.052, cpu=0.052, in_flight=1))
    few = Sight(now=0.09, done=72, remaining=900, lane_cpu=0.172, cpu=0.172, in_flight=2, alone_items=8)
    assert decider.look(few._replace(**lacking)).stage == "parallel"
    both = few._replace(now=0.15, done=182, lane_cpu=0.292, cpu=0.292)
    assert decider.look(both).stage == "parallel"


def test_idle_lanes_that_lack_items_are_kept():
    """They are no slower for that than they were, and more items may come."""
    decider = at_the_pair()
    decider.look(Sight(now=0.03, done=52, remaining=900, lane_cpu=0.052, cpu=0.052, in_flight=1))
    idle = Sight(now=0.09, done=72, remaining=None, lane_cpu=0.072, cpu=0.072, in_flight=2, starved=True)
    assert decider.look(idle).stage == "parallel"


def test_lanes_that_once_delivered_more_are_kept():
    """Items that grow look like lanes that slow each other down: nobody takes them for that later on."""
    decider = at_the_pair()
    decider.look(Sight(now=0.03, done=52, remaining=900, lane_cpu=0.052, cpu=0.052, in_flight=1))
    both = Sight(now=0.09, done=162, remaining=900, lane_cpu=0.172, cpu=0.172, in_flight=2, alone_items=8)
    for now, done in ((0.09, 162), (0.19, 262), (0.39, 312)):
        sight = both._replace(now=now, done=done, lane_cpu=2 * now - 0.008)
        assert decider.look(sight).stage == "parallel"


@pytest.mark.parametrize(("items", "stage"), [(114, "parallel"), (78, "alone")])
def test_lanes_that_a_neighbour_leaves_few_cores_are_kept_for_what_they_deliver(items, stage):
    """Half of a core is gone; they deliver nearly twice what one did all the same, or do not."""
    decider = at_the_pair()
    decider.look(Sight(now=0.03, done=52, remaining=900, lane_cpu=0.052, cpu=0.052, in_flight=1))
    both = Sight(now=0.09, done=52 + items, remaining=900, lane_cpu=0.142, cpu=0.142, in_flight=2)
    assert decider.look(both).stage == stage


def test_lanes_that_fill_one_core_give_way_however_much_they_deliver():
    """Items are smaller now, and compute under the GIL; a neighbour was there when one lane was measured."""
    decider = controller()
    for now in (0.002, 0.005, 0.006):
        found = decider.look(computing(now, items=round(now * 1000))._replace(lane_cpu=0.8 * now))
    assert found.stage == "pair"
    decider.look(computing(0.008, items=8, in_flight=1)._replace(lane_cpu=0.0064))
    both = Sight(now=0.03, done=45, remaining=900, lane_cpu=0.0064 + 1.7 * 0.022, cpu=0.05, in_flight=1)
    assert decider.look(both).stage == "parallel"
    held = both._replace(now=0.09, done=45 + 114, lane_cpu=both.lane_cpu + 0.06, cpu=0.11, in_flight=2)
    assert decider.look(held).stage == "alone"


def test_what_a_lane_used_that_has_left_is_not_the_calling_threads():
    """Alone it seemed to use more than one core; two are held against one."""
    decider = controller()
    for now in (0.002, 0.005, 0.006):
        found = decider.look(computing(now, items=round(now * 1000))._replace(lane_cpu=1.4 * now))
    assert found.stage == "pair"
    decider.look(computing(0.008, items=8, in_flight=1))
    both = Sight(now=0.03, done=45, remaining=900, lane_cpu=0.008 + 1.7 * 0.022, cpu=0.05, in_flight=1)
    assert decider.look(both).stage == "parallel"


def test_lanes_that_leave_a_core_idle_are_compared_once_more():
    """The first items were slow as all was new to them: by those two lanes looked faster than they are."""
    decider = at_the_pair()
    found = decider.look(Sight(now=0.03, done=60, remaining=9000, lane_cpu=0.044, cpu=0.044, in_flight=1))
    assert (found.stage, found.threads) == ("parallel", 2)
    sight = Sight(now=0.09, done=150, remaining=9000, lane_cpu=0.134, cpu=0.134, in_flight=2, alone_items=8)
    assert decider.look(sight).stage == "alone"
    for now, items in ((0.092, 4), (0.094, 8), (0.096, 12)):
        found = decider.look(alone_again(sight, now, items))
    assert found.stage == "pair"
    decider.look(alone_again(sight, 0.098, 16, in_flight=1))
    sight = alone_again(sight, 0.098, 16)._replace(now=0.120, done=210, lane_cpu=0.174, cpu=0.174)
    decider.look(sight)
    found = decider.look(alone_again(sight, 0.128, 16))
    assert (found.stage, found.processes) == ("starting", 2)


def alone_again(before, now, items, in_flight=0):
    """The calling thread has computed since then, half a millisecond an item."""
    spent = now - before.now
    return before._replace(
        now=now,
        done=before.done + items,
        alone_items=before.alone_items + items,
        alone_wall=before.alone_wall + spent,
        alone_cpu=before.alone_cpu + spent,
        cpu=before.cpu + spent,
        lane_cpu=before.lane_cpu + spent,
        in_flight=in_flight,
    )


def test_two_lanes_that_mostly_wait_become_a_few():
    """The calling thread has computed until now; beside another lane it does for a fifth of the time."""
    decider = at_the_pair()
    arrangement = decider.look(
        Sight(now=0.03, done=20, remaining=900, lane_cpu=0.0168, cpu=0.0168, in_flight=1)
    )
    assert (arrangement.stage, arrangement.threads, arrangement.relieved) == ("waiting", 4, True)
    assert "20%" in arrangement.reason


def test_an_item_with_threads_of_its_own_gets_no_company():
    """The process uses more cores than its lanes do: they are full already, and stay with one caller."""
    decider = at_the_pair()
    arrangement = decider.look(Sight(now=0.03, done=30, remaining=900, lane_cpu=0.03, cpu=0.052, in_flight=1))
    assert (arrangement.stage, arrangement.threads) == ("alone", 0)
    assert "by itself" in arrangement.reason


def test_an_item_beside_other_threads_has_none_of_its_own():
    """Four of them leave one lane a fifth of the GIL, and two lanes a third; the rest is theirs."""
    decider = controller()
    for now, ours, lanes in ((0.005, 0.001, 0), (0.025, 0.005, 0), (0.03, 0.006, 1), (0.06, 0.016, 1)):
        clocks = {"alone_cpu": ours, "lane_cpu": ours, "cpu": now, "others_cpu": now - ours}
        sight = computing(now, items=round(now * 1000), in_flight=lanes)._replace(**clocks)
        arrangement = decider.look(sight)
    assert arrangement.stage == "starting"


def test_items_for_which_a_library_computes_are_given_lanes():
    """Two of them leave cores idle between its threads and themselves, which wait: more will fill those."""
    decider = at_the_pair()
    sight = computing(0.03, items=30, in_flight=1)
    arrangement = decider.look(sight._replace(lane_cpu=0.009, cpu=0.026))
    assert (arrangement.stage, arrangement.threads) == ("waiting", 4)


def test_two_lanes_that_use_one_core_prove_nothing():
    """A neighbour left less to the one lane before: more than then is not more than one core."""
    decider = controller(cpus=8.0, processes=8)
    for now in (0.002, 0.005, 0.006):
        decider.look(
            Sight(
                now=now, done=5, remaining=900, alone_items=5, alone_wall=now, alone_cpu=now, lane_cpu=now / 2
            )
        )
    decider.look(Sight(now=0.008, done=6, remaining=900, lane_cpu=0.004, in_flight=1))
    arrangement = decider.look(Sight(now=0.03, done=20, remaining=900, lane_cpu=0.026, in_flight=1))
    assert arrangement.stage != "parallel"


def small_items(now, **more):
    """The calling thread has computed all the time, 0.2 ms an item."""
    items = round(now * 5000)
    spent = {"alone_wall": now, "alone_cpu": now, "lane_cpu": now, "cpu": now}
    return Sight(now=now, done=items, remaining=3000, alone_items=items, **spent, **more)


def test_looks_that_come_late_spare_the_second_lane():
    """Whoever looks needs the GIL: if that takes a switch interval each time, somebody computes under it."""
    decider = controller()
    stages = [decider.look(small_items(3e-3 * look, looks=look, late=look)).stage for look in range(1, 6)]
    assert stages[-1] == "starting"
    assert "pair" not in stages


def test_looks_that_come_in_time_prove_nothing_alone():
    """The GIL is free, or the calls are short: a second lane shows it."""
    decider = controller()
    stages = [
        decider.look(small_items(3e-3 * look, looks=look, late=look // 2)).stage for look in range(1, 5)
    ]
    assert stages[-1] == "pair"


@pytest.mark.parametrize(
    ("cpus", "late", "cpu", "stage"),
    [(8.0, 0, 1.0, "parallel"), (2.0, 0, 1.0, "pair"), (8.0, 1, 1.0, "pair"), (8.0, 0, 3.0, "pair")],
)
def test_looks_that_all_come_in_time_spare_the_trial_on_many_cores(cpus, late, cpu, stage):
    """Two of eight cores tell little that looks have not; unless items may have threads of their own."""
    decider = controller(cpus=cpus)
    for look in range(1, 5):
        sight = small_items(1.5e-3 * look, looks=look, late=min(late, look))
        arrangement = decider.look(sight._replace(cpu=cpu * sight.now))
        if arrangement.stage != "alone":
            break
    assert arrangement.stage == stage


def test_small_items_add_up_to_evidence():
    """Looks come more often than there is enough to be sure: what they saw is added up."""
    decider = controller()
    assert [decider.look(small_items(3e-3 * look)).stage for look in range(1, 5)][-1] == "pair"


def test_without_a_gil_it_computes_in_threads_at_once():
    """There is nothing that two lanes or late looks could show, unless items have threads of their own."""
    decider = controller(gil=False)
    arrangements = [decider.look(small_items(3e-3 * look)) for look in range(1, 5)]
    assert (arrangements[-1].stage, arrangements[-1].threads) == ("parallel", 2)
    assert controller(gil=False).look(small_items(0.03)._replace(cpu=0.09)).stage != "parallel"


@pytest.mark.parametrize("gil", [True, False])
def test_what_keeps_to_one_thread_goes_to_processes_without_a_gil_too(gil):
    """Only the reason does not speak of what is not there."""
    decider = controller(gil=gil, threads=1)
    arrangements = [decider.look(small_items(3e-3 * look)) for look in range(1, 6)]
    assert arrangements[-1].stage == "starting"
    assert arrangements[-1].reason.startswith(
        "it computes under the GIL, and " if gil else "it computes, and "
    )
