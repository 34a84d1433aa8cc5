"""What stands in the way to other processes, as a profile has it: pickling that fails or lasts, changes."""

import threading

import pytest
from profiled import real

from concurrent_choices._measure import _payload
from concurrent_choices._measure._clock import SystemClock
from concurrent_choices._measure._profiler import profile


def test_items_that_cannot_be_pickled():
    """They are sampled like others; only the trip to a process has an obstacle."""
    sample = real(type, [threading.Lock() for _ in range(5)])

    assert len(sample.results) == 5
    assert sample.profile.payload.obstacle.startswith("the item is a lock (cannot pickle")


def test_pickling_that_does_not_end(monkeypatch):
    """A hook that hangs costs a fifth of a second, and that is said."""
    gate = threading.Event()

    class Stubborn:
        def __reduce__(self):
            gate.wait()
            return int, ()

    sample = real(type, [Stubborn()])
    gate.set()

    assert "pickling had not ended" in str(sample.profile.missing)
    assert sample.profile.payload.item_seconds > 0


def test_a_callable_whose_pickling_does_not_end():
    """It goes to each worker once: items are not said to cost as much, each of them."""
    gate = threading.Event()

    class Stubborn:
        def __call__(self, item):
            return item

        def __reduce__(self):
            gate.wait()
            return int, ()

    profile = real(Stubborn(), range(5)).profile
    gate.set()

    assert "load: pickling the callable had not ended" in str(profile.missing)
    assert profile.payload.item_bytes > 0
    assert profile.payload.load_seconds > profile.payload.item_seconds


class CrowdedClock(SystemClock):
    """Says that whoever pickles has queued for a core all the time; from then on there is one."""

    def __init__(self):
        super().__init__()
        self.picklers = set()
        self.free = threading.Event()

    def watch(self, thread):
        if thread not in self.picklers:
            return super().watch(thread)
        self.free.set()
        return 0, 1_000_000_000


def test_pickling_on_a_crowded_machine(monkeypatch):
    """What takes long because there is no core for it is waited for, and does not count as dear."""
    monkeypatch.setattr(_payload, "PATIENCE", (0.05, 30.0))  # the machine may be crowded indeed
    clock = CrowdedClock()

    class Late:
        def __reduce__(self):
            clock.picklers.add(threading.current_thread())
            clock.free.wait()
            return int, ()

    sample = profile(type, [Late()], clock=clock, budget=60, is_async=False)  # over with the one call
    clock.free.set()

    assert "payload" not in str(sample.profile.missing)
    assert sample.profile.payload.item_bytes > 0


SEEN = []


def _keep(item):
    SEEN.append(item)


def _extend(item):
    item.append(0)


@pytest.mark.parametrize("make", [list, iter])
@pytest.mark.parametrize(
    ("fn", "changed"), [(_keep, "the global 'SEEN'"), (_extend, "their items"), (len, "")]
)
def test_what_calls_change_stands_in_the_way_of_processes(fn, changed, make):
    """A list that every call adds to would be another one in each process."""
    payload = real(fn, make([[place] for place in range(50)])).profile.payload

    assert changed in payload.obstacle
    assert bool(payload.obstacle) == bool(changed)


def _join(item):
    return ",".join(item)


@pytest.mark.parametrize(("fn", "stays"), [(_join, True), (sorted, False), (len, False)])
def test_what_lists_sets_stands_in_the_way_of_processes(fn, stays, monkeypatch):
    """Each process has them in an order of its own."""
    monkeypatch.setattr("concurrent_choices._transfer._hashed.hashes_are_set", lambda: False)
    payload = real(fn, [{"a", "b"} for _ in range(50)]).profile.payload

    assert ("sets that they are given" in payload.obstacle) is stays
