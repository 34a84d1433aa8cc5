"""The controller of coroutines, by hand: sights of a loop that say one thing clearly, and what follows."""

import pytest

from concurrent_choices._judge._controller._loop_controller import LoopController
from concurrent_choices._judge._controller._sight import Limits, LoopSight, Prior, Sight


def controller(*, bound=False, items=None, **limits):
    chosen = Limits(**{"cpus": 2.0, "processes": 2, "process_start": 0.08} | limits)
    return LoopController(chosen, bound=bound, items=items)


def staying():
    decider = controller()
    decider.stay("nothing else can serve")
    return decider


def watched(  # noqa: PLR0913 - what a loop looks like, each by name
    decider,
    *,
    seconds=0.1,
    in_flight,
    busy=0.0,
    inside=0.0,
    stuck=0.0,
    alone=False,
    needs_loop=False,
    rate=1000.0,
    refused=0.0,
    remaining=10_000,
    **more,
):
    """Looks every other millisecond at a loop that goes on in the same way; the last answer."""
    arrangement, looks = None, 0
    while looks * 2e-3 < seconds:
        looks += 1
        now = looks * 2e-3
        run = Sight(
            now=now,
            done=int(now * rate),
            calls=int(now * rate),
            call_seconds=now * in_flight,
            lane_cpu=busy * now,
            cpu=busy * now,
            in_flight=in_flight,
            remaining=remaining,
            errors=int(now * refused),
            **more,
        )
        seen = LoopSight(run, looks, round(inside * looks), stuck * now, alone=alone, needs_loop=needs_loop)
        arrangement = decider.look(seen)
    return arrangement


def test_a_loop_that_waits_gets_more_lanes():
    """Nothing has come back, nothing computes: the first round trip is spent on more calls."""
    arrangement = watched(controller(), in_flight=32, rate=0.0)
    assert (arrangement.stage, arrangement.threads) == ("loop", 1000)


@pytest.mark.parametrize(("remaining", "seldom"), [(1, False), (0, True)])
def test_a_loop_that_has_begun_all_items_is_seldom_looked_at(remaining, seldom):
    """There is nothing that others could have; looks took most of the CPU of twenty sleeps."""
    decider = controller(items=20)
    arrangement = watched(decider, seconds=0.01, in_flight=20, rate=0.0, remaining=remaining)
    assert (arrangement.look == pytest.approx(0.01 / 4, rel=0.3)) is seldom
    assert decider.weighed is seldom


@pytest.mark.parametrize(("refused", "stage"), [(0.0, "starting"), (500.0, "loop")])
def test_a_loop_that_calls_turned_away_fill_is_not_joined_by_others(refused, stage):
    """They take no time: of 2,000 calls to a server that takes 300 a second 1,361 to 1,490 were refused."""
    assert watched(controller(), in_flight=32, busy=1.0, refused=refused).stage == stage


def test_workers_that_come_up_while_calls_are_turned_away_get_none():
    """They were ordered before; later, with as many lanes as are right, the loop may be full or not."""
    decider = controller()
    assert watched(decider, in_flight=32, busy=1.0).stage == "starting"
    arrangement = watched(decider, in_flight=32, busy=1.0, refused=500.0, ready=2)
    assert (arrangement.stage, arrangement.processes) == ("loop", 0)


@pytest.mark.parametrize(("items", "lanes"), [(3, 16), (17, 17), (32, 32), (33, 16), (None, 16)])
def test_all_of_few_items_are_begun_at_once(items, lanes):
    """Of more of them the last must wait anyhow, and each that has begun may block the loop in its turn."""
    assert controller(items=items).first == lanes
    assert controller(items=items, concurrency=5).first == 5


def test_who_cannot_leave_stays():
    """No threads were to be had: the loop goes on, however long it stands still."""
    decider = controller()
    assert watched(decider, in_flight=1, stuck=1.0, inside=1.0, alone=True, rate=0.0).stage == "waiting"
    decider.stay("no thread")
    arrangement = watched(decider, in_flight=1, stuck=1.0, inside=1.0, alone=True, rate=0.0)
    assert (arrangement.stage, arrangement.reason[:9]) == ("loop", "no thread")


def test_none_are_begun_while_the_loop_is_inside_an_item():
    """The first have just come back from their wait, and may be blocking it."""
    assert watched(controller(), in_flight=16, rate=0.0, inside=1.0, seconds=12e-3).threads == 16
    assert watched(controller(), in_flight=16, rate=0.0, inside=0.0, seconds=12e-3).threads > 16


