"""The experiments under pytest-benchmark: `make bench` names this file, `make test` does not collect it."""

from __future__ import annotations

from functools import partial

import pytest
from benchmarks.experiments._catalogue import EXPERIMENTS
from benchmarks.experiments._library import STRATEGIES, perform
from benchmarks.experiments._model import Measured

ROUNDS = 3
WAYS = [(each, way) for each in EXPERIMENTS for way in each.ways]
JOBS = [(each, job, strategy) for each in EXPERIMENTS for job in each.jobs for strategy in STRATEGIES]


@pytest.fixture(scope="module", params=())
def tasks(request, size):
    """The tasks of one experiment, with their servers and files; pytest sets each up once."""
    with request.param.tasks(size) as tasks:
        yield request.param, tasks


def named(value):
    """A part of a test's name."""
    return value if isinstance(value, str) else f"{value.number:02}"


@pytest.mark.parametrize(("tasks", "way"), WAYS, ids=named, indirect=["tasks"])
def test_published_way(benchmark, tasks, way):
    """A published way does its task, and gives the right result."""
    experiment, listed = tasks
    task = listed[experiment.ways_at]
    found = next(each for each in task.ways if each.name == way)
    if found.absent:
        benchmark.skipped = True  # or pytest-benchmark warns that it was not used
        pytest.skip(found.absent)
    benchmark.group = f"{experiment.number:02} {task.name}"
    result = benchmark.pedantic(found.act, rounds=ROUNDS)
    if isinstance(result, Measured):
        benchmark.extra_info.update({task.unit: result.value, **result.extra})
        result = result.result
    found.check(result)


@pytest.mark.parametrize(("tasks", "job", "strategy"), JOBS, ids=named, indirect=["tasks"])
def test_strategy(benchmark, tasks, job, strategy):
    """The library does the same under a strategy, and gives the right results."""
    experiment, listed = tasks
    task = listed[experiment.jobs_at]
    found = next(each for each in task.jobs if each.name == job)
    benchmark.group = f"{experiment.number:02} {task.name}"
    benchmark.extra_info.update(callable=job, strategy=strategy)
    assert benchmark.pedantic(partial(perform, found, strategy), rounds=ROUNDS) == list(found.expected)
