"""The controller, by hand: sights that say one thing clearly, and what has to follow."""

from itertools import pairwise
from math import ceil, inf

import pytest

from concurrent_choices._judge._controller._climb import Climb
from concurrent_choices._judge._controller._controller import Controller
from concurrent_choices._judge._controller._known import Known
from concurrent_choices._judge._controller._sight import Limits, Prior, Sight
from concurrent_choices._judge._controller._waiting import Waiting


def controller(**limits):
    return Controller(Limits(**{"cpus": 2.0, "processes": 2, "process_start": 0.08} | limits))


def computing(now, *, items, remaining=1000, **more):
    """The calling thread has computed since the start, a millisecond an item."""
    return Sight(
        now=now,
        done=items,
        remaining=remaining,
        alone_items=items,
        alone_wall=now,
        alone_cpu=now,
        cpu=now,
        lane_cpu=now,
        **more,
    )


def at_the_pair(**limits):
    """A controller that has looked until two lanes are compared."""
    decider = controller(**limits)
    for now in (0.002, 0.005, 0.006):
        arrangement = decider.look(computing(now, items=round(now * 1000)))
    assert (arrangement.stage, arrangement.threads, arrangement.relieved) == ("pair", 1, False)
    decider.look(computing(0.008, items=8, in_flight=1))
    return decider


def test_a_tiny_job_stays_in_the_calling_thread():
    """What is over in a moment is worth no second lane."""
    decider = controller()
    arrangement = decider.look(computing(0.002, items=2000, remaining=500))
    assert (arrangement.stage, arrangement.threads) == ("alone", 0)
    assert "too small" in arrangement.reason


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


def test_two_lanes_as_fast_as_one_become_processes():
    """CPU under the GIL: processes start while the calling thread goes on, then take over."""
    decider = at_the_pair()
    arrangement = decider.look(computing(0.03, items=30, in_flight=0))
    arrangement = decider.look(computing(0.08, items=80))
    assert (arrangement.stage, arrangement.processes, arrangement.relieved) == ("starting", 2, False)
    arrangement = decider.look(computing(0.16, items=160, ready=1))
    assert not arrangement.outside
    arrangement = decider.look(computing(0.17, items=170, ready=2))
    assert (arrangement.stage, arrangement.outside) == ("outside", True)


@pytest.mark.parametrize(
    ("remaining", "seconds", "stage", "asked"),
    [
        (1000, 0.1, "starting", True),
        (1000, 0.45, "alone", True),  # two workers would import for longer than they save
        (80, 0.1, "alone", False),  # too little in any case
    ],
)
def test_what_workers_import_for_the_callable_counts(remaining, seconds, stage, asked):
    """Each of them has to do it, on a core that would have computed items."""
    answers = []

    def within(spare):
        answers.append(seconds <= spare)
        return answers[-1]

    decider = at_the_pair(ready_within=within)
    for now in (0.03, 0.08, 0.14):
        arrangement = decider.look(computing(now, items=round(now * 1000), remaining=remaining))
    assert arrangement.stage == stage
    assert bool(answers) == asked


def learnt_without_workers(prior=None):
    """What a run learns that computes under the GIL, where workers have too much to import."""
    decider = Controller(Limits(cpus=2.0, processes=2, ready_within=lambda _: False), prior)
    for now, looks in ((0.01, 4), (0.1, 20), (0.4, 30)):
        items = round(now * 1000)
        decider.look(computing(now, items=items, remaining=400 - items, looks=looks, late=looks))
    return decider.learnt


def test_what_workers_would_have_saved_adds_up_from_run_to_run():
    """What they take to begin with is worth it once runs without them have lost as much."""
    once = learnt_without_workers()
    assert once.stage == "gil"
    assert once.forgone == pytest.approx(0.13, rel=0.1)
    assert learnt_without_workers(once).forgone == pytest.approx(2 * once.forgone, rel=0.2)


def test_a_run_that_had_workers_has_forgone_nothing():
    """They rest, and have imported what the next run needs."""
    assert outside().learnt.forgone == inf


