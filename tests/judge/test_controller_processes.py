"""The controller, by hand, as processes start, while they are on trial, and as items come back from them."""

import pytest
from controller_sights import at_the_pair, computing, outside

from concurrent_choices._judge._controller._sight import Sight


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


def test_processes_that_pay_stay():
    """The first batches confirm the hand-over."""
    decider = outside()
    sight = Sight(now=0.3, remaining=500, outside_items=200, outside_seconds=0.2, outside_cpu=0.2)
    assert decider.look(sight).stage == "outside"


def test_what_belongs_to_one_thread_of_each_worker_has_more_of_them_when_it_waits():
    """Lanes in each would get into each other's way."""
    decider = outside(waiting=8)
    decider.keep_single("it redirects what is printed")
    for now, items in ((0.21, 20), (0.3, 200), (0.5, 600), (0.9, 1400), (0.91, 1410)):
        spent = 2 * (now - 0.2)
        seen = {"outside_items": items, "outside_seconds": spent, "outside_cpu": spent / 4}
        arrangement = decider.look(Sight(now=now, remaining=5000 - items, ready=2, **seen))
        assert arrangement.inside == 1
    assert (arrangement.outside, arrangement.processes) == (True, 8)


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


def test_items_that_wait_for_less_than_handing_them_on_takes_have_one_lane_there():
    """Files that are read: lanes inside each worker made them five times as long."""
    decider = outside()
    workers = {"outside_items": 3002, "outside_seconds": 0.6, "outside_cpu": 0.25, "ready": 2}
    arrangement = decider.look(Sight(now=0.5, remaining=4000, **workers))
    assert (arrangement.stage, arrangement.inside) == ("outside", 1)


@pytest.mark.parametrize("last", [{"starved": True}, {"remaining": 0}])
def test_workers_that_lack_items_are_not_judged(last):
    """They were given fewer than they could have done; so few would give them up."""
    decider = outside()
    for windows in range(1, 5):
        sight = computed(windows, items=24 * windows)
        assert decider.look(sight._replace(**last)).outside
    decider = outside()
    assert not [decider.look(computed(windows, items=24 * windows)) for windows in range(1, 5)][-1].outside


def test_items_that_only_wait_come_back_from_workers():
    """Lanes in this process serve them as well."""
    decider = outside()
    arrangement = decider.look(
        Sight(now=0.5, remaining=500, outside_items=402, outside_seconds=0.6, outside_cpu=0.01, ready=2)
    )
    assert (arrangement.stage, arrangement.outside) == ("alone", False)


def test_items_that_begin_to_hold_their_loop_up_in_workers_come_back():
    """More lanes there would not help, and threads here may."""
    decider = outside(overlap_inside=False)
    workers = {"outside_items": 402, "outside_seconds": 0.6, "outside_cpu": 0.15, "ready": 2}
    assert decider.look(Sight(now=0.5, remaining=400, **workers)).stage == "alone"
