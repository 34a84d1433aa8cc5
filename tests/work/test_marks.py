"""Marks of values: the same for what is the same in another process, whatever order its sets have there."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from concurrent_choices._work._marks import mark_of

# Small integers that leave a remainder of 0 collide, so that a set has them in the order they came in.
ONE, OTHER = set([8, 16]), set([16, 8])  # noqa: C405 - a literal may be made in another order


@pytest.mark.parametrize(
    "make",
    [
        lambda held: held,
        lambda held: [held, 1],
        lambda held: {"a": (held,)},
        lambda held: frozenset([frozenset(held), 7]),
        lambda held: SimpleNamespace(held=held),
    ],
    ids=["set", "list", "dict", "frozenset", "object"],
)
def test_order_within_sets(make):
    """It counts for nothing; what they hold does, also in a set inside something else."""
    assert list(ONE) != list(OTHER)
    assert mark_of(make(ONE)) == mark_of(make(OTHER))
    assert mark_of(make(ONE)) != mark_of(make({8, 17}))


def test_bytes_like_those_of_a_set():
    """What has no sets may look as if it had: its order counts."""
    floats = [each / 1000 for each in range(9000)]
    assert mark_of(floats) != mark_of(floats[::-1])
    assert mark_of(floats) == mark_of(list(floats))


def test_very_large_sets_are_counted():
    """To look at all would take seconds, in which nothing else runs."""
    many = {(each,) for each in range(1 << 15)}
    assert mark_of(many) == mark_of({(each, each) for each in many}) != mark_of({*many, 1})