def test_lanes_that_have_no_workers_for_what_those_import_forgo_as_much():
    """It adds up with what runs in the calling thread do, wherever a run ends."""
    decider = Controller(Limits(cpus=2.0, processes=2), Prior("waiting", lanes=4, each=1e-3, forgone=0.3))
    decider.look(Sight(now=0.001, remaining=100))
    assert (decider.learnt.stage, decider.learnt.forgone) == ("waiting", 0.3)


def outside(**limits):
    """A controller that has the items go to processes."""
    decider = at_the_pair(**limits)
    for now, ready in ((0.03, 0), (0.08, 0), (0.17, 2)):
        arrangement = decider.look(computing(now, items=round(now * 1000), ready=ready))
    assert arrangement.outside
    decider.look(Sight(now=0.2, remaining=700, outside_items=2, outside_seconds=0.002))
    return decider


def test_processes_that_pay_stay():
    """The first batches confirm the hand-over."""
    decider = outside()
    sight = Sight(now=0.3, remaining=500, outside_items=200, outside_seconds=0.2, outside_cpu=0.2)
    assert decider.look(sight).stage == "outside"


def mostly_carried(windows):
    """So many windows after the hand-over, in which workers did little and the calling thread much."""
    parts = {"outside_items": 50 * windows, "outside_seconds": 0.05 * windows}
    parts |= {"cpu": 0.1 * windows, "lane_cpu": 0.1 * windows}
    return Sight(now=0.2 + 0.1 * windows, remaining=600 - 50 * windows, **parts)


def test_what_costs_more_to_carry_comes_back_for_good():
    """Payload-bound: the parent is busy pickling, the workers are not busy with the callable."""
    decider = outside()
    assert decider.look(mostly_carried(1)).outside  # they may only be reading what many items share
    arrangement = decider.look(mostly_carried(2))
    assert (arrangement.stage, arrangement.outside) == ("alone", False)
    later = decider.look(computing(3.0, items=900, remaining=5000))
    assert later.processes == 0


def test_what_other_threads_compute_is_not_taken_for_carrying():
    """They fill a core of this process meanwhile, and workers have what they leave of the others."""
    decider = outside()
    for windows in (1, 2, 3):
        workers = {"outside_items": 150 * windows, "outside_cpu": 0.05 * windows}
        sight = mostly_carried(windows)._replace(lane_cpu=0.01 * windows, **workers)
        assert decider.look(sight).outside


def test_processes_that_are_no_faster_are_given_up():
    """All share one memory: two at once take twice as long each, though both are busy."""
    decider = outside()
    for part in (1, 2, 3):
        arrangement = decider.look(computed(part, items=80 * part))
        assert arrangement.outside == (part < 3)
    assert arrangement.stage == "alone"
    assert "no faster" in arrangement.reason


def test_one_slow_window_gives_no_processes_up():
    """A long item or two among many short ones: both windows together are faster than one lane was."""
    decider = outside()
    assert decider.look(computed(1, items=80)).outside
    assert decider.look(computed(2, items=260)).outside
    assert decider.look(computed(3, items=270)).outside


def computed(windows, items):
    """So many items in windows of a tenth of a second, in which both workers computed."""
    seconds = 0.2 * windows
    return Sight(
        now=0.2 + seconds / 2,
        remaining=5000,
        outside_items=items,
        outside_seconds=seconds,
        outside_cpu=seconds,
    )


def test_what_workers_are_at_is_not_taken_for_carrying():
    """Batches grow: those of the first window that are not over yet are most of what was computed in it."""
    decider = outside()
    workers = {"outside_seconds": 0.016, "outside_held": 0.024, "outside_cpu": 0.042}
    assert decider.look(Sight(now=0.222, remaining=600, outside_items=16, **workers)).stage == "outside"


