import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concurrent_choices._measure._figures import Block, Totals, relative_error, spread, trend


def singles(*seconds):
    return [Block(at, 1, round(each * 1e9), 0, 0) for at, each in enumerate(seconds)]


def test_totals_are_sums_in_seconds():
    """Blocks of nanoseconds add up to seconds."""
    blocks = [Block(0, 2, 3_000_000, 1_000_000, 500_000), Block(2, 1, 1_000_000, 0, 0)]

    assert Totals.of(blocks) == Totals(3, 0.004, 0.001, 0.0005)


def test_spread_of_single_calls_is_the_standard_deviation():
    """For blocks of one call it is what the statistics module says of the same numbers."""
    assert spread(singles(1.0, 2.0, 3.0, 4.0)) == pytest.approx(math.sqrt(5 / 3))


def test_spread_of_larger_blocks_is_that_of_one_call():
    """The mean of k independent calls varies less by the root of k; that is undone."""
    blocks = [Block(0, 4, 4_000_000_000, 0, 0), Block(4, 4, 8_000_000_000, 0, 0)]

    assert spread(blocks) == pytest.approx(2 * math.sqrt(0.5))


@pytest.mark.parametrize("blocks", [[], singles(1.0)])
def test_one_block_has_no_spread(blocks):
    """Fewer than two blocks tell nothing of the spread, and their mean may be anything."""
    assert spread(blocks) == 0.0
    assert relative_error(blocks) == math.inf


def test_relative_error_of_blocks_that_took_no_time():
    """A clock too coarse for the calls gives no precise mean."""
    assert relative_error(singles(0.0, 0.0)) == math.inf


def test_trend_is_the_change_over_all_items():
    """Items that take from 1 to 3 seconds change by the mean from the first to the last."""
    blocks = singles(*(1 + 2 * (at + 0.5) / 10 for at in range(10)))

    assert trend(blocks, 10) == pytest.approx(1.0)


def test_trend_of_stratified_samples():
    """Only the place in the whole counts, not the order of the calls."""
    places = [80, 0, 60, 20, 40]
    blocks = [Block(at, 1, round((1 + at / 100) * 1e9), 0, 0) for at in places]

    assert trend(blocks, 100) == pytest.approx(1 / 1.4)


def test_scatter_is_no_trend():
    """A slope within two standard errors of none is none."""
    assert trend(singles(1, 5, 2, 4, 1, 5, 2, 4.5), 8) == 0.0


@pytest.mark.parametrize(
    ("blocks", "items"),
    [(singles(1, 2, 3, 4), 4), (singles(1, 2, 3, 4, 5), None), (singles(1, 2, 3, 4, 5), 0)],
)
def test_no_trend_where_nobody_can_tell(blocks, items):
    """Too few blocks, or an unknown number of items, tell no trend."""
    assert trend(blocks, items) == 0.0


def test_all_blocks_in_one_place():
    """Blocks that all stand in one place have no slope."""
    assert trend([Block(0, 1, at, 0, 0) for at in range(1, 9)], 100) == 0.0


@given(st.lists(st.floats(1e-6, 10), min_size=2, max_size=30))
def test_spread_is_never_negative(times):
    """Whatever the times, spread and error are numbers that make sense."""
    assert spread(singles(*times)) >= 0
    assert relative_error(singles(*times)) >= 0
