"""Random generators that a library shares among all of a process travel by name, a user's own by value.

So do a process's standard output and error, and no other file.
"""

from __future__ import annotations

import pickle
import random
import secrets
import sys
from functools import partial

import pytest

from concurrent_choices._inspect._captured import data_among, reached_from
from concurrent_choices._inspect._generators import draws, is_shared
from concurrent_choices._mutation._marks import mark_of
from concurrent_choices._transfer._imported import Imported
from concurrent_choices._transfer._markers import dump_callable
from concurrent_choices._transfer._pickling import dump, load


class Drawing:
    """Holds one of the methods, as a user's object may."""

    def __init__(self, draw):
        self.draw = draw


def pack(value):
    """Frames of a callable, or of what passes for one."""
    return dump_callable(value, value)


def by_value(fn):
    """A function that only cloudpickle can pickle, and that holds `fn`."""
    return lambda: fn


METHODS = [random.random, random.randint, random.gauss, secrets.choice]


@pytest.mark.parametrize("draw", METHODS, ids=lambda each: each.__name__)
def test_methods_of_shared_generators_travel_by_name(draw):
    """They arrive as those of the generator that is there, in plain pickle and in cloudpickle's."""
    for sent, inside in [
        (draw, lambda it: it),
        (partial(draw, 1), lambda it: it.func),
        (Drawing(draw), lambda it: it.draw),
        (by_value(draw), lambda it: it()),
    ]:
        assert inside(load(pack(sent))).__self__ is draw.__self__
    assert load(dump(by_value(draw)))().__self__ is draw.__self__


@pytest.mark.parametrize("output", [sys.__stdout__, sys.__stderr__], ids=lambda each: each.name)
def test_the_standard_output_is_nothing_that_a_callable_holds(output, tmp_path):
    """It travels by name, as its methods do; a file is held, and stays."""

    def say():
        return output, write

    write = output.write
    assert list(data_among(reached_from(say))) == []
    arrived, bound = load(pack(say))()
    assert (arrived, bound.__self__) == (output, output)
    with (tmp_path / "log").open("w") as file:
        assert [name for name, _ in data_among(reached_from(by_value(file)))] == ["the enclosing 'fn'"]
        with pytest.raises(TypeError, match="TextIOWrapper"):
            pack(by_value(file))


def test_methods_of_numpys_shared_generator_travel_by_name():
    """The same of what `from numpy.random import rand` binds."""
    numbers = pytest.importorskip("numpy.random")
    for draw in (numbers.rand, numbers.normal):
        assert is_shared(draw)
        assert load(pack(draw)).__self__ is draw.__self__
        assert load(dump(by_value(draw)))().__self__ is draw.__self__


@pytest.mark.parametrize("kind", [random.Random, type("Loaded", (random.Random,), {})])
def test_a_generator_of_ones_own_travels_as_it_is(kind):
    """It is a value, which goes on at the other end from where it was here."""
    for packed in (dump, pack):
        own = kind(3)
        (arrived,) = load(packed([own]))
        assert (type(arrived), arrived is own) == (kind, False)
        assert load(packed(by_value(own)))().random() == arrived.random() == own.random()


def test_a_generator_of_ones_own_is_not_shared():
    """Nor is anything else that has methods, or none."""
    for each in (random.Random(3), random.Random(3).random, [].append, len, random, None):
        assert not is_shared(each)


def test_a_generator_is_told_from_others():
    """By its kind alone, which may be of one's own."""
    assert all(map(draws, (random.Random(), type("Loaded", (random.Random,), {})())))
    assert not any(map(draws, (random, random.random, 3, None, random.Random)))


def test_shared_generators_are_nothing_that_a_callable_holds():
    """They are as a module that is named; one of the user's own is looked at."""
    own = random.Random(3)

    def draws():
        return draw(1, 6), own.random()

    draw = random.randint
    assert [name for name, _ in data_among(reached_from(draws))] == ["the enclosing 'own'"]
    assert list(data_among(reached_from(random.randint))) == []


def test_a_shared_generator_has_one_mark_whatever_it_has_drawn():
    """A module that has imported its method is in a worker what it is here."""
    before = mark_of(random.randint), mark_of(Drawing(random.random))
    random.random()
    assert (mark_of(random.randint), mark_of(Drawing(random.random))) == before


def test_what_was_imported_is_compared_without_the_state():
    """As it is for a function of an importable module."""
    marks = pickle.dumps(Imported(throw))
    random.random()
    pickle.loads(marks)


draw_one = random.randint


def throw(sides):
    """A function that uses a name which stands for a shared generator's method."""
    return draw_one(1, sides)