@pytest.mark.parametrize("ready", [0, 1])
def test_workers_that_do_not_come_up_are_given_up(ready):
    """One of them alone is of no use, however long it waits for the other."""
    decider = at_the_pair()
    for now in (0.03, 0.08, 60.0, 60.1):
        arrangement = decider.look(computing(now, items=round(now * 1000), remaining=10**6, ready=ready))
    assert arrangement.processes == 0
    assert "did not come up in time" in arrangement.reason


def test_items_that_grow_are_compared_with_the_latest():
    """While workers came up items took a millisecond at first, and four by the end."""
    decider = at_the_pair()
    for now, items, ready in ((0.03, 30, 0), (0.08, 80, 0), (0.14, 120, 0), (0.2, 135, 2)):
        arrangement = decider.look(computing(now, items=items, ready=ready))
    assert arrangement.outside
    decider.look(Sight(now=0.21, remaining=700, outside_items=2, outside_seconds=0.008))
    workers = {"outside_items": 37, "outside_seconds": 0.2, "outside_cpu": 0.2}
    assert decider.look(Sight(now=0.31, remaining=500, **workers)).stage == "outside"


def test_items_that_come_back_are_timed_anew():
    """Even where the first of them lasts: nothing is divided by a time that is not known."""
    decider = outside()
    for windows in (1, 2):
        decider.look(mostly_carried(windows))
    for now in (0.41, 0.43, 0.5, 0.7, 1.1):
        began = {"alone_items": 170, "alone_wall": 0.17, "alone_cpu": 0.17, "held": now - 0.4}
        sight = Sight(now=now, done=270, remaining=400, held_cpu=now - 0.4, lane_cpu=now, cpu=now, **began)
        assert decider.look(sight).stage in {"alone", "pair"}


def test_workers_that_queue_for_a_core_do_not_wait():
    """On a crowded machine the time without a core is not the callable's."""
    decider = outside()
    more = {"outside_seconds": 0.2, "outside_cpu": 0.06, "outside_queued": 0.13}
    assert decider.look(Sight(now=0.3, remaining=500, outside_items=150, **more)).stage == "outside"


@pytest.mark.parametrize(("computed", "lanes"), [(0.15, 5), (0.4, 3)])
def test_items_that_wait_and_compute_in_workers_get_more_lanes_there(computed, lanes):
    """They compute a quarter of their time: four lanes fill a core, and a fifth is there meanwhile."""
    decider = outside()
    workers = {"outside_items": 402, "outside_seconds": 0.6, "outside_cpu": computed, "ready": 2}
    arrangement = decider.look(Sight(now=0.5, remaining=400, **workers))
    assert (arrangement.stage, arrangement.inside) == ("starting", lanes)
    arrangement = decider.look(Sight(now=0.51, remaining=400, **workers))
    assert (arrangement.outside, arrangement.inside) == (True, lanes)


def test_items_that_hardly_wait_in_workers_have_one_lane_there():
    """More would gain less than they cost."""
    decider = outside()
    workers = {"outside_items": 402, "outside_seconds": 0.6, "outside_cpu": 0.45, "ready": 2}
    arrangement = decider.look(Sight(now=0.5, remaining=400, **workers))
    assert (arrangement.stage, arrangement.inside) == ("outside", 1)


def test_items_that_only_wait_come_back_from_workers():
    """Lanes in this process serve them as well."""
    decider = outside()
    arrangement = decider.look(
        Sight(now=0.5, remaining=500, outside_items=402, outside_seconds=0.6, outside_cpu=0.01, ready=2)
    )
    assert (arrangement.stage, arrangement.outside) == ("alone", False)


