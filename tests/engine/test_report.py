import logging

import pytest

from concurrent_choices import run
from concurrent_choices._engine._report import RunReport, Step


def step(doing, reason, lanes=1, stage="alone"):
    return Step(0.0, stage, doing, lanes, reason, 0)


def told(*steps):
    """The reasons that a report keeps of what it was told."""
    report = RunReport("work")
    for each in steps:
        report.note(each)
    return [(each.doing, each.reason) for each in report.steps]


def test_a_reason_is_told_where_the_same_lanes_go_on():
    """Why nothing was changed is part of what was decided."""
    assert told(step("this thread", "it begins"), step("this thread", "it cannot travel")) == [
        ("this thread", "it begins"),
        ("this thread", "it cannot travel"),
    ]


def test_figures_and_reasons_that_take_turns_are_told_once():
    """They change from look to look, and a run has thousands of looks."""
    some, other = step("thread ×8", "98% of it waits"), step("thread ×8", "they compute")
    again = step("thread ×8", "97% of it waits")
    assert told(some, again, other, again, other, some) == [
        ("thread ×8", "98% of it waits"),
        ("thread ×8", "they compute"),
    ]


def test_an_obstacle_is_told_once():
    """First as what gave processes up, then as the end of why the calling thread goes on."""
    alone = step("this thread", "it cannot travel")
    assert len(told(alone, step("this thread", "it computes under the GIL, and it cannot travel"))) == 1
    assert len(told(alone, step("this thread", "it cannot travel, and waits"))) == 2


def test_a_reason_is_told_again_of_other_lanes():
    """It is why there are others now."""
    steps = [step("thread ×8", "more"), step("thread ×32", "more", 32), step("thread ×8", "more")]
    assert len(told(*steps)) == 3


@pytest.mark.parametrize(("lanes", "count"), [(10, 1), (20, 2)])
def test_a_few_lanes_more_are_no_step(lanes, count):
    """Twice as many are, whatever became of the figures meanwhile."""
    steps = step("thread ×8", "97% of it waits", 8), step(f"thread ×{lanes}", "98% of it waits", lanes)
    assert len(told(*steps)) == count


def test_a_reason_that_goes_on_is_printed_once():
    """Lanes that double have the same one each time, but for its figures."""
    report = RunReport("work")
    for each in (step("thread ×8", "98% waits", 8), step("thread ×16", "97% waits", 16), step("alone", "x")):
        report.note(each)
    endings = [line.rsplit("  ", 1)[1].strip() for line in str(report).splitlines()[1:]]
    assert endings == ["98% waits", "the same", "x"]


class Raising(logging.Handler):
    """As one whose disk is full, or whose server is gone."""

    def emit(self, record):
        raise RuntimeError(record.getMessage())


def test_a_log_that_raises_costs_no_result():
    """Its handlers are somebody else's."""
    log = logging.getLogger("concurrent_choices")
    before, handler = log.level, Raising()
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    try:
        report = RunReport("work")
        report.note(step("this thread", "it begins"))
        report.lose("a counter")
        assert run(abs, range(-3000, 0), strategy="auto") == [*range(3000, 0, -1)]
    finally:
        log.setLevel(before)
        log.removeHandler(handler)
    assert (len(report.steps), report.lost) == (1, "a counter")
