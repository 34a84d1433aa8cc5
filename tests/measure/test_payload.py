import pickle
import threading

import pytest

from concurrent_choices._measure._bench import Bench
from concurrent_choices._measure._payload import _carried, _unless_stranded, weigh
from concurrent_choices._runtime._hand import DaemonHand

EACH = 1e-3

LOCK = threading.Lock()


def identity(item):
    return item


def weigh_payload(fn, items, results, each, clock):
    """As `weigh`, of such items and results, and with all the time that it takes."""
    return _unless_stranded(_carried(items, results, each, clock), fn)


def test_payload_of_ordinary_things(clock):
    """Sizes are those of the pickles, averaged over a few."""
    payload = weigh_payload(identity, [b"x" * 100, b"x" * 300], ["y"], EACH, clock)

    assert payload.item_bytes == pytest.approx(200, abs=30)
    assert payload.result_bytes == pytest.approx(len(pickle.dumps("y", 5)), abs=20)
    assert payload.obstacle == ""


def test_a_machine_that_stands_still_for_a_while(clock):
    """That is no reason to call pickling dear: the thing itself goes on as soon as anything does."""
    going_on = threading.Event()

    class Late:
        def __reduce__(self):
            going_on.wait()
            return int, ()

    class Stalled(DaemonHand):
        """Whoever waits for it first is past his time as soon as anything goes on."""

        def do(self, work, seconds):
            self.begin(work)
            return False

        def ended(self, seconds):
            going_on.set()
            return super().ended(30.0 if seconds else 0.0)

    bench = Bench(identity, [Late()], clock=clock, is_async=False, hand=DaemonHand)
    bench.another_hand = Stalled
    bench.ledger.samples.append((Late(), 0))
    payload = weigh(bench, None, EACH, 0)
    bench.close()

    assert not bench.missing
    assert payload.item_bytes > 0


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
    payload = weigh_payload(identity, [Slow()], [], EACH, clock)

    assert payload.item_seconds == pytest.approx(0.003)


def test_a_class_travels_with_each_message(clock):
    """Items of a class that goes by value share it in a message: many short calls are sent together."""

    class Local:
        pass

    few, many = (
        weigh_payload(identity, [Local() for _ in range(8)], [], each, clock) for each in (1.0, EACH)
    )
    assert many.item_bytes < few.item_bytes / 4


@pytest.mark.parametrize(
    ("items", "results", "words"),
    [
        ([LOCK], [], "the item is a lock (cannot"),
        ([1], [LOCK], "the result is a lock (cannot"),
        ([1, LOCK], [], "the item"),
    ],
)
def test_obstacles_of_items_and_results(clock, items, results, words):
    """An item or a result that cannot travel is the obstacle."""
    assert weigh_payload(identity, items, results, EACH, clock).obstacle.startswith(words)


def refuse():
    raise ValueError("not here")


class OneWay:
    def __reduce__(self):
        return refuse, ()


def test_what_cannot_be_unpickled(clock):
    """An item that pickles and cannot be unpickled is an obstacle too."""
    payload = weigh_payload(identity, [OneWay()], [], EACH, clock)

    assert payload.obstacle == "the item can be pickled and not unpickled"