@pytest.mark.parametrize("remaining", [1, 5, 1000])
def test_a_callable_bound_to_its_thread_stays_for_that_reason(remaining):
    """However little is left: that nothing would be gained is true as well, and says less."""
    decider = controller()
    decider.look(computing(0.002, items=2))
    decider.keep_single("it belongs to the thread that made it")
    for now in (0.005, 0.01, 0.02):
        arrangement = decider.look(computing(now, items=round(now * 1000), remaining=remaining))
        assert (arrangement.stage, arrangement.threads) == ("alone", 0)
        assert "it belongs to the thread that made it" in arrangement.reason


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
    """`thread_safe=False`: waiting work stays in the calling thread."""
    decider = controller(threads=1)
    arrangement = decider.look(Sight(now=0.01, remaining=49, held=0.01))
    assert (arrangement.threads, arrangement.relieved) == (0, False)
    assert arrangement.reason == "it waits, and may run in one thread, as was asked for"


def test_a_prior_is_taken_up_at_once():
    """The second run of a callable starts where the first ended."""
    prior = Prior(stage="waiting", lanes=40, each=0.05)
    arrangement = Controller(Limits(cpus=2.0), prior).look(Sight(now=0.0, remaining=100))
    assert (arrangement.stage, arrangement.threads) == ("waiting", 40)


@pytest.mark.parametrize(("each", "stage"), [(0.05, "waiting"), (1e-4, "alone")])
def test_a_prior_is_taken_up_though_nobody_knows_how_much_is_left(each, stage):
    """Lanes that wait start as items come; where one is over before that, they are of no use."""
    prior = Prior(stage="waiting", lanes=40, each=each)
    arrangement = Controller(Limits(cpus=2.0), prior).look(Sight(now=0.0))
    assert arrangement.stage == stage


@pytest.mark.parametrize(("items", "stage"), [(300, "starting"), (0, "alone")])
def test_processes_start_at_once_where_an_iterator_gave_enough_the_last_time(items, stage):
    """Nobody knows how much is left: as much as there was then is as good a guess as any."""
    prior = Prior(stage="outside", lanes=2, each=5e-3, items=items)
    assert Controller(Limits(cpus=2.0, processes=2), prior).look(Sight(now=0.0)).stage == stage


def test_a_run_keeps_how_many_items_it_had():
    """The next may have an iterator for which nobody can tell."""
    decider = Controller(Limits(cpus=2.0), Prior(stage="waiting", lanes=40, each=0.05))
    decider.look(Sight(now=1.0, done=70, in_flight=40))
    assert decider.learnt.items == 70


def test_changes_of_mind_are_logarithmic():
    """However wildly a workload alternates, the number of switches is bounded by the budget."""
    decider = controller()
    stages, now, items, wall, cpu = [], 0.0, 0, 0.0, 0.0
    for step in range(5000):
        now += 0.01
        items, wall = items + 10, wall + 0.01
        cpu += 0.01 if step % 10 < 5 else 0.0
        sight = Sight(
            now=now,
            done=items,
            remaining=100_000,
            alone_items=items,
            alone_wall=wall,
            alone_cpu=cpu,
            cpu=cpu,
            lane_cpu=cpu,
        )
        stages.append(decider.look(sight).stage)
    switches = sum(one != other for one, other in pairwise(stages))
    assert switches <= 40


def test_each_change_of_mind_waits_twice_as_long():
    """The second may follow 20 ms after the first."""
    known = Known(Limits())
    for now, until in ((1.0, 1.02), (2.0, 2.04), (3.0, 3.08)):
        known.changed(now)
        assert not known.may_change(until - 0.001)
        assert known.may_change(until + 0.001)


def half_and_half(now, *, calls=0, in_flight=0):
    """Items of 2 ms of waiting and 2 ms of Python; the calling thread has done two, lanes fill the GIL."""
    alone = 1 if not calls else 2
    spent = 0.0017 if alone == 1 else 0.95 * now
    return Sight(
        now=now,
        done=alone + calls,
        remaining=130 - calls,
        alone_items=alone,
        alone_wall=alone * 0.004,
        alone_cpu=alone * 0.0017,
        first_wall=0.004,
        first_cpu=0.0017,
        in_flight=in_flight,
        calls=calls,
        call_seconds=calls * 0.006,
        quickest=0.004,
        cpu=spent,
        lane_cpu=spent,
    )


