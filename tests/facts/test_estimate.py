from math import inf

from concurrent_choices._facts._estimate import Estimate
from concurrent_choices._facts._plan import Plan

PLAN = Plan(strategy="thread", workers=8, concurrency=8)


def test_it_survives_json():
    """Predicted and measured seconds, error, and the plan come back."""
    estimate = Estimate(plan=PLAN, seconds=1.5, error=0.1, measured=1.4, limit="gil", note="n")
    assert Estimate.from_json(estimate.to_json()) == estimate


def test_what_was_measured_is_expected():
    """A race outranks a prediction."""
    assert Estimate(plan=PLAN, seconds=1.5, measured=1.4).expected == 1.4


def test_a_prediction_is_expected_without_a_race():
    """Most estimates never race."""
    assert Estimate(plan=PLAN, seconds=1.5).expected == 1.5


def test_what_cannot_run_takes_forever():
    """So it is never the fastest."""
    estimate = Estimate(plan=PLAN, obstacle="no processes here")
    assert not estimate.feasible
    assert estimate.expected == inf


def test_the_error_can_be_read_as_a_share():
    """A tenth of a second in two is five percent; of nothing it is nothing."""
    assert Estimate(plan=PLAN, seconds=2.0, error=0.1).relative_error == 0.05
    assert Estimate(plan=PLAN).relative_error == 0.0
