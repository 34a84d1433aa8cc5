"""What travels to workers by value, where cloudpickle alone would send its name or fail."""

from __future__ import annotations

import sys
import textwrap
from functools import cache, cached_property, lru_cache, singledispatch, singledispatchmethod
from threading import Lock
from types import FunctionType
from typing import NewType

import pytest

from concurrent_choices._transfer._pickling import dump, load
from interpreters import printed


def here_and_back(value):
    """What a worker would get."""
    return load(dump(value))


def test_code_knows_its_file():
    """Tracebacks, warnings and log records of workers name it; so does what is defined inside a function."""

    def outer():
        return lambda: None

    arrived = here_and_back(outer)
    assert arrived.__code__.co_filename == arrived().__code__.co_filename == __file__


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


def test_an_object_with_a_cached_property_travels():
    """Up to CPython 3.11 such a property holds a lock, which has no pickle."""

    class Table:
        calls = 0

        @cached_property
        def rows(self):
            """All of them."""
            self.calls += 1
            return [1, 2]

    arrived = here_and_back(Table())
    assert (arrived.rows, arrived.rows, arrived.calls) == ([1, 2], [1, 2], 1)
    assert type(arrived).rows.__doc__ == "All of them."


def stub(item):
    """What the code of a function that Nuitka has compiled comes to."""
    raise RuntimeError("Compiled function bytecode used")


class Compiled:
    """Passes for a function, as those do that Nuitka has compiled."""

    __class__ = FunctionType

    def __getattr__(self, name):
        return getattr(stub, name)

    def __reduce_ex__(self, _protocol):
        raise TypeError("by name")


def test_a_compiled_function_is_refused():
    """A stub would arrive, and items that are no trouble here would fail there."""
    with pytest.raises(TypeError, match="stub is compiled"):
        dump(Compiled())


def test_a_function_that_goes_by_the_kind_of_what_it_is_given_travels():
    """It finds the functions for each kind, and those find it."""

    @singledispatch
    def spelled(thing):
        """In words."""
        return str(thing)

    @spelled.register
    def _(thing: list):
        return [spelled(each) for each in thing]

    assert spelled([1, [2]]) == ["1", ["2"]]  # so its cache holds something
    arrived, again = here_and_back([spelled, spelled])
    assert arrived is again
    assert arrived([1, [2]]) == ["1", ["2"]]
    assert (arrived.__name__, arrived.__doc__) == ("spelled", "In words.")


def test_a_method_that_goes_by_the_kind_of_what_it_is_given_travels():
    """So does one that `functools.singledispatchmethod` has made."""

    class Speller:
        @singledispatchmethod
        def spelled(self, thing):
            return str(thing)

        @spelled.register
        def _(self, thing: bytes):
            return thing.decode()

    assert list(map(here_and_back(Speller().spelled), [1, b"a"])) == ["1", "a"]


SCRIPT = """
from functools import cache, cached_property, lru_cache, singledispatch
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

class Table:
    @cached_property
    def rows(self):
        return [1, 2]

    def row(self, number):
        return self.rows[number]

@singledispatch
def spelled(thing):
    return repr(thing)

@spelled.register
def _(thing: list):
    return [spelled(each) for each in thing]

print(run(fibonacci, [10, 80], strategy="process"))
print(run(through, [10, 80], strategy="process"))
print(run(Scale().times, [1, 2], strategy="process"))
print(run(Table().row, [0, 1], strategy="process"))
print(run(spelled, [0, [1]], strategy="process"))
"""


PICKLING = """
import enum, pickle
from concurrent_choices import run

class Color(enum.Enum):
    RED = 1

class Point:
    def __init__(self, x):
        self.x = x

def kept(x):
    return pickle.loads(pickle.dumps((Color.RED, Point(x))))

first = Point
print(all(color is Color.RED and type(it) is Point for color, it in run(kept, range(3), strategy="process")))

class Point(Point):
    pass

print(all(type(it) is Point for _, it in run(kept, range(3), strategy="process")))
del Point, kept
same = run(lambda x: type(x), [first(1)], strategy="process") == [first]
print(same, "Point" in globals())
"""


def test_calls_may_pickle_what_is_of_a_class_of_the_main_module(tmp_path):
    """Pickle finds it there, the latest of that name, and nothing is put back into the script."""
    script = tmp_path / "script.py"
    script.write_text(PICKLING)
    assert printed(script) == ["True", "True", "True False"]


def test_what_functools_made_in_the_main_module_travels(tmp_path):
    """Workers never import the caller's script, so it is rebuilt."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    numbers = "[55, 23416728348467685]"
    assert printed(script) == [numbers, numbers, "[2, 4]", "[1, 2]", "['0', ['1']]"]


def made_of(text):
    """What code of the main module makes under the name `made`."""
    around = {"__name__": "__main__"}
    exec(compile(text, "main.py", "exec", dont_inherit=True), around)
    return around["made"]


@pytest.mark.skipif(sys.version_info < (3, 14), reason="until then annotations were worked out at once")
def test_annotations_that_name_what_is_not_there_travel_in_words():
    """Type checkers alone import it; the interpreter asks for it when the function is pickled."""
    made = made_of("def made(item: Nowhere, *, more: Nowhere = 1) -> int: return item + more")
    made.__wrapped__ = len
    arrived = here_and_back(made)
    assert arrived(2) == 3
    assert arrived.__annotations__ == {"item": "Nowhere", "more": "Nowhere", "return": "int"}
    assert (arrived.__name__, arrived.__module__, vars(arrived)) == ("made", "__main__", {"__wrapped__": len})


@pytest.mark.skipif(sys.version_info < (3, 14), reason="until then annotations were worked out at once")
def test_what_cannot_travel_is_told_where_annotations_can_be_had():
    """Nothing is tried a second time."""
    lock = Lock()
    with pytest.raises(TypeError, match="lock"):
        here_and_back(lambda: lock)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="until then there was no such statement")
def test_what_a_type_statement_names_travels():
    """A worker has nothing under its name, which annotations hold."""
    made = made_of("type Row[T] = dict[str, T]\ndef made(row: Row[int]) -> Row[int]: return row")
    row = here_and_back(made).__annotations__["row"]
    assert row.__origin__.__name__ == "Row"
    assert str(row.__origin__.__value__) == "dict[str, T]"


TYPED = """
from typing import Callable, Generic, NewType, ParamSpec, TypeVarTuple, Unpack
from concurrent_choices import run

Id = NewType("Id", int)
P = ParamSpec("P")
Ts = TypeVarTuple("Ts")

class Call(Generic[P]):
    pass

def told(number: Id, *more: Unpack[Ts]) -> Callable[P, tuple[Unpack[Ts]]]:
    return Id(number)

def is_one(kind):
    return kind is Id, kind

print(run(told, [3], strategy="process"))
print(Call[[int]].__parameters__, repr(run(is_one, [Id, P], strategy="process")))
print(run(is_one, [Id], strategy="process")[0][1] is Id)
"""


def test_what_typing_makes_under_a_name_travels(tmp_path):
    """A worker has nothing of that name in the main module. It stays one thing, however often it comes."""
    script = tmp_path / "script.py"
    script.write_text(TYPED)
    assert printed(script) == ["[3]", "() [(True, __main__.Id), (False, ~P)]", "True"]


Number = NewType("Number", int)


def test_what_typing_makes_travels_by_name_where_that_can_be_imported():
    """It arrives as itself, and nothing of it is in the pickle but its name."""
    sent = dump((Number, lambda: None))
    assert load(sent)[0] is Number
    assert b"NewType" not in sent[0]