def test_workers_are_ordered_early_where_items_wait_and_compute():
    """They come up beside the lanes, so nothing is changed by it; their lanes are prepared too."""
    decider = controller()
    assert decider.look(half_and_half(0.004)).stage == "waiting"
    for now in (0.01, 0.015, 0.02, 0.025, 0.03):
        arrangement = decider.look(half_and_half(now, calls=round(now / 0.0022), in_flight=2))
    assert (arrangement.stage, arrangement.processes, arrangement.outside) == ("starting", 2, False)
    assert arrangement.inside >= 2
    assert arrangement.threads == 4  # a second pair for what the first leaves over when both wait


def asking(now, *, calls, in_flight, remaining):
    """Calls that fill the GIL to ask a server, which takes its time; the first, alone, has taken 40 ms."""
    alone = {"alone_items": 1, "alone_wall": 0.04, "alone_cpu": 0.003}
    clocks = {"cpu": now, "lane_cpu": now, "call_seconds": 0.06 * calls, "quickest": 0.04}
    sight = Sight(now=now, done=1 + calls, remaining=remaining, calls=calls, in_flight=in_flight)
    return sight._replace(**alone, **clocks)


@pytest.mark.parametrize(("in_flight", "stage"), [(20, "waiting"), (0, "starting")])
def test_what_calls_under_way_have_computed_is_not_put_down_to_those_that_have_come_back(in_flight, stage):
    """All have connected and asked by the time that the first have their answers."""
    decider = controller()
    decider.look(Sight(now=0.002, remaining=60, held=0.002, held_cpu=0.0001))
    arrangement = decider.look(asking(0.07, calls=10, in_flight=in_flight, remaining=40))
    assert arrangement.stage == stage


@pytest.mark.parametrize(("lanes", "stage"), [(44, "waiting"), (4, "starting")])
def test_workers_that_come_up_late_beside_many_lanes_are_not_started(lanes, stage):
    """Each of them waits for the GIL, as does who starts workers: the rest is over when they are up."""
    known = Known(Limits(cpus=2.0, processes=2, process_start=0.08), each=1.5e-3)
    decider = Waiting(known, asking(0.04, calls=lanes, in_flight=lanes, remaining=600), "", first=lanes)
    following = decider.look(asking(0.1, calls=40 + lanes, in_flight=lanes, remaining=320))
    assert following.name == stage


def test_items_for_which_the_system_computes_stay_in_threads():
    """They write files for good, and looks find the GIL free: workers would have as much to do."""
    decider = controller()
    decider.look(half_and_half(0.004))
    for now in (0.01, 0.015, 0.02, 0.025, 0.03):
        sight = half_and_half(now, calls=round(now / 0.0022), in_flight=2)
        arrangement = decider.look(sight._replace(looks=round(now * 200)))
    assert (arrangement.stage, arrangement.processes) == ("waiting", 0)


@pytest.mark.parametrize(("late", "stage"), [(0.5, "waiting"), (1, "starting")])
def test_items_for_which_a_library_computes_stay_in_threads(late, stage):
    """Its threads keep a core busy and need no GIL; those of the items' own that hold it count as ever."""
    decider = controller()
    decider.look(half_and_half(0.004))
    for now in (0.01, 0.015, 0.02, 0.025, 0.03):
        sight = half_and_half(now, calls=round(now / 0.0022), in_flight=2)
        looks = round(now * 1000)
        arrangement = decider.look(sight._replace(lane_cpu=0.2 * now, looks=looks, late=round(late * looks)))
    assert arrangement.stage == stage


def test_items_for_which_a_library_computes_are_given_lanes():
    """Two of them leave cores idle between its threads and themselves, which wait: more will fill those."""
    decider = at_the_pair()
    sight = computing(0.03, items=30, in_flight=1)
    arrangement = decider.look(sight._replace(lane_cpu=0.009, cpu=0.026))
    assert (arrangement.stage, arrangement.threads) == ("waiting", 4)


