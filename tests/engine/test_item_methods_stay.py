"""Methods that calls come to, of items and of what is held: what they change or set is the callable's own."""

import os
import time
from functools import singledispatch
from operator import attrgetter, methodcaller
from pathlib import Path

import engine_acts as acts
import pytest
from engine_moves import outside

from concurrent_choices import recommend, run
from concurrent_choices._inspect._bonds import bound_to_thread
from concurrent_choices._inspect._tasks import tasks_among
from concurrent_choices._mutation._state import State

HIGH = 300
SEEN = []
TOTAL = 0


class Job:
    colour = "red"

    def __init__(self, number):
        self.number = number

    def note(self):
        SEEN.append(self.number)

    def count(self):
        global TOTAL  # noqa: PLW0603 - what the tests are about
        TOTAL += self.number

    def deep(self):
        return self.note()

    def hidden(self):
        vars(list)["app" + "end"](SEEN, self.number)

    @property
    def noted(self):
        return self.note()

    def tell(self):
        return acts.spin(self.number) or self.colour

    def move(self, folder):
        os.chdir(folder)
        time.sleep(0.002)
        return str(Path.cwd())


class Late(Job):
    def tell(self):
        return super().tell() or self.note()


class Sum(Job):
    def __add__(self, other):
        return self.note() or other


class Hooked(Late):
    def work(self):
        return self.tell()


class Noted:
    def __set_name__(self, owner, name):
        self.name = f"_{name}"

    def __get__(self, thing, owner=None):
        return self

    def __set__(self, thing, value):
        SEEN.append(value)


class Keeping:
    value = Noted()


class Table(dict):
    def __missing__(self, key):
        return SEEN.append(key)


@singledispatch
def note_any(value):
    return value


@note_any.register
def _(value: int):
    SEEN.append(value)


TABLE, JOB, JOBS = Table(), Job(1), {"one": Job(1)}


def set_kept(item):
    kept = Keeping()
    kept.value = item


HOLDING = {
    "object": lambda item: JOB.deep(),
    "table": lambda item: JOBS["one"].deep(),
    "class": lambda item: Hooked(item).work(),
    "descriptor": set_kept,
    "missing": lambda item: TABLE[item],
    "singledispatch": note_any,
}


def spin_and_note(job):
    acts.spin(job.number)
    job.deep()


NOTING = {
    "method": lambda job: job.note(),
    "count": lambda job: job.count(),
    "another": lambda job: job.deep(),
    "property": lambda job: job.noted,
    "operator": lambda job: job + 1,
    "by name": lambda job: getattr(job, "no" + "te")(),
    "methodcaller": methodcaller("note"),
    "attrgetter": attrgetter("noted"),
}


@pytest.fixture(autouse=True)
def _nothing_seen():
    SEEN.clear()


@pytest.mark.parametrize("fn", NOTING.values(), ids=NOTING)
def test_what_a_method_changes_is_foretold(fn):
    """Its code tells, however the callable comes to it."""
    assert "the global" in State(fn, [Sum(1)]).lost_elsewhere()


@pytest.mark.parametrize("fn", HOLDING.values(), ids=HOLDING)
def test_so_it_is_of_what_the_callable_holds(fn):
    """Objects, and classes whose bases have the method; a descriptor; functions for kinds of arguments."""
    assert "the global" in State(fn, [1]).lost_elsewhere()


@pytest.mark.parametrize(
    "item",
    [[Job(1)], {"job": Job(1)}, Late(1), (len, Job(1)), {"deep": {"in": Job(1)}}],
    ids=["list", "dict", "other", "pair", "deep"],
)
def test_so_it_is_where_items_hold_the_object(item):
    """Or where its class has the method from another."""
    assert "the global" in State(lambda item: item[0].deep(), [item]).lost_elsewhere()


def test_so_it_is_where_a_function_among_items_names_the_method():
    """What comes to it need not be the callable."""
    pair = NOTING["another"], Job(1)
    assert "the global" in State(lambda pair: pair[0](pair[1]), [pair]).lost_elsewhere()


def test_a_change_that_the_code_does_not_tell_is_seen():
    """What methods name is looked at before and after calls."""
    state = State(lambda job: job.hidden(), [Job(1)])
    assert not state.lost_elsewhere()
    Job(1).hidden()
    assert state.lost_elsewhere() == "the global 'SEEN'"


def test_items_of_other_classes_are_looked_at_later():
    """What their methods name is compared from then on."""
    state = State(lambda job: job.tell(), [Job(1)])
    assert not state.altered()
    state.look_also([Job(2), Late(3)])
    assert "SEEN" in state.altered()


def test_methods_that_calls_do_not_come_to_do_not_count():
    """Nor do those that hold and name nothing."""
    assert not State(lambda job: job.tell() + job.colour, [Job(1)]).lost_elsewhere()
    assert [each.__name__ for each in tasks_among(lambda job: job.tell(), [Job(1)])] == ["tell"]


@pytest.mark.parametrize("job", [Job, Late])
def test_jobs_that_note_something_stay(job):
    """A list of their module has all of it, as after a loop."""
    jobs = [job(number) for number in range(HIGH)]
    strategy = outside()
    run(spin_and_note, jobs, strategy=strategy)
    assert sorted(SEEN) == [*range(HIGH)]
    assert strategy.report.witness == "the global 'SEEN'"


def test_a_verdict_keeps_them_here():
    """As `auto` does, and says what would be lost."""
    verdict = recommend(spin_and_note, [Job(number) for number in range(HIGH)])
    assert "the global 'SEEN'" in verdict.estimate("process").obstacle
    verdict.run()
    assert sorted(SEEN) == [*range(HIGH)]


class Moving(Job):
    def __init__(self, folder):
        super().__init__(1)
        self.folder = folder

    def __enter__(self):
        self.move(self.folder)

    def __exit__(self, *error):
        pass


def move_within(folder):
    with Moving(folder):
        time.sleep(0.002)
        return str(Path.cwd())


def test_what_a_method_sets_binds_calls_to_one_thread(tmp_path, monkeypatch):
    """The working directory is that of all threads: each call finds its own."""
    monkeypatch.chdir(tmp_path)
    folders = [tmp_path / str(number) for number in range(20)]
    for each in folders:
        each.mkdir()
    pairs = [(Job(1), str(each)) for each in folders]

    def move(pair):
        return pair[0].move(pair[1])

    assert "working directory" in bound_to_thread(move, tasks=tasks_among(move, pairs))
    for fn, items in ((move, pairs), (move_within, [str(each) for each in folders])):
        assert run(fn, items) == [str(each) for each in folders]
        assert recommend(fn, items).run() == [str(each) for each in folders]
