"""What a callable holds is looked at without asking what raises when it is asked."""

import asyncio
import weakref
from functools import partial, singledispatch
from itertools import count

import pytest

from concurrent_choices import run
from concurrent_choices._inspect._captured import data_among, reached_from
from meanwhile import meanwhile


class Elsewhere:
    """Stands for what is not there outside of a request, as proxies of web frameworks do."""

    __slots__ = ()

    def __getattr__(self, name):
        raise RuntimeError(f"no request to take {name} from")


class Settings(dict):
    """A dictionary with its items as attributes, of which some raise another error."""

    def __getattr__(self, name):
        return self[name]


class Thing:
    """What a weak proxy stands for, and what holds one."""


class Nameless:
    """As some classes that are made by code."""

    __module__ = None


def gone():
    return weakref.proxy(Thing())


def holding(value):
    thing = Thing()
    thing.value = value
    return thing


@pytest.mark.parametrize(
    "make",
    [
        *(Elsewhere, Settings, Nameless, gone, lambda: holding(gone()), lambda: holding(Elsewhere())),
        lambda: [gone(), Elsewhere()],
    ],
    ids=["elsewhere", "settings", "nameless", "gone", "holds-gone", "holds-elsewhere", "list"],
)
def test_what_cannot_be_asked_is_no_obstacle(make):
    """The calls may never touch it, or make it answer first."""
    held = make()

    def name_it(item):
        return item if item >= 0 else held

    async def name_it_too(item):
        await asyncio.sleep(0)
        return name_it(item)

    for fn in name_it, name_it_too:
        assert run(fn, range(20)) == list(range(20))


@pytest.mark.parametrize("kind", [Elsewhere, Settings])
def test_nor_is_an_item(kind):
    """Items are looked at for how large they are, and for what calls change of them."""
    assert run(type, [kind() for _ in range(20)]) == [kind] * 20


SEEN, NAMES, BOX = {}, set(), Thing()


def keeps(item):
    """Name what another thread adds to."""
    return SEEN, NAMES, BOX, item


def test_what_another_thread_adds_to_is_looked_at_meanwhile():
    """Without the GIL it grows while it is gone through, which raised from within `run`."""

    def add():
        for number in count():
            SEEN[number] = number
            NAMES.add(number)
            setattr(BOX, f"part_{number}", number)
            if number % 300 == 0:
                SEEN.clear()
                NAMES.clear()
                vars(BOX).clear()
            yield

    with meanwhile(add()):
        for _ in range(300):
            assert {name for name, _ in reached_from(keeps)} >= {"it", "the global 'SEEN'"}


def test_what_makes_annotations_is_no_part_of_a_class():
    """From Python 3.14 on it holds the class that was written, which is emptied where attrs makes another."""
    written = {"depth": 1}
    made = type("Made", (), {"__annotate_func__": lambda: written, "visit": lambda self: len(str(self))})
    names = [name for name, _ in reached_from(made)]
    assert "Made.visit" in names
    assert "the enclosing 'written'" not in names


@singledispatch
def by_kind(item):
    return type(item).__name__


def test_what_singledispatch_keeps_for_itself_is_not_held():
    """It notes which function is for a class that it has met, so each call of a new kind changed it."""
    assert by_kind(1) == "int"
    held = [value for _, value in data_among(reached_from(by_kind))]
    assert not any(isinstance(each, weakref.WeakKeyDictionary) for each in held)


class Counter:
    def __init__(self):
        self.count = 0

    def add(self, _item):
        self.count += 1


def test_an_own_object_whose_method_a_librarys_function_was_given_is_held():
    """That it may call."""
    wrapper, counter = singledispatch(by_kind), Counter()
    wrapper.callback = counter.add
    assert counter in [value for _, value in data_among(reached_from(wrapper))]


def test_what_hangs_on_something_else_is_told_by_that():
    """A function has no object of its own, and would not know whose was meant."""
    count = Counter().add

    def defaulting(item, step=(1, 2)):
        return item, step

    bound = partial(defaulting, step=3)
    inside = {name for name, _ in data_among(reached_from(lambda item: (count(item), bound(item))))}
    assert inside == {
        "the object of the enclosing 'count'",
        "the bound arguments of the enclosing 'bound'",
        "the defaults of the function of the enclosing 'bound'",
    }
    assert {name for name, _ in data_among(reached_from(count))} == {"its object"}