def test_items_that_hold_their_loop_up_stay_in_threads():
    """A worker has one loop: there they would wait one after another."""
    decider = controller(overlap_inside=False)
    decider.look(half_and_half(0.004))
    for now in (0.01, 0.015, 0.02, 0.025, 0.03):
        arrangement = decider.look(half_and_half(now, calls=round(now / 0.0022), in_flight=2))
    assert (arrangement.stage, arrangement.processes) == ("waiting", 0)


def test_items_that_begin_to_hold_their_loop_up_in_workers_come_back():
    """More lanes there would not help, and threads here may."""
    decider = outside(overlap_inside=False)
    workers = {"outside_items": 402, "outside_seconds": 0.6, "outside_cpu": 0.15, "ready": 2}
    assert decider.look(Sight(now=0.5, remaining=400, **workers)).stage == "alone"


def filling(each, first=0.0, *, refused=False):
    """Lanes that fill the GIL with items of `each` seconds, nine tenths of which compute.

    The calling thread has done one of them, or several where `first` is not given. Lanes may be turned away.
    """
    decider = controller()
    items = 1 if first else round(4e-3 / each)
    alone = {"alone_items": items, "alone_wall": first or items * each, "alone_cpu": items * each / 2}
    before = decider.look(Sight(now=0.004 + first, remaining=10**6, done=items, **alone))
    assert before.stage == "waiting"
    for look in range(1, 12):
        spent = 0.005 * look
        calls = round(spent / (0.9 * each))
        more = {"calls": calls, "call_seconds": 4 * spent, "quickest": each, "in_flight": 4, **alone}
        clocks = {"lane_cpu": spent, "cpu": spent, "errors": calls * refused}
        now = 0.004 + first + spent
        arrangement = decider.look(Sight(now=now, done=items + calls, remaining=10**6, **clocks, **more))
        if arrangement.processes:
            break
    return arrangement


def test_short_items_that_wait_get_no_lanes_inside_workers():
    """To hand one to such a lane takes longer than it waits: one worker's lane does more of them in a row."""
    arrangement = filling(50e-6)
    assert (arrangement.stage, arrangement.processes, arrangement.inside) == ("starting", 2, 1)


def test_lanes_that_are_turned_away_are_not_joined_by_workers():
    """It takes no time, so that it fills the GIL; and workers would not be fewer for it."""
    assert filling(1e-3).stage == "starting"
    assert filling(1e-3, refused=True).stage == "waiting"


def test_a_first_call_that_was_held_up_asks_for_no_crowd():
    """A disk kept it for a while; lanes that fill this process are enough for any other."""
    arrangement = filling(1e-3, first=0.05)
    assert arrangement.stage == "starting"
    assert arrangement.inside <= arrangement.threads + 1


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


def asleep(now, *, calls, in_flight=64, spent=0.0, remaining=1000, **more):
    """Lanes at calls that sleep; the calling thread has left the items to them."""
    clocks = {"cpu": spent, "lane_cpu": spent}
    return Sight(now=now, done=calls, remaining=remaining, in_flight=in_flight, calls=calls, **clocks, **more)


def turned(**more):
    """Fifty calls slept; for the last eight milliseconds those after them have filled the GIL."""
    decider = controller()
    decider.look(Sight(now=0.002, remaining=1000, held=0.002))
    for now, calls in ((0.01, 0), (0.02, 30), (0.03, 50)):
        assert decider.look(asleep(now, calls=calls)).stage == "waiting"
    decider.look(asleep(0.034, calls=52, spent=0.004))
    return decider, decider.look(asleep(0.038, calls=53, spent=0.008, **more))


def test_calls_that_begin_to_compute_are_joined_by_no_more():
    """Each lane that comes back would take one more of them, and they end one after the other."""
    _, arrangement = turned()
    assert (arrangement.stage, arrangement.threads, arrangement.processes) == ("starting", 0, 2)