def test_concurrency_is_its_ceiling():
    """However much is waited."""
    assert watched(controller(concurrency=50), in_flight=50, rate=0.0).threads == 50


@pytest.mark.parametrize(
    ("alone", "busy", "stage"), [(True, 1.0, "starting"), (False, 1.0, "loop"), (True, 0.7, "loop")]
)
def test_items_that_never_wait_and_fill_the_loop_show_it_early(alone, busy, stage):
    """Nothing blocks it that more looks would find; what is less plain takes as many as ever."""
    sight = {"in_flight": 1, "inside": 1.0, "busy": busy, "alone": alone, "seconds": 0.01}
    assert watched(controller(), **sight).stage == stage


def test_items_that_begin_to_wait_while_processes_come_up_stay():
    """One at a time in each process, where they would have gone, they took fifty times as long."""
    decider = controller()
    plain = {"in_flight": 1, "inside": 1.0, "busy": 1.0, "rate": 500.0, "alone": True}
    assert watched(decider, **plain, seconds=0.02).stage == "starting"
    assert watched(decider, in_flight=64, busy=0.3, ready=2).stage == "loop"


def test_items_that_begin_to_wait_and_still_fill_the_loop_get_lanes_in_processes():
    """What was ordered for those before them had one in each."""
    decider = controller()
    plain = {"in_flight": 1, "inside": 1.0, "busy": 1.0, "rate": 500.0, "alone": True}
    assert watched(decider, **plain, seconds=0.02).stage == "starting"
    arrangement = watched(decider, in_flight=100, busy=1.0, ready=2)
    assert (arrangement.stage, arrangement.inside) == ("outside", 50)


def test_a_loop_that_stands_still_inside_the_callable_is_blocked():
    """Found inside it, without computing: threads with a loop each."""
    arrangement = watched(controller(), in_flight=1, inside=1.0, rate=50.0, seconds=0.05)
    assert (arrangement.stage, arrangement.outside) == ("waiting", False)
    assert "block their loop" in arrangement.reason


def test_a_loop_that_stands_still_is_known_within_its_first_item():
    """Three looks find it at the same place, without computing."""
    arrangement = watched(
        controller(), in_flight=1, stuck=1.0, inside=1.0, alone=True, rate=0.0, seconds=6e-3
    )
    assert arrangement.stage == "waiting"


@pytest.mark.parametrize(
    ("late", "rate", "threads", "gil", "stage"),
    [
        (0.0, 200.0, 8, True, "pair"),
        (1.0, 200.0, 8, True, "starting"),
        (1.0, 200.0, 8, False, "pair"),
        (0.0, 10_000.0, 8, True, "starting"),
        (0.0, 200.0, 1, True, "starting"),
    ],
)
def test_what_computes_outside_the_gil_goes_to_threads(late, rate, threads, gil, stage):
    """Whoever looks never waits for the GIL, nor an item for its loop; of short items that says nothing."""
    decider = controller(threads=threads, gil=gil)
    for looks in range(1, 12):
        now = looks * 2e-3
        calls = int(now * rate)
        run = Sight(now, done=calls, calls=calls, lane_cpu=now, in_flight=1, remaining=10_000, looks=looks)
        run = run._replace(late=round(late * looks))
        arrangement = decider.look(LoopSight(run=run, looks=looks, inside=looks, alone=True))
    assert arrangement.stage == stage


def test_standing_still_now_and_then_is_borne():
    """A loop that blocks for a tenth of the time gains nothing from threads."""
    assert watched(controller(), in_flight=20, stuck=0.1, inside=0.2).stage == "loop"


def test_nobody_is_let_in_while_an_item_blocks_the_loop():
    """Each would hold it up in its turn."""
    decider = staying()
    before = watched(decider, in_flight=16, rate=0.0, seconds=2e-3).threads
    assert watched(decider, in_flight=16, rate=0.0, stuck=1.0, inside=1.0).threads == before


@pytest.mark.parametrize(("remaining", "threads"), [(0, 1), (100, 50), (10**6, 64), (None, 16)])
def test_threads_to_begin_with(remaining, threads):
    """As many as earn their loops, which is no more than items, and no crowd that nobody has tried."""
    decider = controller()
    arrangement = watched(decider, in_flight=1, stuck=1.0, alone=True, rate=100.0, remaining=remaining)
    assert arrangement.threads == threads


def test_items_that_do_not_wait_let_nobody_in():
    """The lanes that there would be are told; nothing is learnt of how many it should be."""
    decider = staying()
    assert watched(decider, in_flight=1, alone=True, rate=0.0).threads == decider.first


