"""How many items a lane claims at a time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from concurrent_choices._work._pace import (
    AIM,
    LOAD,
    MOST,
    REPAID,
    TRIP,
    Load,
    Pace,
    share_of_rest,
    travelling,
)


def test_it_doubles_while_batches_are_short():
    """Batches of nothing grow by twice, up to a bound."""
    pace = Pace()
    sizes = []
    for _ in range(20):
        sizes.append(pace.size)
        pace.took(0.0, pace.size)
    assert sizes[:5] == [1, 2, 4, 8, 16]
    assert pace.size == MOST


def test_it_shrinks_when_batches_are_long():
    """A batch that took ten times its aim is followed by one of a tenth."""
    pace = Pace()
    pace.size = 100
    pace.took(10 * AIM, 100)
    assert pace.size == 10


def test_a_fixed_size_stays():
    """What the caller asked for is kept to."""
    pace = Pace(7)
    pace.took(100.0, 7)
    pace.took(0.0, 7)
    assert pace.size == 7


def test_a_pace_begins_with_what_is_known():
    """Batches to a worker are a quarter of what they should be at first, and longer where much is shared."""
    assert travelling(0.0, 0.0).size == 1
    assert travelling(TRIP / 40, 0.0).size == 10
    shared = travelling(1e-3, 1e-3)
    assert shared.size == REPAID // 4
    shared.took(shared.size * 1e-3, shared.size)
    shared.took(shared.size * 1e-3, shared.size)
    assert shared.size == REPAID
    assert travelling(1e-9, 0.0).size == MOST


def test_an_empty_batch_teaches_nothing():
    """A batch that was cut off before its first item leaves the size."""
    pace = Pace()
    pace.size = 5
    pace.took(1.0, 0)
    assert pace.size == 5


@given(st.just(0.0) | st.floats(1e-9, 1e6), st.integers(1, 1 << 20), st.integers(1, MOST))
def test_it_stays_within_bounds(seconds, count, size):
    """Whatever it learns, a batch has at least one item and at most the bound."""
    pace = Pace()
    pace.size = size
    pace.took(seconds, count)
    assert 1 <= pace.size <= MOST


@given(st.integers(1, MOST), st.integers(0, 10**6), st.integers(1, 300))
def test_no_lane_takes_more_than_half_of_its_share(size, remaining, lanes):
    """Near the end batches shrink, so that no lane is left with a long tail, and not to nothing."""
    taken = share_of_rest(size, remaining, lanes)
    assert 1 <= taken <= size
    assert taken <= max(1, remaining / lanes / 2)


def test_an_unknown_rest_is_no_bound():
    """Where nobody knows how much is left, the size stands."""
    assert share_of_rest(9, None, 4) == 9


def test_what_items_share_fills_no_message():
    """A table of ten times what a message may carry is in it once: more items hardly make it larger."""
    load = Load()
    for count in (1, 2, 4, 8):
        assert load.most >= count
        load.weighed(10 * LOAD + count, count)
    assert load.most == MOST


def test_items_that_are_heavy_go_alone_until_they_are_light():
    """Two of them have shown it; then a light one lets more go together."""
    load = Load()
    load.weighed(2 * LOAD, 1)
    load.weighed(4 * LOAD, 2)
    assert load.most == 1
    load.weighed(2 * LOAD, 1)
    assert load.most == 1
    load.weighed(1, 1)
    assert load.most == 2
