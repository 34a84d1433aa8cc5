import pytest

from concurrent_choices._judge._formulas._makespan import Spread, harmonic, tail

ALIKE = Spread(0.0)


@pytest.mark.parametrize(("number", "value"), [(1, 1.0), (2, 1.5), (4, 25 / 12), (10, 7381 / 2520)])
def test_harmonic_numbers(number, value):
    """Whole numbers come out right to three digits, and others lie between."""
    assert harmonic(number) == pytest.approx(value, abs=2e-3)


def test_lanes_in_step_end_with_a_wave():
    """Ten items on four lanes are three waves, half a wave more than the average."""
    assert tail(2.5, 4, 4.0, 1.0, ALIKE) == pytest.approx(0.5)


def test_full_waves_have_no_tail():
    """Twelve items on four lanes are done at once."""
    assert tail(3.0, 4, 4.0, 1.0, ALIKE) == 0.0


def test_lanes_out_of_step_end_half_an_item_late():
    """Where lanes contend, what is left when items run out is uniform."""
    assert tail(25.0, 8, 4.0, 1.0, ALIKE) == pytest.approx((1 - 1 / 4) / 2)


def test_exponential_items_end_with_the_longest_of_them():
    """The last of four exponential items takes H(4), and one is part of the average."""
    assert tail(100.0, 4, 4.0, 1.0, Spread(1.0)) == pytest.approx(25 / 12 - 1, rel=0.01)


def test_one_lane_has_no_tail():
    """What it does last, it does for everybody."""
    assert tail(10.0, 1, 1.0, 1.0, Spread(1.0)) == pytest.approx(0.0, abs=2e-3)


def test_a_tail_is_never_longer_than_the_longest_item():
    """Heavy tails are bounded by what was seen."""
    assert tail(100.0, 64, 64.0, 1.0, Spread(3.0, longest=2.0)) == 2.0


def test_batches_vary_less_than_items():
    """Independent items even out."""
    spread = Spread(1.0, longest=5.0).of_batches(4)
    assert spread.variation == 0.5
    assert spread.longest_of(1.0) == 3.0
