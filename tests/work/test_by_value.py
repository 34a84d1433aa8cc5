"""What travels to workers by value although cloudpickle alone would send its name: cached functions."""

from __future__ import annotations

import textwrap
from functools import cache, lru_cache

import pytest

from concurrent_choices._work._pickling import dump, load
from interpreters import printed


def here_and_back(value):
    """What a worker would get."""
    return load(dump(value))


@lru_cache(maxsize=5)
def importable(number):
    return -number


def test_a_cached_function_that_can_be_imported_travels_by_name():
    """It arrives as itself, with the cache the other side has."""
    assert here_and_back(importable) is importable


@pytest.mark.parametrize(("maxsize", "typed"), [(None, False), (7, True)])
def test_a_cached_function_from_inside_a_function_travels(maxsize, typed):
    """It arrives with its cache's bounds, and with nothing in it."""

    @lru_cache(maxsize=maxsize, typed=typed)
    def double(number):
        """Twice."""
        return 2 * number

    double(1)
    arrived = here_and_back(double)
    assert arrived(4) == 8
    assert arrived.cache_parameters() == {"maxsize": maxsize, "typed": typed}
    assert arrived.cache_info().misses == 1
    assert (arrived.__name__, arrived.__doc__) == ("double", "Twice.")


def test_a_cached_function_that_calls_itself_is_cached_on_the_way_down():
    """The name inside it means the cached function again, not the bare one."""

    @cache
    def fibonacci(number):
        return number if number < 2 else fibonacci(number - 1) + fibonacci(number - 2)

    arrived = here_and_back(fibonacci)
    assert arrived(90) == 2880067194370816120
    assert arrived.cache_info().currsize == 91


def test_a_cached_twin_of_a_library_function_travels():
    """It bears a name that means the bare function elsewhere."""
    assert here_and_back(cache(textwrap.dedent))(" a") == "a"


def test_a_cached_callable_without_a_name_travels():
    """Nothing can be looked up for it."""

    class Adder:
        def __call__(self, number):
            return number + 1

    assert here_and_back(cache(Adder()))(1) == 2


def test_one_cached_function_in_many_places_stays_one():
    """Items that share it share it on the other side."""
    one = cache(lambda number: number)
    first, second = here_and_back([one, one])
    assert first is second


SCRIPT = """
from functools import cache, lru_cache
from concurrent_choices import run

@cache
def fibonacci(number):
    return number if number < 2 else fibonacci(number - 1) + fibonacci(number - 2)

def through(number):
    return fibonacci(number)

class Scale:
    @lru_cache(maxsize=3)
    def times(self, number):
        return 2 * number

print(run(fibonacci, [10, 80], strategy="process"))
print(run(through, [10, 80], strategy="process"))
print(run(Scale().times, [1, 2], strategy="process"))
"""


def test_cached_functions_of_the_main_module_travel(tmp_path):
    """Workers never import the caller's script, so what it caches is rebuilt."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    numbers = "[55, 23416728348467685]"
    assert printed(script) == [numbers, numbers, "[2, 4]"]
