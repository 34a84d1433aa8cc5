"""Threads that a verdict has chosen, and who goes on once calls are turned away: real parts, untimed."""

import threading
import time
from collections import Counter as Tallied
from contextvars import copy_context
from itertools import count

import pytest

from concurrent_choices import run, run_report, stream
from concurrent_choices._engine._giving_way import GivingWay
from concurrent_choices._runtime._contexts import lanes_around

THREADS = 16


def is_chosen():
    """Whether this is one of the threads that the verdict has chosen."""
    return threading.current_thread().name.startswith("concurrent_choices-thread")


class TooManyRequests(Exception):  # noqa: N818 - the name is what is recognised
    """As a client of some service raises it."""


class Server:
    """Turns away what those threads ask for from some item on; so each of them sees that it does.

    It counts the calls of each item, and how many are in flight, by whether such a thread makes them.
    """

    def __init__(self, limit=10**6):
        self.limit = limit
        self.lock = threading.Lock()
        self.refused = set()
        self.calls, self.inside, self.most, self.overlap = Tallied(), Tallied(), Tallied(), False

    def ask(self, item):
        kind = is_chosen()
        with self.lock:
            self.calls[item] += 1
            self.inside[kind] += 1
            self.most[kind] = max(self.most[kind], self.inside[kind])
            self.overlap |= self.inside.total() > self.inside[kind]
        time.sleep(0.002)
        with self.lock:
            self.inside[kind] -= 1
        if kind and item >= self.limit:
            self.refused.add(item)
            raise TooManyRequests(item)
        return item

    def expected(self, items):
        return [str(item) if item in self.refused else item for item in items]


def spell(results):
    return [str(result) if isinstance(result, Exception) else result for result in results]


@pytest.mark.parametrize("make", [list, iter])
@pytest.mark.parametrize("timeout", [None, 60])
def test_half_as_many_go_on_once_calls_are_turned_away(make, timeout):
    """After the threads have ended their calls, so that those are never more together."""
    server = Server(60)
    items = make(range(300))
    results = run(server.ask, items, strategy=GivingWay(THREADS), timeout=timeout, return_exceptions=True)
    assert spell(results) == server.expected(range(300))
    assert 1 <= len(server.refused) <= THREADS
    assert server.calls == Tallied(range(300))
    assert server.most[False] <= THREADS // 2 < server.most[True] <= THREADS
    assert not server.overlap
    assert "calls were turned away" in str(run_report())


def test_other_errors_are_borne():
    """They say nothing of how many calls there are at once."""
    server = Server()
    results = run(
        lambda item: server.ask(item) // (item % 50),
        range(200),
        strategy=GivingWay(THREADS),
        return_exceptions=True,
    )
    assert sum(isinstance(result, ZeroDivisionError) for result in results) == 4
    assert server.most[False] == 0


def test_a_single_thread_goes_on_by_itself():
    """There are no fewer than one."""
    server = Server(30)
    results = run(server.ask, range(60), strategy=GivingWay(1), return_exceptions=True)
    assert spell(results) == server.expected(range(60))
    assert server.refused == {30}
    assert server.most[False] == 1


def test_the_last_call_may_be_the_one_that_is_turned_away():
    """Nobody goes on where nothing is left."""
    server = Server(9)
    results = run(server.ask, range(10), strategy=GivingWay(THREADS), return_exceptions=True)
    assert spell(results) == server.expected(range(10))
    assert server.refused == {9}
    assert server.most[False] == 0


@pytest.mark.parametrize("limit", [10**6, 30])
def test_a_stream_that_is_left_ends_the_work(limit):
    """Before and after calls were turned away; no thread is left."""
    server = Server(limit)
    results = stream(server.ask, count(), strategy=GivingWay(4), return_exceptions=True)
    drawn = spell(next(results) for _ in range(100))
    results.close()
    assert drawn == server.expected(range(100))
    assert not [each for each in threading.enumerate() if each.name.startswith("concurrent_choices-thread")]


def test_what_is_no_exception_ends_the_work():
    """As under any strategy."""

    def leave(item):
        if item == 40:
            raise SystemExit(3)
        return item

    with pytest.raises(SystemExit):
        run(leave, range(100), strategy=GivingWay(4), return_exceptions=True)


def test_runs_within_have_their_share_of_whoever_goes_on():
    """Not of the threads before them as well."""
    server, around = Server(20), {True: set(), False: set()}

    def ask(item):
        around[is_chosen()].add(lanes_around.get())
        return server.ask(item)

    run(ask, range(60), strategy=GivingWay(4), return_exceptions=True)
    assert around[True] == {4}
    assert around[False] <= {1, 2}


def test_the_context_that_items_copied_before_is_left_as_it_was():
    """A call that was given up, in a thread that goes on, may copy it at any time."""
    seen = []

    class Watched(GivingWay):
        def execute(self, job):
            for batch in super().execute(job):
                seen.append(job.context)
                yield batch

    server = Server(20)
    run(server.ask, range(60), strategy=Watched(4), return_exceptions=True)
    assert seen[0] is not seen[-1]
    assert seen[0][lanes_around] == 4


def test_a_run_within_another_has_its_share_halved_once():
    """What goes on has half of the threads that there were, not the share of that share."""
    server = Server(40)
    outer = copy_context()
    outer.run(lanes_around.set, 4)
    results = outer.run(run, server.ask, range(300), strategy=GivingWay(4 * THREADS), return_exceptions=True)
    assert spell(results) == server.expected(range(300))
    assert server.most[True] <= THREADS
    assert THREADS // 4 < server.most[False] <= THREADS // 2