@pytest.mark.parametrize(("rate", "more"), [(1000.0, False), (1500.0, True)])
def test_the_next_run_begins_with_more_only_where_that_delivered_more(rate, more):
    """Else each run of the same callable would begin with more than the one before."""
    decider = LoopController(Limits(processes=2), Prior(stage="loop", lanes=20, each=1e-3))
    watched(decider, in_flight=40, rate=rate)
    assert (decider.learnt.lanes > 20) is more


def test_a_loop_that_finds_no_core_is_not_blocked():
    """On a crowded machine the time in the run queue is not the callable's fault."""
    decider = controller()
    for looks in range(1, 30):
        now = looks * 2e-3
        run = Sight(now=now, done=looks, calls=looks, lane_cpu=now / 3, in_flight=1, remaining=2)
        arrangement = decider.look(LoopSight(run=run, looks=looks, inside=looks, queued=now * 2 / 3))
    assert arrangement.stage == "loop"


def test_a_loop_that_waits_for_who_looks_is_not_blocked():
    """Who looks has the GIL meanwhile, or was given it and has no core yet."""
    decider = controller()
    for looks in range(1, 30):
        now = looks * 2e-3
        run = Sight(now=now, done=looks, calls=looks, lane_cpu=now / 2, in_flight=20, remaining=200)
        arrangement = decider.look(LoopSight(run=run, looks=looks, inside=looks, unclear=now / 2))
    assert arrangement.stage == "loop"


def test_items_that_were_begun_count_half():
    """A loop that sends requests has done half of what they cost before the first comes back."""
    decider = controller()
    for looks in range(1, 30):
        now, begun = looks * 1e-3, looks * 10
        run = Sight(now=now, done=looks, calls=looks, lane_cpu=now, in_flight=begun, remaining=500)
        arrangement = decider.look(LoopSight(run=run, looks=looks, inside=0))
    assert (arrangement.stage, arrangement.processes) == ("loop", 0)


def test_a_loop_that_computes_goes_to_processes_once_they_are_up():
    """It is full, and the rest pays for them; one item at a time each, since none waits."""
    decider = controller()
    arrangement = watched(decider, in_flight=1, busy=1.0, inside=1.0)
    assert (arrangement.stage, arrangement.processes, arrangement.outside) == ("starting", 2, False)
    arrangement = watched(decider, in_flight=1, busy=1.0, inside=1.0, ready=2)
    assert (arrangement.stage, arrangement.outside, arrangement.inside) == ("outside", True, 1)


def test_what_workers_import_counts_for_coroutines_too():
    """It would take longer than they save."""
    assert (
        watched(controller(ready_within=lambda spare: spare > 9.0), in_flight=1, busy=1.0, inside=1.0).stage
        == "loop"
    )


def test_a_few_long_items_need_not_be_over_first():
    """One that has computed for so long may well take as long again, and so may the others."""
    decider = controller()
    assert (
        watched(decider, in_flight=1, busy=1.0, inside=1.0, rate=0.0, remaining=14, seconds=0.05).stage
        == "starting"
    )


def test_items_that_wait_and_compute_take_their_lanes_along():
    """As many in flight in all processes together as on the loop."""
    decider = controller()
    watched(decider, in_flight=100, busy=1.0)
    assert watched(decider, in_flight=100, busy=1.0, ready=2).inside == 50


@pytest.mark.parametrize(("rate", "stage"), [(1000.0, "starting"), (100_000.0, "loop")])
def test_items_that_wait_and_cost_less_than_carrying_them_stay(rate, stage):
    """A loop full of sleeps alone, at 10 µs each, would have as much to do for workers as for itself."""
    arrangement = watched(controller(), in_flight=1000, busy=1.0, rate=rate, remaining=1_000_000)
    assert arrangement.stage == stage
    assert ("carrying" in arrangement.reason) is (stage == "loop")


def test_items_that_turn_out_to_cost_less_than_carrying_them_stay():
    """The first ones computed, or began their lanes; workers that are ordered for them are not needed."""
    decider = controller()
    assert watched(decider, in_flight=100, busy=1.0, remaining=1_000_000).stage == "starting"
    assert watched(decider, in_flight=100, busy=1.0, rate=100_000.0, ready=2).stage == "loop"


@pytest.mark.parametrize("most", [2, 3, 7])
def test_processes_keep_to_the_ceiling_too(most):
    """`concurrency` counts items in flight wherever they are."""
    decider = controller(concurrency=most)
    watched(decider, in_flight=most, busy=1.0)
    arrangement = watched(decider, in_flight=most, busy=1.0, ready=2)
    assert arrangement.processes * arrangement.inside <= most


