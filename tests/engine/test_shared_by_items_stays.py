"""What calls come to by items' classes: what all objects share, other kinds of methods, deep inside."""

import itertools
import os
import time
from contextlib import ContextDecorator, contextmanager
from functools import partialmethod, singledispatchmethod

import engine_acts as acts
import pytest
from engine_moves import outside

from concurrent_choices import recommend, run
from concurrent_choices._inspect._bonds import bound_to_thread
from concurrent_choices._inspect._setters import what_is_set
from concurrent_choices._inspect._tasks import tasks_among
from concurrent_choices._mutation._state import State

HIGH = 300
SEEN = []
FROM_ENVIRON = os.environ


def note(item):
    SEEN.append(item)


class Signal:
    def __init__(self, *slots):
        self.slots = [*slots]

    def __call__(self, item):
        return [slot(item) for slot in self.slots]


class Emitter:
    changed = Signal(note)

    def go(self):
        acts.spin(1)
        self.changed(self)


class Many:
    def __init__(self, *others):
        self.others = others

    def go(self):
        for each in self.others:
            each.go()


class Each:
    def _note(self, item):
        SEEN.append(item)

    noted = partialmethod(_note, 1)

    @singledispatchmethod
    def told(self, item):
        return item

    @told.register
    def _(self, item: int):
        SEEN.append(item)


class Meta(type):
    def __call__(cls, *args):
        SEEN.append(cls)
        return super().__call__(*args)


class Made(metaclass=Meta):
    pass


class Kept:
    numbers = itertools.count()
    made = []  # noqa: RUF012 - shared by all, which the tests are about

    def __init__(self):
        self.number = next(self.numbers)
        self.made.append(self.number)

    def name(self):
        return acts.spin(1) or type(self).__name__

    def another(self):
        return type(self)()

    def one_more(self):
        return self.__class__()

    @classmethod
    def of(cls):
        return cls()


class Counted:
    made = 0

    def __init__(self):
        type(self).made += 1


class Making:
    inner = Counted

    def make(self):
        return self.inner()


KINDS = {"kept": Kept, "counted": Counted}
ITEMS = {
    "what a class calls": (lambda item: item.go(), Emitter),
    "deep": (lambda item: item.go(), lambda: Many(Many(Many(Emitter())))),
    "partial method": (lambda item: item.noted(), Each),
    "method for kinds": (lambda item: item.told(1), Each),
    "a class's class": (lambda item: item(), lambda: Made),
}
MAKING = {
    "class": (lambda item: item(), lambda: Kept),
    "table": (lambda item: KINDS[item](), lambda: "kept"),
    "counter": (lambda item: KINDS[item](), lambda: "counted"),
    "class in a class": (lambda item: item.make(), Making),
    "type": (lambda item: item.another(), Kept),
    "class of": (lambda item: item.one_more(), Kept),
    "class method": (lambda item: item.of(), Kept),
}


@contextmanager
def noting():
    SEEN.append(1)
    yield


class Noting(ContextDecorator):
    def __enter__(self):
        SEEN.append(1)

    def __exit__(self, *error):
        pass


@noting()
def within(item):
    return acts.spin(item)


@Noting()
def within_object(item):
    return acts.spin(item)


@pytest.fixture(autouse=True)
def _nothing_seen():
    SEEN.clear()


@pytest.mark.parametrize(("fn", "make"), ITEMS.values(), ids=ITEMS)
def test_what_calls_of_items_change_is_foretold(fn, make):
    """Be it by something that their class shares, by other than plain methods, or far inside."""
    assert "the global" in State(fn, [make()]).lost_elsewhere()


@pytest.mark.parametrize(("fn", "make"), MAKING.values(), ids=MAKING)
def test_what_making_objects_changes_in_their_class_is_seen(fn, make):
    """What a class keeps is looked at where calls may make objects of it."""
    item = make()
    state = State(fn, [item])
    fn(item)
    assert state.lost_elsewhere()


def test_to_name_a_class_makes_no_objects():
    """What making such would change keeps nothing here."""
    assert not State(lambda item: item.name(), [Kept()]).lost_elsewhere()


@pytest.mark.parametrize("fn", [within, within_object])
def test_what_a_context_around_a_function_changes_is_foretold(fn):
    """The library's function that is around holds it."""
    assert "the global 'SEEN'" in State(fn, [1]).lost_elsewhere()


def summing():
    total = 0
    while True:
        total += yield total


class Sums:
    def __init__(self):
        self.sums = summing()
        next(self.sums)

    def add(self, item):
        self.sums.send(item)


SUMS = Sums()


def add_to_sums(item):
    SUMS.add(item)


def test_what_a_generator_is_sent_is_foretold():
    """It is kept there, as in a list; another process has a generator of its own."""
    assert "the global 'SUMS'" in State(add_to_sums, [1]).lost_elsewhere()


def test_items_whose_class_calls_something_stay():
    """A list of their module has all of it, as after a loop."""
    items = [Emitter() for _ in range(HIGH)]
    run(ITEMS["what a class calls"][0], items, strategy=outside())
    assert len(SEEN) == HIGH
    recommend(ITEMS["what a class calls"][0], items).run()
    assert len(SEEN) == 2 * HIGH


def set_by_another_name(item):
    FROM_ENVIRON["CHOICES_ITEM"] = str(item)
    time.sleep(0.002)
    return FROM_ENVIRON.pop("CHOICES_ITEM", None)


def test_the_environment_is_known_by_any_global_name():
    """Calls that set it run in one thread, so that each finds its own."""
    assert "environment" in what_is_set(set_by_another_name)
    assert run(set_by_another_name, range(20)) == [*map(str, range(20))]


class Setting:
    def go(self, item):
        FROM_ENVIRON["CHOICES_ITEM"] = str(item)


class Handing:
    inner = Setting()

    def go(self, item):
        self.inner.go(item)


def test_what_an_object_in_a_class_sets_binds_calls_to_one_thread():
    """It is called as much as what an item holds itself."""

    def fn(pair):
        pair[0].go(pair[1])

    pairs = [(Handing(), 1)]
    assert "environment" in bound_to_thread(fn, tasks=tasks_among(fn, pairs))
