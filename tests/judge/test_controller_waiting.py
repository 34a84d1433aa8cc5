"""The controller, by hand, while lanes wait: when they are joined by workers, and when they give way."""

from itertools import pairwise

import pytest
from controller_sights import controller

from concurrent_choices._judge._controller._controller import Controller
from concurrent_choices._judge._controller._known import Known
from concurrent_choices._judge._controller._sight import Limits, Prior, Sight
from concurrent_choices._judge._controller._waiting import Waiting


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


def test_items_that_hold_their_loop_up_stay_in_threads():
    """A worker has one loop: there they would wait one after another."""
    decider = controller(overlap_inside=False)
    decider.look(half_and_half(0.004))
    for now in (0.01, 0.015, 0.02, 0.025, 0.03):
        arrangement = decider.look(half_and_half(now, calls=round(now / 0.0022), in_flight=2))
    assert (arrangement.stage, arrangement.processes) == ("waiting", 0)


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
