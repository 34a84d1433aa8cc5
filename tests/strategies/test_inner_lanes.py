"""Lanes inside a worker, which go on while it reads the next items."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import Counter
from contextlib import suppress
from functools import partial

import pytest

from concurrent_choices import HybridStrategy, WorkerStartError, run
from concurrent_choices._runtime._contexts import share
from concurrent_choices._strategies._lanes._inside_worker import perform_inside
from concurrent_choices._strategies._workers._between._loading import Loading
from concurrent_choices._strategies._workers._between._page import Page
from concurrent_choices._strategies._workers._between._wire import Kind, Link, Terms
from concurrent_choices._strategies._workers._inside._inner_lanes import InnerLanes
from concurrent_choices._strategies._workers._inside._voice import Voice


@pytest.fixture
def wire():
    """The caller's end and the worker's."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, Link(theirs)


def meet(item):
    """The process of an item that lasts until all are begun, or nobody else will come."""
    folder, number = item
    (folder / str(number)).touch()
    until = time.monotonic() + 30
    while len([*folder.iterdir()]) < ALL and time.monotonic() < until:
        time.sleep(1e-3)
    return os.getpid()


ALL = 16
"""As many as two workers have lanes."""


class Asks:
    """Comes to a worker as whether what is imported for it there must start no workers."""

    def __reduce__(self):
        return getattr, (Loading, "now")


def test_lanes_may_start_workers_while_items_are_read():
    """Nobody could tell what they call from what is imported for the next item."""
    assert run(bool, [Asks()], strategy=HybridStrategy(1, 2)) == [False]


class Greedy:
    """Comes to workers as `pid_of`, and takes all threads from the first one, or from those after it."""

    def __init__(self, path, *, first):
        self.path = path
        self.first = first

    def __call__(self, item):
        raise AssertionError

    def __reduce__(self):
        return arrive, (self.path, self.first)


def arrive(path, first):
    is_first = False
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
        is_first = True
    if is_first is first:
        threading.stack_size(1 << 46)  # more than there is
    return pid_of


def pid_of(item):
    time.sleep(0.001)
    return os.getpid()


@pytest.mark.parametrize("first", [False, True])
def test_a_worker_that_gets_no_threads(tmp_path, first):
    """The other one does all the work, or the one that takes its place."""
    with HybridStrategy(1 if first else 2, 2) as strategy:
        pids = run(Greedy(tmp_path / "taken", first=first), range(60), strategy=strategy)
    assert len(pids) == 60
    assert len(set(pids)) == 1


def test_workers_that_get_no_threads(tmp_path):
    """The error says what there are too few of, and nothing of how to define a callable."""
    (tmp_path / "taken").touch()
    complaint = pytest.raises(WorkerStartError, match=r"no more threads: `ulimit -u` .* needs none$")
    with HybridStrategy(2, 2) as strategy, complaint:
        run(Greedy(tmp_path / "taken", first=False), range(60), strategy=strategy)


def test_each_worker_gets_as_many_as_it_has_lanes(tmp_path):
    """Where one got a ninth item for eight lanes, it waited while the other worker had a lane without any."""
    pids = run(meet, [(tmp_path, number) for number in range(ALL)], strategy=HybridStrategy(2, ALL // 2))
    assert set(Counter(pids).values()) == {8}


def test_runs_inside_share_with_no_more_lanes_than_there_are_items():
    """Two items are two at a time, however many lanes their workers may have: each has a half of all."""
    assert run(share, [32, 32], strategy=HybridStrategy(2, 32)) == [16, 16]


def test_the_end_of_a_job_waits_for_who_tells_of_its_last_result(wire):
    """The caller has it all before the lane knows, and what the next job says must not come between."""
    ours, link = wire
    page = Page.new()
    lanes = InnerLanes(Terms(bytes, inner=partial(perform_inside, 2)), 1, Voice(link), page)
    telling = threading.Thread(target=lanes.say, args=(Kind.DONE, 0, [bytes(1 << 19)]))
    telling.start()
    ours.recv(1)  # it has begun to tell, and there is no room for the rest
    ending = threading.Thread(target=lanes.end)
    ending.start()
    ending.join(0.1)
    assert ending.is_alive()
    while telling.is_alive():
        with suppress(BlockingIOError):
            ours.recv(1 << 16, socket.MSG_DONTWAIT)
    ending.join(30)
    assert not ending.is_alive()
    page.close()
