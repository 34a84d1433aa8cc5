"""What of a thing stands in the way of its trip to another process."""

import multiprocessing
import socket
import threading
import weakref
from collections import UserDict, namedtuple
from functools import lru_cache, partial

import pytest

from concurrent_choices._transfer._obstacle import misnamed, obstacle, obstacle_back


@pytest.fixture
def connection():
    with socket.socket() as connection:
        yield connection


class Client:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)

    def fetch(self, item):
        return item


class Slotted:
    __slots__ = ("guard", "unset")

    def __init__(self):
        self.guard = threading.Lock()


LOCK = threading.Lock()
GENERATOR = (item for item in ())


def identity(item):
    return item


def test_nothing_stands_in_the_way():
    """What can travel has no obstacle, lambdas and closures too."""
    base = 3
    for thing in (identity, lambda item: item + base, partial(max, key=len), Client().fetch, [1]):
        assert obstacle(thing, "it") == ""


def test_a_lambda_whose_closure_holds_a_socket(connection):
    """The cell is named, and what is in it."""
    assert obstacle(lambda item: connection.send(item) + 1, "the lambda") == (
        "the lambda's closure cell 'connection' is a socket (cannot pickle 'socket' object)"
    )


def test_a_path_through_several_parts():
    """The way leads through objects and containers to the smallest part that fails."""
    thing = [1, {"client": Client(guard=LOCK)}]

    assert obstacle(thing, "the item") == (
        "the item's element 1 is a dict, whose value under 'client' is a Client, "
        "whose attribute 'guard' is a lock (cannot pickle '_thread.lock' object)"
    )


@pytest.mark.parametrize(
    ("make", "phrase"),
    [
        (
            lambda: Client(guard=LOCK).fetch,
            "it's object is a Client, whose attribute 'guard' is a lock",
        ),
        (lambda: partial(identity, LOCK), "it's argument 0 is a lock"),
        (lambda: partial(max, key=LOCK), "it's argument 'key' is a lock"),
        (
            lambda: partial(lambda x: LOCK, 1),
            "it's function is a lambda, whose global 'LOCK' is a lock",
        ),
        (lambda: lambda item, lock=LOCK: item, "it's default argument is a lock"),
        (lambda: lambda item, *, lock=LOCK: item, "it's default of 'lock' is a lock"),
        (lambda: lambda item: (item.LOCK, GENERATOR), "it's global 'GENERATOR' is a generator"),
        (lambda: lambda item: lambda: LOCK, "it's global 'LOCK' is a lock"),
        (Slotted, "it's attribute 'guard' is a lock"),
        (lambda: (item for item in ()), "it is a generator (cannot pickle 'generator' object)"),
    ],
)
def test_the_smallest_part_is_named(make, phrase):
    """Bound objects, partials, defaults, slots and globals are looked into, no attribute taken for one."""
    assert obstacle(make(), "it").startswith(phrase)


def test_the_way_does_not_lead_round_in_circles():
    """What holds itself, as a function that calls itself does, fails because of something else it holds."""

    def countdown(item):
        return countdown(item - 1) if item else LOCK

    def counted(item):
        counted.calls += [item]

    counted.calls = [LOCK]
    client = Client(guard=LOCK)
    client.__dict__ = {"itself": client} | client.__dict__

    assert obstacle(countdown, "it").startswith("it's global 'LOCK' is a lock")
    assert obstacle(counted, "it").startswith("it's attribute 'calls' is a list, whose element 0 is a lock")
    assert obstacle(client, "it").startswith("it's attribute 'guard' is a lock")


def test_things_that_contain_themselves_or_nest_deeply():
    """Cycles travel; what is nested too deeply says so."""
    cycle = []
    cycle.append(cycle)
    deep = []
    for _ in range(100_000):
        deep = [deep]

    assert obstacle(cycle, "it") == ""
    assert obstacle(deep, "it") == "it is a list (it is nested too deeply to be pickled)"
    while deep:
        deep = deep.pop()


class Sulking:
    def __reduce__(self):
        raise ValueError


def test_a_hook_that_raises_without_words():
    """An error without text is named by its type."""
    assert obstacle(Sulking(), "the item") == "the item is a Sulking (ValueError)"


class SulkingMapping(UserDict):
    def __iter__(self):
        raise ValueError


def test_a_thing_that_cannot_be_looked_into():
    """What its own hooks raise says nothing of it; it is named as a whole."""
    thing = SulkingMapping(guard=threading.Lock())
    assert obstacle(thing, "it") == "it is a SulkingMapping (cannot pickle '_thread.lock' object)"


@pytest.mark.parametrize("kind", ["Lock", "Queue", "Value"])
def test_what_processes_share_from_their_start_on_refuses_by_itself(kind):
    """Nothing that it holds would tell more; and its kind can be had in another way."""
    thing = getattr(multiprocessing, kind)(*["i"] * (kind == "Value"))
    why = obstacle([thing], "it")
    assert why.startswith(
        f"it's element 0 is a {type(thing).__qualname__} ({type(thing).__qualname__} objects"
    )
    assert why.endswith("through inheritance; those of a multiprocessing.Manager can be sent)")


def test_what_the_workers_can_be_sent_is_no_obstacle():
    """A cached function from inside another one travels, as it does when it is run in processes."""

    @lru_cache
    def cached(item):
        return item

    assert obstacle(cached, "cached") == ""


def test_a_proxy_of_what_is_gone():
    """It raises whatever it is asked."""
    gone = weakref.proxy(Client())
    why = obstacle(Client(held=gone), "it")
    kind = type(gone).__name__
    assert why == f"it's attribute 'held' is a {kind} (weakly-referenced object no longer exists)"


Point = namedtuple("Spot", "x y")  # noqa: PYI024 - one whose name is another's


class Pair(tuple):
    """It is read by calling it with one argument, and takes two."""

    __slots__ = ()

    def __new__(cls, left, right):
        return super().__new__(cls, (left, right))


def local():
    return namedtuple("Local", "x")(1)  # noqa: PYI024 - as above


@pytest.mark.parametrize("result", [1, [1], Client(name="a"), identity, lambda: 1, local()])
def test_what_could_come_back(result):
    """Also what a class made inside a call is of: each call makes one of its own anyway."""
    assert obstacle_back(result) == ""


@pytest.mark.parametrize("home", [None, 5, ["a"]], ids=repr)
def test_a_class_whose_module_is_no_name(home):
    """It is asked for like any other, and has no module in which it would have another name."""
    made = type("Made", (), {})
    made.__module__ = home
    assert misnamed(made()) == ""


def test_a_copy_that_cannot_be_made():
    """It can be pickled, and not unpickled."""
    said = obstacle_back(Pair(1, 2))
    assert said.startswith("a result is a Pair (")
    assert "missing 1 required positional argument" in said


def test_a_class_that_is_called_otherwise():
    """A worker would make its own anew, of which no result is an instance here."""
    said = obstacle_back(Point(1, 2))
    assert said == f"a result is a Spot (its class has another name in {__name__})"
