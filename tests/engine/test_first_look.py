"""When a run is decided about for the first time."""

import time

import pytest

from concurrent_choices import run
from concurrent_choices._engine._outset import FIRST_LOOK, HARDLY, sleeps
from concurrent_choices._engine._thread_limit import ThreadLimit
from concurrent_choices._judge._controller._alone import EAGER
from concurrent_choices._judge._controller._climb import FIRST
from concurrent_choices._judge._controller._controller import Controller
from concurrent_choices._judge._controller._sight import Limits, Sight
from concurrent_choices._judge._controller._thresholds import GLANCE

HELD = 1.5 * FIRST_LOOK


@pytest.mark.parametrize(
    ("held", "computed", "asleep"),
    [(HELD, 0.0, True), (HELD, HARDLY * HELD, True), (HELD, HELD, False), (FIRST_LOOK / 2, 0.0, False)],
    ids=["asleep", "began and slept", "computes or queues", "only begun"],
)
def test_a_call_sleeps_that_has_hardly_had_a_core(held, computed, asleep):
    """What computes, or queues for a core, is looked at once more; what has only begun, too."""
    assert sleeps(Sight(now=1.0, held=held, held_cpu=computed)) is asleep


def test_lanes_for_a_call_that_sleeps_are_wanted_at_the_first_look():
    """It counts from its own start, so that one look tells how long it has slept.

    As that is not long yet, and it may go on to compute, they are few; those that sleep on have company.
    """
    decider, now = Controller(Limits(cpus=2.0)), 5e-3
    seen = Sight(now=now, held=HELD, remaining=100)
    decider.begin(seen._replace(now=now - HELD, held=0.0))
    few = decider.look(seen)
    assert (few.stage, few.threads) == ("waiting", EAGER)
    slept = seen._replace(now=now + GLANCE, held=HELD + GLANCE, flying=EAGER)
    assert decider.look(slept).threads == FIRST


def test_an_error_while_the_first_look_is_made_ready_is_raised_to_the_caller(monkeypatch):
    """It happens in the ticker's thread, where nobody would hear of it, and no run would be looked after."""

    def fail(self):
        raise LookupError("no such thing")

    monkeypatch.setattr(ThreadLimit, "find_out", fail)
    with pytest.raises(LookupError, match="no such thing"):
        run(lambda _: time.sleep(0.05), range(3))
    monkeypatch.undo()
    assert run(lambda item: time.sleep(0.01) or item, range(3)) == [0, 1, 2]
