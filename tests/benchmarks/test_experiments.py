"""Every experiment once, in its quick form: right results, no errors, and the direction that is no luck."""

from __future__ import annotations

import pytest
from benchmarks.experiments._catalogue import EXPERIMENTS
from benchmarks.experiments._library import STRATEGIES
from benchmarks.experiments._model import Size
from benchmarks.experiments._runner import Manner, run_experiment

from concurrent_choices._strategies._registry import NAMES
from patience import patient

WORDS = {"holds", "holds in part", "does not hold", "not measured", "answered"}


def named(experiment):
    """An experiment as a person refers to it."""
    return f"{experiment.number}-{experiment.title.replace(' ', '-')}"


def test_there_are_fourteen():
    """All of the published experiments are here, in their order."""
    assert [each.number for each in EXPERIMENTS] == list(range(1, 15))


def test_every_strategy_takes_part():
    """A strategy that is registered runs every experiment, and so does `auto`."""
    assert set(STRATEGIES) == {*NAMES, "auto"}


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=named)
@patient
def test_it_runs_and_points_the_right_way(experiment):
    """Everybody gives the right results, and what must show even in one run on a busy machine shows."""
    figures, said = run_experiment(experiment, Size.QUICK, Manner(budget=0.1))
    ours = [each for each in figures.readings if each.strategy]
    if errors := [each.error for each in (*ours, *said) if each.error]:
        pytest.fail(f"not by chance: {errors}")
    assert [each.error for each in figures.readings if each.error] == []
    task = figures.tasks()[experiment.jobs_at]
    for job in experiment.jobs:
        assert all(figures.of(task, job, strategy) for strategy in STRATEGIES)
    assert experiment.judge(figures).word in WORDS
    experiment.direction(figures)
    if missing := figures.missing():
        pytest.skip(f"strategies ran; published ways did not: {'; '.join(missing)}")
    assert figures.ways(figures.tasks()[experiment.ways_at]) == list(experiment.ways)