def test_calls_that_begin_to_compute_stay_here_where_few_are_left():
    """For ten items of a few milliseconds no processes are started; nor do lanes take more of them."""
    _, arrangement = turned(remaining=10)
    assert (arrangement.stage, arrangement.threads, arrangement.processes) == ("alone", 0, 0)


def test_a_generator_that_computes_is_not_taken_for_calls_that_do():
    """The calling thread makes the items, for as long as eight milliseconds at a time."""
    _, arrangement = turned(remaining=None)
    assert arrangement.stage == "waiting"


def test_calls_that_compute_now_and_then_keep_their_lanes():
    """Each computes for a millisecond, as those before it did: the GIL is full for a moment, by chance."""
    decider = controller()
    decider.look(Sight(now=0.002, remaining=1000, held=0.002))
    for now, calls, spent in ((0.03, 10, 0.01), (0.05, 20, 0.02), (0.054, 24, 0.024), (0.058, 28, 0.028)):
        arrangement = decider.look(asleep(now, calls=calls, spent=spent))
    assert arrangement.stage == "waiting"


def test_processes_are_not_measured_against_calls_that_slept():
    """While workers came up, forty calls returned that had been asleep."""
    decider, _ = turned()
    arrangement = decider.look(asleep(0.06, calls=93, in_flight=12, spent=0.03, ready=2))
    assert arrangement.outside
    for now, items in ((0.07, 0), (0.08, 4), (0.3, 50)):
        workers = {"outside_items": items, "outside_seconds": items * 0.01, "outside_cpu": items * 0.01}
        arrangement = decider.look(Sight(now=now, done=93 + items, remaining=500, **workers))
    assert arrangement.outside


# The climb


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


def behind_one_lock(seconds, first=0.001):
    """A controller over calls that compute half their time, behind a lock; its arrangements."""
    decider, found, each = controller(), [], 0.001
    now, served, alone = first + 0.002, 3, 3
    while now < seconds:
        in_flight = found[-1].threads if found else 0
        connecting = first - each / 2
        spent = connecting + (served - 1) * each / 2
        sight = Sight(
            now=now,
            done=served,
            remaining=1000 - served,
            alone_items=alone,
            alone_wall=first + (alone - 1) * each,
            alone_cpu=connecting + (alone - 1) * each / 2,
            first_wall=first,
            first_cpu=connecting,
            in_flight=in_flight,
            calls=served - alone,
            call_seconds=(served - alone) * each,
            quickest=each,
            cpu=spent,
            lane_cpu=spent,
        )
        found.append(decider.look(sight))
        now, served = now + 0.002, served + 2
        alone += 0 if found[-1].relieved else 2
    return found


def test_lanes_that_deliver_no_more_than_one_give_way():
    """Writers of one database look as if they waited; two at once are no faster, and few are tried."""
    gives_way_soon(behind_one_lock(0.04))


def test_a_first_call_that_connects_is_no_measure_of_those_after_it():
    """It takes many times as long: by it two lanes that deliver no more than one would look fast."""
    gives_way_soon(behind_one_lock(0.04, first=0.01))


def gives_way_soon(found):
    """Two lanes are tried for a few looks, and left again."""
    assert max(arrangement.threads for arrangement in found) == 2
    assert sum(arrangement.stage == "waiting" for arrangement in found) <= 12
    assert found[-1].stage == "alone"
    assert "one at a time" in found[-1].reason


def test_lanes_that_were_no_use_are_tried_ever_more_seldom():
    """A call that lost the lock may sleep for long, and others with it."""
    tries = [arrangement.stage for arrangement in behind_one_lock(0.8)]
    assert sum(one != "waiting" == other for one, other in pairwise(tries)) <= 3


def test_items_that_turn_out_slower_alone_get_company_again():
    """The few items before the lanes were short by chance: the lanes were faster after all."""
    known = Known(Limits())
    known.alone = 0.001
    known.crowded(Sight(now=0.02), gap=0.0011)
    known.each = 0.0011
    assert known.contends(0.03, items=100)
    known.each = 0.002
    assert known.contends(0.03, items=5)
    assert not known.contends(0.03, items=100)


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


