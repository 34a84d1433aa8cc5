"""How much memory results take that a process must get from the system."""

import sys

import pytest

from concurrent_choices._measure._ledger import Raised
from concurrent_choices._measure._result_memory import PLACE, result_memory


def test_small_results_count_with_their_place():
    """Each of them takes its own size, what it holds included, and a place in the list."""
    numbers = [(n, 1000 + n) for n in range(4)]
    pairs = [(n, (10.5 + n, None)) for n in range(4)]

    assert result_memory(numbers) == PLACE + sys.getsizeof(1000)
    assert result_memory(pairs) >= PLACE + sys.getsizeof((1, 2)) + sys.getsizeof(1.5)


def test_one_that_all_calls_give_takes_memory_once():
    """What is the same for all takes a place for each, and its own memory once."""
    always = "the same"

    assert result_memory([(n, always) for n in range(8)]) == PLACE + sys.getsizeof(always) / 8


@pytest.mark.parametrize("outcome", [bytes(1000), [0] * 200])
def test_large_results_have_cost_their_calls_that_time(outcome):
    """Their memory is no part of what is added: a call has touched it."""
    assert result_memory([(0, outcome)]) == PLACE


def test_errors_are_no_results():
    """They are not kept where results are."""
    assert result_memory([]) == result_memory([(0, Raised(ValueError()))]) == 0
