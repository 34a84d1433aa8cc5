import pickle
import socket
import threading
from functools import lru_cache, partial

import pytest

from concurrent_choices._measure._obstacle import obstacle
from concurrent_choices._measure._payload import weigh_payload


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
        (Slotted, "it's attribute 'guard' is a lock"),
        (lambda: (item for item in ()), "it (cannot pickle 'generator' object)"),
    ],
)
def test_the_smallest_part_is_named(make, phrase, monkeypatch):
    """Bound objects, partials, defaults, globals and slots are looked into."""
    monkeypatch.setattr(pickle, "dumps", _as_if_of_main)

    assert obstacle(make(), "it").startswith(phrase)


def _as_if_of_main(thing, protocol, *, buffer_callback=None):
    """Pickle, saying of everything that `__main__` defines it, so that it travels by value."""
    return b"__main__" + b"".join(_dumps(thing, protocol))


def _dumps(thing, protocol):
    import io

    file = io.BytesIO()
    pickle.Pickler(file, protocol).dump(thing)
    return [file.getvalue()]


def test_things_that_contain_themselves_or_nest_deeply():
    """Cycles travel; what is nested too deeply says so."""
    cycle = []
    cycle.append(cycle)
    deep = []
    for _ in range(100_000):
        deep = [deep]

    assert obstacle(cycle, "it") == ""
    assert obstacle(deep, "it") == "it (it is nested too deeply to be pickled)"
    while deep:
        deep = deep.pop()


class Sulking:
    def __reduce__(self):
        raise ValueError


def test_a_hook_that_raises_without_words():
    """An error without text is named by its type."""
    assert obstacle(Sulking(), "the item") == "the item (ValueError)"


def test_what_the_workers_can_be_sent_is_no_obstacle():
    """A cached function from inside another one travels, as it does when it is run in processes."""

    @lru_cache
    def cached(item):
        return item

    assert obstacle(cached, "cached") == ""


def test_payload_of_ordinary_things(clock):
    """Sizes are those of the pickles, averaged over a few."""
    payload = weigh_payload(identity, [b"x" * 100, b"x" * 300], ["y"], clock)

    assert payload.item_bytes == pytest.approx(200, abs=30)
    assert payload.result_bytes == len(pickle.dumps("y", 5))
    assert payload.obstacle == ""


CLOCKS = []


def come_back():
    CLOCKS[0].spend(wall=0.001, cpu=0.001)


def test_seconds_there_and_back(clock):
    """The time of an item is that of pickling and unpickling it."""

    class Slow:
        def __reduce__(self):
            clock.spend(wall=0.002, cpu=0.002)
            return come_back, ()

    CLOCKS[:] = [clock]
    payload = weigh_payload(identity, [Slow()], [], clock)

    assert payload.item_seconds == pytest.approx(0.003)


def test_weighing_stops_when_it_takes_long(clock):
    """After ten milliseconds no more items are weighed."""
    weighed = []

    class Slow:
        def __reduce__(self):
            weighed.append(self)
            clock.spend(wall=0.02)
            return str, ()

    weigh_payload(identity, [Slow(), Slow(), Slow()], [], clock)

    assert len(weighed) == 1


@pytest.mark.parametrize(
    ("items", "results", "words"),
    [
        ([LOCK], [], "the item (cannot"),
        ([1], [LOCK], "the result (cannot"),
        ([1, LOCK], [], "the item"),
    ],
)
def test_obstacles_of_items_and_results(clock, items, results, words):
    """An item or a result that cannot travel is the obstacle."""
    assert weigh_payload(identity, items, results, clock).obstacle.startswith(words)


def refuse():
    raise ValueError("not here")


class OneWay:
    def __reduce__(self):
        return refuse, ()


def test_what_cannot_be_unpickled(clock):
    """An item that pickles and cannot be unpickled is an obstacle too."""
    payload = weigh_payload(identity, [OneWay()], [], clock)

    assert payload.obstacle == "the item can be pickled and not unpickled"