@pytest.mark.parametrize(("cores", "stage"), [(0.9, "starting"), (1.6, "waiting")])
@pytest.mark.parametrize("returned", [0, 20])
def test_lanes_that_fill_a_core_beside_a_library_do_not_go_to_processes(cores, stage, returned):
    """A GIL would not let them all use more than one; before, calls did little, or none was back."""
    decider = Controller(Limits(cpus=2.0, processes=2), Prior(stage="waiting", lanes=4, each=0.05))
    run = {"remaining": 400, "in_flight": 4}
    decider.look(Sight(now=0.0, remaining=400))
    light = Sight(now=0.05, calls=returned, call_seconds=returned * 0.01, quickest=0.01, **run)
    decider.look(light._replace(cpu=0.005, lane_cpu=0.005))
    stages = set()
    for look in range(1, 40):
        more = look * 5e-3
        calls = returned + look // 8 * (returned > 0)
        now, spent, all_of_it = 0.05 + more, 0.005 + 0.9 * more, 0.005 + cores * more
        sight = light._replace(now=now, calls=calls, lane_cpu=spent, cpu=all_of_it)
        stages.add(decider.look(sight).stage)
    assert (stage == "starting") is ("starting" in stages)


@pytest.mark.parametrize(("each", "stage"), [(1.4e-3, "waiting"), (50e-3, "starting")])
def test_many_lanes_that_begin_at_once_do_not_compute_yet(each, stage):
    """Fifty that send a request fill the GIL for as long as sending takes; those that compute go on."""
    decider = Controller(Limits(cpus=2.0, processes=2), Prior(stage="waiting", lanes=50, each=0.05))
    decider.look(Sight(now=0.0, remaining=100))
    for look in range(1, 200):
        now = look * 2e-3
        spent = min(now, 50 * each)
        arrangement = decider.look(Sight(now=now, remaining=100, in_flight=50, cpu=spent, lane_cpu=spent))
        if arrangement.stage != "waiting":
            break
    assert arrangement.stage == stage


def test_lanes_that_fill_one_core_fill_no_gil_where_there_is_none():
    """They compute, so they are compared with one of them; nothing is gained by processes."""
    limits = Limits(cpus=2.0, gil=False, processes=2)
    decider = Controller(limits, Prior(stage="waiting", lanes=50, each=0.05))
    decider.look(Sight(now=0.0, remaining=100))
    for look in range(1, 200):
        now = look * 2e-3
        arrangement = decider.look(Sight(now=now, remaining=100, in_flight=50, cpu=now, lane_cpu=now))
        assert not arrangement.processes
        assert "GIL" not in arrangement.reason


@pytest.mark.parametrize("one_core", [True, False])
def test_lanes_that_fill_one_core_are_joined_by_others_where_there_are_more(one_core):
    """Under the GIL, and on a loop, a core is all that they have."""
    climb = Climb(Sight(now=0.0, remaining=1000), 256, 2, one_core=one_core)
    climb.look(Sight(now=0.01, remaining=1000, in_flight=2, lane_cpu=0.01))
    lanes = climb.look(Sight(now=0.02, remaining=998, in_flight=2, calls=2, call_seconds=0.02, lane_cpu=0.02))
    assert lanes == (2 if one_core else 4)


@pytest.mark.parametrize(
    ("remaining", "words"),
    [
        (130, "about 0.13 s are left"),
        (1_234_500, "about 1234.50 s are left"),
        (None, "nobody knows how much is left"),
    ],
)
def test_what_is_left_is_told_as_far_as_it_is_known(remaining, words):
    """Of an iterable without a length there is as much left as is done only for the arithmetic."""
    assert Known(Limits(), each=1e-3).left(Sight(now=5.0, remaining=remaining)) == words


def test_where_there_may_be_no_processes_none_pay():
    """Zero of them is a limit, too."""
    assert not Known(Limits(cpus=4.0, processes=0)).processes_pay(10.0)
