"""What a controller knows from earlier runs and hands on, and what follows from what it knows of a run."""

from itertools import pairwise
from math import inf

import pytest
from controller_sights import computing, controller, outside

from concurrent_choices._judge._controller._controller import Controller
from concurrent_choices._judge._controller._known import Known
from concurrent_choices._judge._controller._sight import Limits, Prior, Sight


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
