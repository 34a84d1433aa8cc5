"""When a run is decided about for the first time."""

import os
import threading
import time
from contextlib import nullcontext
from functools import partial

import pytest

from concurrent_choices import InvalidArgumentError, run
from concurrent_choices._engine._first_glances import FirstGlances
from concurrent_choices._engine._report import RunReport
from concurrent_choices._engine._thread_limit import ThreadLimit
from concurrent_choices._judge._controller._alone import EAGER
from concurrent_choices._judge._controller._climb import FIRST
from concurrent_choices._judge._controller._controller import Controller
from concurrent_choices._judge._controller._first_look import FIRST_LOOK, HARDLY, sleeps
from concurrent_choices._judge._controller._sight import Arrangement, Limits, Sight
from concurrent_choices._judge._controller._thresholds import GLANCE
from concurrent_choices._mutation._state import State
from concurrent_choices._work._job import Job
from concurrent_choices._work._source import Source

HELD = 1.5 * FIRST_LOOK


@pytest.mark.parametrize(
    ("held", "computed", "asleep"),
    [(HELD, 0.0, True), (HELD, HARDLY * HELD, True), (HELD, HELD, False), (FIRST_LOOK / 2, 0.0, False)],
    ids=["asleep", "began and slept", "computes or queues", "only begun"],
)
def test_a_call_sleeps_that_has_hardly_had_a_core(held, computed, asleep):
    """What computes, or queues for a core, is looked at once more; what has only begun, too."""
    assert sleeps(Sight(now=1.0, held=held, held_cpu=computed)) is asleep


def test_lanes_for_a_call_that_sleeps_are_wanted_at_the_first_look():
    """It counts from its own start, so that one look tells how long it has slept.

    As that is not long yet, and it may go on to compute, they are few; those that sleep on have company.
    """
    decider, now = Controller(Limits(cpus=2.0)), 5e-3
    seen = Sight(now=now, held=HELD, remaining=100)
    decider.begin(seen._replace(now=now - HELD, held=0.0))
    few = decider.look(seen)
    assert (few.stage, few.threads) == ("waiting", EAGER)
    assert few.look == max(FIRST_LOOK, GLANCE - HELD)  # not a glance later: it has slept for one by then
    slept = seen._replace(now=now + GLANCE, held=HELD + GLANCE, in_flight=EAGER)
    assert decider.look(slept).threads == FIRST


def test_an_error_while_the_first_look_is_made_ready_is_raised_to_the_caller(monkeypatch):
    """It happens in the ticker's thread, where nobody would hear of it, and no run would be looked after."""
    failed = threading.Event()

    def fail(self):
        failed.set()
        raise LookupError("no such thing")

    monkeypatch.setattr(ThreadLimit, "rehearse", fail)
    monkeypatch.setattr(FirstGlances, "dozes", True)  # whether or not the first call has begun by then
    with pytest.raises(LookupError, match="no such thing"):
        run(lambda _: failed.wait(30), range(3))
    monkeypatch.undo()
    assert run(lambda item: time.sleep(0.01) or item, range(3)) == [0, 1, 2]


class Holder:
    """Has a lock, which binds it to the thread that holds it."""

    def __init__(self):
        self.lock = threading.RLock()

    def __call__(self, item):
        return item


class Single:
    """A controller that is told to keep a callable in one thread."""

    reason = ""

    def keep_single(self, reason):
        self.reason = reason

    def set_free(self):
        self.reason = ""


@pytest.mark.parametrize("later", [False, True], ids=["held at first", "held later"])
def test_what_binds_a_callable_counts_when_lanes_are_wanted(later):
    """The first call may hold a lock for a moment, while what looks is made ready, or take it only then."""
    fn, controller = Holder(), Single()
    job = Job(fn, Source([1, 2, 3]), report=RunReport("held"))
    limit = ThreadLimit(job, 4, State(fn))
    with nullcontext() if later else fn.lock:
        limit.rehearse()
    with fn.lock if later else nullcontext():
        wanted = Arrangement(stage="waiting", reason="", threads=3)
        lanes = limit.lanes(wanted, controller, unseen=False, calling=False)
    assert (lanes, bool(controller.reason)) == ((0, True) if later else (3, False))


def moves(folder):
    os.chdir(folder)


@pytest.mark.parametrize(("fn", "bound"), [(moves, True), (abs, False)])
def test_what_binds_calls_in_workers_counts_when_these_are_ordered(fn, bound):
    """Else they would be given several lanes each, once it seems that items wait there."""
    controller = Single()
    limit = ThreadLimit(Job(fn, Source([1, 2, 3]), report=RunReport("moves")), 4, State(fn))
    ordered = Arrangement(stage="starting", reason="", processes=2)
    assert limit.lanes(ordered, controller, unseen=False, calling=True) == 0
    assert bool(controller.reason) == bound


@pytest.mark.parametrize("own", [False, True], ids=["the caller's", "a call's"])
def test_a_lock_is_looked_at_again_between_two_calls(own):
    """Whoever looks during a call cannot tell whose it is: what is free after the call was the call's own."""
    fn, controller = Holder(), Single()
    limit = ThreadLimit(Job(fn, Source([1, 2, 3]), report=RunReport("held")), 4, State(fn))
    wanted = partial(limit.lanes, Arrangement(stage="waiting", reason="", threads=3), controller)
    with fn.lock:
        assert wanted(unseen=False, calling=False) == 0
        assert limit.doubted
    with nullcontext() if own else fn.lock:
        freed = limit.frees(controller)
    assert (freed, bool(controller.reason)) == (own, not own)
    assert wanted(unseen=False, calling=False) == (3 if own else 0)
    assert not limit.doubted


async def soon(item):
    return item


@pytest.mark.parametrize("fn", [abs, soon], ids=["def", "async def"])
def test_processors_that_are_no_number_are_refused_before_any_item(monkeypatch, fn):
    """The system itself is asked later; this needs no question, and nothing begun is to be undone."""
    monkeypatch.setenv("CONCURRENT_CHOICES_CPUS", "many")
    taken = []
    items = (taken.append(item) or item for item in range(3))
    with pytest.raises(InvalidArgumentError, match="many"):
        run(fn, items)
    assert not taken
