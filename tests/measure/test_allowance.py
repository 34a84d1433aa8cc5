"""How long sampling may take."""

import pytest

from concurrent_choices._measure._allowance import Allowance

MS = 1_000_000


@pytest.mark.parametrize(
    ("items", "most", "began", "until"),
    [(4, 0.9, 0, 200), (4, 0.9, 190, 390), (4, 0.9, 800, 900), (4, None, 190, 200), (1000, 0.9, 190, 900)],
)
def test_the_first_call_has_its_time_however_long_it_took_to_begin(items, most, began, until):
    """Beside two busy processes 4 of 400 verdicts rested on no call: 0.2 s were over, of a budget of 1 s."""
    assert Allowance.of(0, 0.2, most, items).first(began * MS) == until * MS


@pytest.mark.parametrize(("beginning", "until"), [(0, 120), (100, 160), (150, 200), (250, 250)])
def test_one_lane_is_watched_for_its_part_of_what_the_first_call_left(beginning, until):
    """All of it where that took most: two more calls were too few to see who holds the GIL."""
    assert Allowance.of(0, 0.2, None, 60).alone(200 * MS, beginning * MS) == until * MS
