"""`run` inside `run`: it works in every pairing, and workers are not multiplied."""

from __future__ import annotations

import contract_acts as acts
import pytest
from contract_ways import dismiss_resting, small

from concurrent_choices import ProcessStrategy, ThreadStrategy, run
from concurrent_choices._strategies import _registry


@pytest.fixture(autouse=True)
def grandchildren_go_home(nothing_left):
    """Workers' own workers would rest for two seconds; they leave with those they belong to."""
    yield
    dismiss_resting()


@pytest.mark.parametrize("inner", _registry.NAMES)
def test_every_strategy_inside_every_other(name, inner):
    """A run inside an item of another run gives its results like any other."""
    items = [(inner, number) for number in range(2)]
    assert run(acts.nested, items, strategy=small(name)) == [[0, 2], [2, 4]]


def test_an_async_def_that_runs_beside_its_loop(strategy):
    """Inside a coroutine `run` is refused by name, and `arun` does it."""
    results = run(acts.nested_arun, [1, 2], strategy=strategy)
    assert results == [[2, 4], [4, 6]]


def test_threads_are_not_multiplied():
    """Four threads that run with four threads each come to about four, not sixteen."""
    used = run(acts.workers_of_nested, [12] * 4, strategy=ThreadStrategy(max_workers=32, batch=1))
    assert all(len(threads) <= 32 // 4 for threads in used)


def test_processes_are_not_multiplied():
    """Processes that run with processes share the machine's number among them."""
    outer = ProcessStrategy(max_workers=2)
    used = run(acts.processes_of_nested, [4, 4], strategy=outer)
    assert [len(processes) for processes in used] == [1, 1]


def test_a_lane_runs_at_least_one():
    """However many lanes there are around, one worker is there for a nested run."""
    assert run(acts.processes_of_nested, [1] * 8, strategy="thread")


def test_three_deep():
    """Runs inside runs inside runs."""
    assert run(acts.nested_deep, [3], strategy="thread") == [[[[3]]]]
