"""Named tuples that are made without `typing`."""

from __future__ import annotations

from concurrent_choices._facts._lean import NamedTuple


class Pair(NamedTuple):
    """Two numbers."""

    first: int
    second: int = 2

    def total(self):
        return self.first + self.second

    @property
    def _half(self):
        return self.total() / 2


def test_it_is_what_typing_makes():
    """A tuple with names, defaults, a text, methods and properties."""
    pair = Pair(1)
    assert pair == (1, 2)
    assert (pair.total(), pair._half, pair._replace(first=4).total()) == (3, 1.5, 6)
    assert (Pair.__doc__, Pair.__module__, Pair._fields) == ("Two numbers.", __name__, ("first", "second"))
