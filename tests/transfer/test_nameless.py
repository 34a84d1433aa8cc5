"""Plain objects are known again by their keys."""

from itertools import islice

import pytest

from concurrent_choices._transfer import _nameless
from concurrent_choices._transfer._nameless import nameless, reduce_nameless


@pytest.fixture
def _empty(monkeypatch):
    """No object was met so far."""
    for name in ("_things", "_keys"):
        monkeypatch.setattr(_nameless, name, {})


def key_of(thing):
    """The key under which it travels."""
    make, (key,) = reduce_nameless(thing)
    assert make is nameless
    return key


@pytest.mark.usefixtures("_empty")
def test_each_has_one_key():
    """It leads back to it, also after others."""
    things = [object() for _ in range(100)]
    keys = [*map(key_of, things)]
    assert [*map(key_of, things)] == keys
    assert len({*keys}) == len(things)
    assert all(nameless(key) is thing for key, thing in zip(keys, things, strict=True))


@pytest.mark.usefixtures("_empty")
def test_a_key_from_elsewhere_makes_one():
    """It is the same each time, and goes back under the key that it came with."""
    made = nameless(b"elsewhere")
    assert nameless(b"elsewhere") is made
    assert key_of(made) == b"elsewhere"


@pytest.mark.usefixtures("_empty")
def test_those_met_long_ago_are_forgotten(monkeypatch):
    """As many are kept as there is room for, those in use among them."""
    monkeypatch.setattr(_nameless, "MOST", 3)
    used = object()
    key = key_of(used)
    for thing in islice(iter(object, None), 10):
        key_of(thing)
        assert nameless(key) is used
    assert len(_nameless._things) == len(_nameless._keys) == _nameless.MOST