@pytest.mark.parametrize(("items", "stage"), [(300, "starting"), (2, "loop")])
def test_processes_start_at_once_where_an_iterator_gave_enough_the_last_time(items, stage):
    """It need not be watched again for as long as workers take to start."""
    prior = Prior(stage="gil", lanes=1, each=5e-3, items=items)
    decider = LoopController(Limits(cpus=2.0, processes=2), prior)
    seen = watched(decider, seconds=2e-3, in_flight=1, alone=True, remaining=None)
    assert (seen.stage, decider.learnt) == (stage, None)


def test_a_loop_keeps_how_many_items_it_had():
    """The next run may have an iterator for which nobody can tell."""
    decider = controller()
    watched(decider, in_flight=32)
    assert decider.learnt.items == 100


def test_a_barred_callable_stays_on_its_loop():
    """The reason says why."""
    decider = controller()
    watched(decider, in_flight=1, busy=1.0)
    decider.bar("calls change the global 'n'")
    arrangement = watched(decider, in_flight=1, busy=1.0, ready=2)
    assert (arrangement.stage, arrangement.outside) == ("loop", False)
    assert "the global 'n'" in arrangement.reason


def test_too_small_a_rest_starts_nothing():
    """Processes have to pay."""
    assert watched(controller(), in_flight=1, busy=1.0, remaining=20).stage == "loop"


def test_items_that_never_wait_get_few_lanes():
    """More gain nothing, and hold up whoever else is on the loop."""
    assert watched(staying(), in_flight=1, busy=1.0).threads == 4


def test_what_waits_for_the_callers_loop_does_not_leave_it():
    """It may use what belongs to that loop; what never waits for it may leave."""
    assert watched(controller(bound=True), in_flight=40, inside=1.0).stage == "loop"
    assert watched(controller(bound=True), in_flight=1, inside=1.0).stage == "waiting"
    assert watched(controller(bound=True), in_flight=16, stuck=1.0, inside=1.0).stage == "loop"
    assert watched(controller(bound=True), in_flight=1, stuck=1.0, inside=1.0, alone=True).stage == "waiting"


def test_what_was_seen_to_need_the_callers_loop_does_not_leave_it():
    """Though one at a time is begun, and all but a moment of each blocks."""
    seen = {"in_flight": 1, "stuck": 1.0, "inside": 1.0, "alone": True, "needs_loop": True}
    assert watched(controller(bound=True), **seen).stage == "loop"
    assert watched(controller(), **seen).stage == "waiting"


def test_a_first_item_that_blocks_may_yet_wait_for_the_callers_loop():
    """It connects, which blocks, and then awaits what belongs to that loop: so may the others."""
    decider = controller(bound=True)
    blocked = watched(decider, in_flight=1, stuck=1.0, inside=1.0, alone=True, rate=0.0, seconds=6e-3)
    assert blocked.stage == "loop"
    unbound = watched(controller(), in_flight=1, stuck=1.0, inside=1.0, alone=True, rate=0.0, seconds=6e-3)
    assert unbound.stage == "waiting"


@pytest.mark.parametrize(
    "few", [{"limits": {"concurrency": 2}}, {"remaining": 0}], ids=["ceiling", "the last items"]
)
def test_few_in_flight_are_no_sign_where_there_cannot_be_more(few):
    """They may wait for the caller's loop all the same."""
    decider = controller(bound=True, **few.pop("limits", {}))
    assert watched(decider, in_flight=2, inside=1.0, **few).stage == "loop"


@pytest.mark.parametrize(
    "seen", [{"in_flight": 1, "starved": True}, {"in_flight": 2}], ids=["slow source", "one waits meanwhile"]
)
def test_items_that_wait_for_the_callers_loop_do_not_leave_it_for_being_few(seen):
    """An async generator gave one at a time; or looks had the loop turn after each that was begun."""
    arrangement = watched(controller(bound=True), inside=1.0, remaining=None, **seen)
    assert (arrangement.stage, arrangement.threads > 4) == ("loop", True)


def test_what_blocks_does_not_begin_beside_the_callers_loop():
    """A verdict of an earlier run says nothing about whose things the items use."""
    prior = Prior(stage="waiting", lanes=8, each=0.005)
    assert LoopController(Limits(processes=2), prior).blocks
    assert not LoopController(Limits(processes=2), prior, bound=True).blocks
