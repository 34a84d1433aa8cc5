"""What calls give of what is held, as accessors and properties do, may be changed by who calls them."""

import sys
from importlib import import_module
from types import SimpleNamespace

import pytest

from concurrent_choices._mutation._alterations import altered_by

settings = SimpleNamespace(count=0, seen=[])
seen = []


def its_settings():
    return settings


def same(found):
    return found


def one_of(named, name="seen"):
    for each in named:
        if each == name:
            return seen
    return None


class Store:
    """Gives what it has, in several ways."""

    only = None

    def __init__(self):
        self._rows = [1]
        self.groups = {"a": []}
        self.count = self.asked = 0

    @classmethod
    def get(cls):
        if cls.only is None:
            cls.only = cls()
        return cls.only

    @property
    def rows(self):
        return self._rows

    @property
    def asks(self):
        self.asked += 1
        return ()

    def group(self, name):
        return self.groups[name]

    def both(self):
        return self._rows, self.groups

    def step(self, item):
        return self

    def add(self, item):
        self._rows.append(item)

    def copies(self):
        return list(self._rows)

    def size(self):
        return len(self._rows)

    # What follows calls those.

    def by_a_property(self, item):
        self.rows.append(item)

    def by_a_method(self, item):
        self.group("a").append(item)

    def by_one_of_two(self, item):
        rows, _ = self.both()
        rows.append(item)

    def by_itself(self, item):
        self.step(item).add(item)

    def by_asking(self, item):
        return self.asks, item

    def adds_to_copies(self, item):
        found = self.copies()
        found.append(item)
        made = list(self.group("a"))
        made.append(item)
        count = self.size()
        count += item
        return self.rows, self.group("a"), self.both(), count


store = Store.get()


def updates_what_is_given(item):
    its_settings().count += item


def adds_to_what_is_given(item):
    found = its_settings()
    found.seen.append(item)


def adds_to_what_it_gave(item):
    same(seen).append(item)


def adds_to_what_was_found(item):
    one_of(item).append(item)


def tells_the_only_one(item):
    Store.get().add(item)


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (updates_what_is_given, "the global 'settings'"),
        (adds_to_what_is_given, "the global 'settings'"),
        (adds_to_what_it_gave, "the global 'seen'"),
        (adds_to_what_was_found, "the global 'seen'"),
        (tells_the_only_one, "the global 'Store'"),
        (store.by_a_property, "its object"),
        (store.by_a_method, "its object"),
        (store.by_one_of_two, "its object"),
        (store.by_itself, "its object"),
        (store.by_asking, "its object"),
    ],
)
def test_what_a_call_gives_and_who_called_changes(fn, words):
    """It is the thing itself, not a copy."""
    assert altered_by(fn) == words


def test_what_a_call_makes_is_left_alone():
    """It is the caller's own; and so is what is only looked at."""
    assert altered_by(store.adds_to_copies) == ""


WRAPPING = """
from functools import wraps


def twice(fn):
    @wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs) or fn(*args, **kwargs)

    return wrapper
"""


@pytest.mark.parametrize("name", ["notes", "tells"])
def test_what_a_librarys_decorator_hands_on(tmp_path, monkeypatch, name):
    """A method that it has wrapped is given its object, whether it is called by another or by name."""
    (folder := tmp_path / "site-packages").mkdir()
    (folder / "wrapping.py").write_text(WRAPPING)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "wrapping", raising=False)

    class Noting:
        def __init__(self):
            self.count = 0

        @import_module("wrapping").twice
        def notes(self, item):
            self.count = self.count + item

        def tells(self, item):
            return self.notes(item)

    assert altered_by(getattr(Noting(), name)) == "its object"
