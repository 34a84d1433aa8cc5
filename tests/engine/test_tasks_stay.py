"""Items that are called, or hold what is called: what keeps a callable here keeps such a task, too."""

from functools import partial

import engine_acts as acts
import pytest
from engine_moves import outside, until_told

from concurrent_choices import recommend, run
from concurrent_choices._mutation._state import State
from concurrent_choices._transfer._kept_here import kept_here

HIGH = 300


class Counting:
    def __init__(self):
        self.number = 0

    def count(self):
        acts.spin(0)
        self.number += 1


class Job:
    __slots__ = ("args", "fn")

    def __init__(self, fn, *args):
        self.fn, self.args = fn, args

    def work(self):
        return self.fn(*self.args)


def call(task):
    return task()


def noting(seen, item):
    acts.spin(item)
    seen.append(item)


def closures(seen):
    def made(item):
        return lambda: noting(seen, item)

    return [made(item) for item in range(HIGH)]


KINDS = {
    "closures": (call, closures),
    "partials": (call, lambda seen: [partial(noting, seen, item) for item in range(HIGH)]),
    "pairs": (lambda pair: pair[0](pair[1]), lambda seen: [(partial(noting, seen), i) for i in range(HIGH)]),
    "dicts": (lambda task: task["fn"](task["item"]), lambda seen: [
        {"fn": partial(noting, seen), "item": item} for item in range(HIGH)
    ]),
    "objects": (Job.work, lambda seen: [Job(partial(noting, seen), item) for item in range(HIGH)]),
}  # fmt: skip


@pytest.mark.parametrize(("fn", "make"), KINDS.values(), ids=KINDS)
def test_tasks_that_change_what_they_hold_stay(fn, make):
    """In another process the change would be made to a copy."""
    seen = []
    strategy = outside()
    run(fn, make(seen), strategy=strategy)
    assert sorted(seen) == [*range(HIGH)]
    assert strategy.report.witness == "their items"


def test_methods_that_change_their_objects_stay():
    """So it is where each of the items has an object of its own."""
    counters = [Counting() for _ in range(HIGH)]
    strategy = outside()
    run(call, [each.count for each in counters], strategy=strategy)
    assert {each.number for each in counters} == {1}
    assert strategy.report.witness == "their items"


def test_a_change_by_a_task_is_foretold():
    """Before any call, by its code; and seen afterwards where the code does not tell."""
    seen, hidden = [], []
    assert State(call, [partial(noting, seen, 1)]).lost_elsewhere() == "their items"

    def hide():
        getattr(hidden, "app" + "end")(1)  # which the code does not tell

    state = State(call, [hide])
    assert not state.lost_elsewhere()
    hide()
    assert state.lost_elsewhere() == "their items"


def test_tasks_that_change_nothing_may_go():
    """Neither what they hold nor what they make is looked at as a change."""
    table = [1, 2, 3]
    tasks = [partial(sorted, table), (sum, table), lambda: [each for each in table]]  # noqa: C416 - own code
    assert not State(call, tasks).lost_elsewhere()
    assert not kept_here(call, tasks, tasks)


def test_tasks_that_use_what_was_set_in_a_module_stay(monkeypatch):
    """A worker would import the module and find what the module itself sets."""
    monkeypatch.setattr(acts, "FACTOR", 3)
    strategy = outside()
    tasks = until_told(strategy, [partial(acts.times_factor, item) for item in range(HIGH)])
    assert run(call, tasks, strategy=strategy) == [*range(0, 3 * HIGH, 3)]
    assert "engine_acts.FACTOR has another value there than here" in strategy.controller.barred


def test_a_task_that_takes_a_lock_of_a_module_stays():
    """Each worker would import one of its own, which keeps out nobody."""
    tasks = [partial(acts.times_in_turn, 1)]
    assert "the global 'TURN' is a threading.Lock" in kept_here(call, tasks, tasks)


def test_a_verdict_keeps_tasks_that_change_something():
    """`recommend` has seen or read it, and names it where processes cannot be used."""
    seen = []
    verdict = recommend(call, [partial(noting, seen, item) for item in range(HIGH)])
    assert "their items" in verdict.estimate("process").obstacle
    assert sorted(seen) != [*range(HIGH)]
    verdict.run()
    assert sorted(seen) == [*range(HIGH)]
