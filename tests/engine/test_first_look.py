"""When a run is decided about for the first time."""

import pytest

from concurrent_choices._engine._conductor import FIRST_LOOK, HARDLY, _sleeps
from concurrent_choices._judge._controller._alone import EAGER
from concurrent_choices._judge._controller._climb import FIRST
from concurrent_choices._judge._controller._controller import Controller
from concurrent_choices._judge._controller._sight import Limits, Sight
from concurrent_choices._judge._controller._thresholds import GLANCE

HELD = 1.5 * FIRST_LOOK


@pytest.mark.parametrize(
    ("held", "computed", "sleeps"),
    [(HELD, 0.0, True), (HELD, HARDLY * HELD, True), (HELD, HELD, False), (FIRST_LOOK / 2, 0.0, False)],
    ids=["asleep", "began and slept", "computes or queues", "only begun"],
)
def test_a_call_sleeps_that_has_hardly_had_a_core(held, computed, sleeps):
    """What computes, or queues for a core, is looked at once more; what has only begun, too."""
    assert _sleeps(Sight(now=1.0, held=held, held_cpu=computed)) is sleeps


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
