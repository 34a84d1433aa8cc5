"""Whether what travels leaves anything to be gained by worker processes."""

import pytest

from concurrent_choices._judge._controller._known import worth_carrying


@pytest.mark.parametrize(
    ("each", "carried", "lanes", "worth"),
    [
        (1e-3, 0.0, 2, True),
        (1e-3, 0.5e-3, 2, True),
        (1e-3, 1e-3, 2, False),
        (70e-6, 800e-6, 2, False),
        (1e-3, 1e-3, 8, True),
        (1e-3, 2e-3, 64, False),
    ],
)
def test_carrying_must_leave_something_to_gain(each, carried, lanes, worth):
    """Cores share computing and carrying; half of the carrying is done in one place, whatever the cores."""
    assert worth_carrying(each, carried, lanes) is worth
