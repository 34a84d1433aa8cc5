"""What callables change by a class: by what theirs inherits, by its own call, or as it makes objects."""

from typing import ClassVar

import pytest

from concurrent_choices._mutation._alterations import altered_by


class Path(tuple):  # noqa: SLOT001 - it has attributes of its own
    """A tuple that is called, and keeps what it is told."""

    def __call__(self, item):
        self.seen.append(item)


path = Path()
path.seen = []


def test_a_tuple_that_is_called_has_its_own_call():
    """It is not taken for what a dictionary's method gives a loop."""
    assert altered_by(lambda item: path(item + 1)) == "the global 'path'"


class Noting:
    """A worker that comes to a change by what it inherits."""

    def __init__(self):
        self.seen = []

    def note(self, item):
        self.seen.append(item)

    def tell(self, item):
        return item


class Beside(Noting):
    def note(self, item):
        super().note(item)

    def by_another(self, item):
        self.note(item)

    def by_name(self, item):
        super(Beside, self).note(item)  # noqa: UP008 - people write that, too

    def by_its_class(self, item):
        Noting.note(self, item)

    def by_its_class_inside(self, items):
        return [Noting.note(self, item) for item in items]

    def note_all(self, items):
        note = super().note
        for item in items:
            note(item)


class Below(Beside):
    def note(self, item):
        return super().note(item)

    def tell(self, item):
        return super().tell(item)

    def tell_by_its_class(self, item):
        return Noting.tell(self, item) or Noting.note(Noting(), item)

    def missing(self, item):
        return super().nothing(item) or super().__init__.__name__


@pytest.mark.parametrize(
    "method",
    [
        Beside().note,
        Beside().by_another,
        Beside().by_name,
        Beside().by_its_class,
        Beside().by_its_class_inside,
        Beside().note_all,
        Below().note,
    ],
)
def test_a_method_above_is_followed(method):
    """As Python finds it: in the class behind the one that the method is written in."""
    assert altered_by(method) == "its object"


@pytest.mark.parametrize("method", [Below().tell, Below().tell_by_its_class, Below().missing])
def test_what_is_above_and_changes_nothing_is_left_alone(method):
    """So is what nobody finds there."""
    assert altered_by(method) == ""


class Counted:
    """Counts its objects, which nobody makes while it is used."""

    made = []  # noqa: RUF012 - what is looked for
    total = 0

    def __init__(self):
        Counted.made.append(self)
        Counted.total += 1

    def size(self, item):
        return len(self.made) + item

    def reset(self):
        Counted.total += 1
        self.made.clear()


def makes_one(item):
    return Counted().size(item)


def test_what_a_class_does_beside_is_left_alone():
    """What it counts as objects are made counts where code makes one."""
    assert altered_by(Counted().size) == ""
    assert altered_by(makes_one) == "the global 'Counted'"


class Node:
    """One of many that hold one another, in a ring."""

    def __init__(self):
        self.next = self

    def visit(self, item):
        return self.next.visit(item) or self.next.next.leave(item)

    def leave(self, item):
        found = []
        found.append(item)
        return self.visit(found)


def test_what_goes_round_comes_to_an_end():
    """Nodes of a long chain, or of a ring, are not followed without end."""
    first = last = Node()
    for _ in range(2000):
        last.next = Node()
        last = last.next
    assert altered_by(first.visit) == ""
    assert altered_by(last.visit) == ""


class Noted:
    """It keeps a list of all classes that derive from it, which are made before any call."""

    kinds: ClassVar = []

    def __init_subclass__(cls):
        Noted.kinds.append(cls)


class Later(Noted):
    """One of them."""


def makes_a_later_one(item):
    return Later(), item


def makes_a_class(item):
    class Made(Noted):
        number = item

    return Made.number


def test_what_happens_as_classes_are_made():
    """It counts where calls make any."""
    assert altered_by(makes_a_later_one) == ""
    assert altered_by(makes_a_class) != ""
