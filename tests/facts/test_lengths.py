"""How many items there are."""

from collections import UserList, deque
from itertools import count

import pytest

from concurrent_choices import Workload
from concurrent_choices._facts._lengths import left_in, length_of

LETTERS = "abc"
TABLE = dict.fromkeys(LETTERS, 0)
SEQUENCES = [list(LETTERS), tuple(LETTERS), LETTERS, "äöü", LETTERS.encode(), bytearray(3), range(3)]
CONTAINERS = [*SEQUENCES, set(LETTERS), deque(LETTERS), TABLE, TABLE.values(), TABLE.items()]


def numbered_twice(items):
    return zip(range(9), enumerate(items, 5), strict=False)


@pytest.mark.parametrize("items", CONTAINERS, ids=lambda items: type(items).__name__)
@pytest.mark.parametrize("wrap", [enumerate, zip, numbered_twice])
def test_what_goes_through_containers_tells_what_is_left(items, wrap):
    """As soon as it is made, and after some were taken; telling takes none."""
    there = wrap(items)
    assert left_in(there) == 3
    next(there)
    assert left_in(there) == 2
    assert len(list(there)) == 2


@pytest.mark.parametrize("items", [count(), (each for each in LETTERS), UserList(LETTERS), map(ord, LETTERS)])
def test_other_iterators_do_not_tell(items):
    """They may take their time, be endless, or end early."""
    assert left_in(enumerate(items)) is None
    assert left_in(zip(LETTERS, items, strict=False)) is None
    assert left_in(items) is None


def test_a_zip_of_nothing():
    """It has nothing left, either."""
    assert left_in(zip(strict=True)) == 0


def test_huge_ranges_do_not_tell():
    """`len` cannot say it either."""
    assert left_in(enumerate(range(1 << 80))) is None
    assert length_of(range(1 << 80)) is None


def test_a_workload_counts_its_items():
    """What has no length may know it all the same."""
    assert Workload(len, enumerate(LETTERS)).count == 3
    assert Workload(len, iter(LETTERS)).count is None
