"""The way back to one loop, by hand: where coroutines that have left it wait, and where they do not."""

import pytest

from concurrent_choices._judge._controller._controller import Controller
from concurrent_choices._judge._controller._loop_controller import LoopController
from concurrent_choices._judge._controller._sight import Limits, LoopSight, Prior, Sight

LIMITS = Limits(cpus=2.0, processes=2, process_start=0.08, stays=0.0)
BLOCKED = Prior(stage="waiting", lanes=64, each=1e-4)
COMPUTED = Prior(stage="outside", lanes=2, each=2e-3, worked=0.2)


def in_threads(*, inside, lanes=64, limits=LIMITS, seconds=0.1):
    """Lanes with a loop each, of which each look finds so many inside their items; who decides at the end."""
    decider = Controller(limits, BLOCKED)
    for looks in range(round(seconds / 5e-3)):
        now = looks * 5e-3
        counted = {"glances": lanes * looks, "inside": int(inside * looks), "call_seconds": lanes * now}
        calls = lanes * looks
        decider.look(Sight(now=now, done=calls, calls=calls, in_flight=lanes, remaining=9000, **counted))
        if decider.homeward:
            break
    return decider


def in_processes(*, cpu, queued=0.0, inside=1, limits=LIMITS):
    """Workers whose loops want so many cores in all; who decides, at the end."""
    decider = Controller(limits, COMPUTED._replace(inside=inside))
    for looks in range(1, 40):
        now = looks * 5e-3
        workers = {"outside_items": 10 * looks, "outside_cpu": cpu * now, "outside_queued": queued * now}
        workers["outside_seconds"] = 2 * now if inside == 1 else 0.0
        decider.look(Sight(now=now, done=10 * looks, remaining=9000, ready=2, **workers))
        if decider.homeward:
            break
    return decider


@pytest.mark.parametrize(("inside", "home"), [(0.0, True), (0.15, True), (0.5, False), (64.0, False)])
def test_items_in_threads_that_hardly_hold_up_a_loop_go_back(inside, home):
    """One loop has more of them in flight than threads have, and would be left again if they blocked it."""
    assert bool(in_threads(inside=inside).homeward) is home


def test_who_goes_back_has_everybody_end():
    """Lanes begin no other item, and nobody works here until a loop does."""
    decider = in_threads(inside=0.0)
    arrangement = decider.look(Sight(now=1.0, remaining=8000))
    assert (arrangement.stage, arrangement.threads, arrangement.outside) == ("loop", 0, False)
    assert arrangement.reason == decider.homeward
    assert decider.learnt is None


def test_who_goes_back_does_so_whatever_is_found_then():
    """Who has ordered workers may come to see that calls change something when all the others have ended."""
    decider = in_threads(inside=0.0)
    decider.keep_apart("calls change the global 'count'")
    assert decider.homeward


def test_one_look_at_many_lanes_is_not_enough():
    """All of them may be between two items, waiting for the GIL."""
    assert not in_threads(inside=0.0, lanes=256, seconds=0.015).homeward


@pytest.mark.parametrize("stays", [1.0, Limits().stays])
def test_nobody_goes_back_before_the_time(stays):
    """Each change costs a moment; and a `def` has no loop to go back to."""
    limits = LIMITS._replace(stays=stays)
    assert not in_threads(inside=0.0, limits=limits).homeward
    assert not in_processes(cpu=0.1, limits=limits).homeward


@pytest.mark.parametrize("inside", [1, 5])
@pytest.mark.parametrize(
    ("cpu", "queued", "home"), [(0.1, 0.0, True), (0.4, 0.0, True), (0.4, 1.0, False), (1.9, 0.0, False)]
)
def test_items_in_workers_that_want_less_than_one_core_go_back(inside, cpu, queued, home):
    """One loop could have as much, with as many in flight as it takes; beside neighbours they may queue."""
    assert bool(in_processes(cpu=cpu, queued=queued, inside=inside).homeward) is home


def test_a_lane_alone_that_sleeps_goes_back():
    """Whether it waits for its loop or blocks it, a loop finds out."""
    decider = Controller(LIMITS)
    for looks in range(12):
        now = looks * 5e-3
        arrangement = decider.look(Sight(now=now, remaining=900, held=now, held_cpu=1e-4))
    assert (arrangement.stage, decider.homeward) == ("loop", arrangement.reason)


def test_the_next_loop_knows_what_keeps_items_from_processes():
    """Its controller begins anew, but for that and for why it is there."""
    decider = LoopController(LIMITS).anew("items wait", "an item cannot travel")
    for looks in range(1, 50):
        now, calls = looks * 2e-3, looks * 2
        run = Sight(now=now, done=calls, calls=calls, lane_cpu=now, in_flight=1, remaining=9000, ready=2)
        arrangement = decider.look(LoopSight(run=run, looks=looks, inside=looks, alone=True))
        if looks == 1:
            assert "items wait" in arrangement.reason
    assert arrangement.stage == "loop"
    assert "an item cannot travel" in arrangement.reason
