from enum import IntEnum, StrEnum
from functools import lru_cache, partial, reduce

import pytest

from concurrent_choices._errors import InvalidArgumentError
from concurrent_choices._facts._workload import Workload


def square(number):
    return number * number


class Doubler:
    def __call__(self, number):
        return 2 * number

    def double(self, number):
        return self(number)

    @classmethod
    def make(cls, _number):
        return cls()


class Tripler(Doubler):
    pass


def test_items_are_counted_where_they_can_be():
    """A list knows its length; nothing is pulled to find it out."""
    assert Workload(square, [1, 2, 3]).count == 3


def test_a_generator_is_not_counted():
    """Counting would use it up."""
    items = iter([1, 2, 3])
    assert Workload(square, items).count is None
    assert list(items) == [1, 2, 3]


def test_a_given_count_wins():
    """That is how "a thousand times the items" is asked."""
    assert Workload(square, [1], items_count=1000).count == 1000


@pytest.mark.parametrize(
    ("fn", "name"),
    [(square, "square"), (partial(pow, 2), "pow"), (Doubler(), "Doubler"), (str.upper, "str.upper")],
)
def test_it_is_named_after_its_callable(fn, name):
    """Functions, partials, instances and methods all have a name to print."""
    assert Workload(fn, []).name == name


def test_it_can_be_named():
    """A name of one's own stands in tables."""
    assert Workload(square, [], name="pages").name == "pages"


def test_a_data_set_will_do():
    """What a loop goes through by its places, as `run` does."""

    class Squares:
        def __len__(self):
            return 3

        def __getitem__(self, place):
            if place > 2:
                raise IndexError
            return place * place

    assert list(Workload(square, Squares()).items) == [0, 1, 4]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (([1], square), "fn: must be callable, not [1]; the items come second"),
        ((square, 3), "items: must be an iterable, not 3; put a single item into a list"),
    ],
)
def test_arguments_that_cannot_work_are_refused(arguments, problem):
    """The error names the argument and the way out."""
    with pytest.raises(InvalidArgumentError) as caught:
        Workload(*arguments)
    assert f"{caught.value.argument}: {caught.value.problem}" == problem


def test_a_name_that_is_no_text_is_refused():
    """It stands in tables and JSON."""
    with pytest.raises(InvalidArgumentError, match="must be a string, not 5"):
        Workload(square, [1], name=5)


@pytest.mark.parametrize("count", [-1, 2.5, "3", True])
def test_a_count_that_is_none_is_refused(count):
    """There is a whole number of items, and no fewer than none."""
    with pytest.raises(InvalidArgumentError) as caught:
        Workload(square, [], items_count=count)
    assert str(caught.value) == f"items_count: must be a whole number from 0, or None, not {count!r}"


class Colour(IntEnum):
    RED = 1


class Suit(StrEnum):
    HEARTS = "hearts"


def test_it_survives_json():
    """Callable, items, count and name come back."""
    read = Workload.from_json(Workload(len, ["a", ["b", 2]], items_count=9, name="letters").to_json())
    assert (read.fn, read.items, read.count, read.name) == (len, ["a", ["b", 2]], 9, "letters")


@pytest.mark.parametrize(
    ("workload", "problem"),
    [
        (Workload(lambda x: x, []), "cannot be imported by name"),
        (Workload(partial(pow, 2), []), "cannot be imported by name"),
        (Workload(square, iter([])), "make it a list"),
        (Workload(len, [b"bytes"]), "cannot be written as JSON"),
        (Workload(len, [reduce(lambda inner, _: [inner], range(100_000), [])]), "cannot be written as JSON"),
        (
            Workload(len, [reduce(lambda inner, _: {"a": inner}, range(700), {})]),
            "cannot be written as JSON",
        ),
        (Workload(len, ["a", (1, 2)]), r"item 1, \(1, 2\), would come back as \[1, 2\]"),
        (Workload(abs, [Colour.RED]), "item 0, <Colour.RED: 1>, would come back as 1"),
        (Workload(len, [{"of": [Colour.RED]}]), "item 0, .* would come back as {'of': \\[1\\]}"),
        (Workload(len, [{Suit.HEARTS: 1}]), "item 0, .* would come back as {'hearts': 1}"),
        (Workload(len, [{1: "one"}]), "item 0, .* would come back as {'1': 'one'}"),
    ],
)
def test_what_json_cannot_hold_is_refused(workload, problem):
    """The message says what stands in the way."""
    with pytest.raises(InvalidArgumentError, match=problem):
        workload.to_json()


@pytest.mark.parametrize("fn", [Doubler().double, lru_cache(square), Tripler.make])
def test_a_callable_that_another_has_the_name_of_is_refused(fn):
    """A method without its object, or a function without its cache, would come back instead."""
    with pytest.raises(InvalidArgumentError, match=r"fn: is not what is imported as .*test_workload:"):
        Workload(fn, [1]).to_json()


def test_a_class_method_survives_json():
    """Though each look at it gives another object."""
    assert Workload.from_json(Workload(Doubler.make, [1]).to_json()).fn == Doubler.make


@pytest.mark.parametrize(
    "text",
    ["[]", "{}", "no", "[" * 100_000, '{"fn": "nowhere:f", "items": []}', '{"fn": "os:gone", "items": []}'],
)
def test_a_text_that_is_no_workload_is_refused(text):
    """Whatever is wrong, it is one error, and it says where such a text comes from."""
    with pytest.raises(InvalidArgumentError, match=r"Workload\.to_json"):
        Workload.from_json(text)
