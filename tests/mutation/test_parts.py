"""Items that are more than their attributes are looked at as a whole, whatever class they are of."""

import io
import random
from collections import OrderedDict, defaultdict, deque
from pathlib import Path

import numpy as np
import pytest

from concurrent_choices._mutation._state import State


class Tagged:
    def __init__(self, *args):
        super().__init__(*args)
        self.tag = "a"


class Rows(Tagged, list):
    pass


class Table(Tagged, dict):
    pass


class Order(Tagged, OrderedDict):
    pass


class Names(Tagged, set):
    pass


class Queue(Tagged, deque):
    pass


class Text(Tagged, bytearray):
    pass


class Slotted:
    __slots__ = ("held", "unset")

    def __init__(self):
        self.held = [1]


class Both(Slotted):
    def __init__(self):
        super().__init__()
        self.name = "a"


class WithDict:
    __slots__ = ("__dict__", "held")

    def __init__(self):
        self.name, self.held = "a", [1]


class Sparing:
    """Leaves out of its pickle what it keeps for later."""

    def __init__(self):
        self.kept = None

    def __getstate__(self):
        return {}


def of_a_local_class(*, in_a_list):
    class Local:
        __slots__ = ("held",)

    one = Local()
    one.held = [1]
    return [one] if in_a_list else one


def named(file):
    file.name = "a.txt"
    return file


def noted(error):
    error.add_note("a note")
    return error


@pytest.mark.parametrize(
    ("item", "change"),
    [
        (Rows([1]), lambda item: item.append(1)),
        (Table({"a": 1}), lambda item: item.update(a=2)),
        (Order({"a": 1, "b": 2}), lambda item: item.move_to_end("a")),
        (Names([1]), lambda item: item.add(2)),
        (Queue([1, 2]), deque.rotate),
        (Text(b"a"), lambda item: item.extend(b"b")),
        (named(io.BytesIO(b"abc")), io.BytesIO.read),
        (named(io.BytesIO()), lambda item: item.write(b"a")),
        (np.ma.array([1, 2], mask=[0, 1]), lambda item: item.data.fill(3)),
        (random.Random(1), random.Random.random),
        (noted(ValueError(1)), lambda item: setattr(item, "args", (2,))),
        (Slotted(), lambda item: item.held.append(2)),
        (Both(), lambda item: item.held.append(2)),
        (WithDict(), lambda item: item.held.append(2)),
        (Sparing(), lambda item: setattr(item, "kept", 1)),
        (of_a_local_class(in_a_list=False), lambda item: item.held.append(2)),
        (of_a_local_class(in_a_list=True), lambda item: item[0].held.append(2)),
        (memoryview(bytearray(3)), lambda item: item.__setitem__(0, 1)),
        ([memoryview(bytearray(3)), object], lambda item: item[0].__setitem__(0, 1)),
        (defaultdict(list), lambda item: item[1]),
        ([defaultdict(int)], lambda item: item[0][1]),
    ],
    ids=lambda given: "" if callable(given) else type(given).__name__,
)
def test_what_was_done_to_an_item_is_seen(item, change):
    """It is looked for afterwards in the caller's own, while what was only read is no change."""
    state = State(len, [item])
    assert not state.items_changed()
    change(item)
    assert state.items_changed()


class Kept(type(Path())):
    """Has slots of a library's, and attributes."""


def with_a_name(path):
    path.name_of_it = "a"
    return path


@pytest.mark.parametrize(
    "item", [Path("a/b.txt"), [Path("a/b.txt")], with_a_name(Kept("a/b.txt"))], ids=["path", "list", "own"]
)
def test_what_a_library_keeps_in_slots_is_no_change(item):
    """A path has its text there once it was asked for that, and in no pickle."""
    state = State(len, [item])
    path = item[0] if type(item) is list else item
    assert {str(path): path.parts, path: 1}
    assert not state.items_changed()


class Unwilling(Rows):
    def __reduce_ex__(self, _protocol):
        msg = "has no pickle"
        raise TypeError(msg)


def test_an_item_that_refuses_to_be_pickled_is_looked_into():
    """Its attributes and elements tell all the same."""
    item = Unwilling([[1], 2])
    state = State(len, [item])
    assert not state.items_changed()
    item[0].append(2)
    assert state.items_changed()


class Unique(list):
    def __reduce_ex__(self, _protocol):
        return "ONE"


ONE = Unique()


def test_an_item_that_goes_by_name_is_looked_into():
    """Its attributes are, whatever its pickle is."""
    ONE.tag = "a"
    state = State(len, [ONE])
    assert not state.items_changed()
    ONE.tag = "b"
    assert state.items_changed()
