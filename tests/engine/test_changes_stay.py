"""A callable that is seen to change what it holds stays in this process; the report names what changed."""

import os
import time
from array import array
from contextlib import closing
from itertools import count, islice

import engine_acts as acts
import pytest
from engine_fakes import ALONE, LANES, PAIR, ScriptedStrategy
from engine_moves import outside, until_told

from concurrent_choices import recommend, run, run_report, stream
from concurrent_choices._platform._interpreter import gil_enabled
from concurrent_choices._platform._processors import usable_cpus
from patience import patient

_counted = 0


def count_globally(item):
    global _counted  # noqa: PLW0603 - what is looked for
    acts.spin(item)
    _counted += 1
    return _counted


def keeping_lists():
    seen = []

    def keep(item):
        acts.spin(item)
        seen.append(item)
        return len(seen)

    return keep


class Base:
    total = 0
    other = 0


class Adding(Base):
    def add(self, item):
        acts.spin(item)
        Base.total += 1
        return type(self).total


def adding():
    Base.total = 0
    return Adding().add


def keeping_defaults():
    def keep(item, seen={}):  # noqa: B006 - what is looked for
        acts.spin(item)
        seen[item] = seen.get(item, 0) + 1
        return len(seen)

    return keep


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: count_globally, "the global '_counted'"),
        (keeping_lists, "the enclosing 'seen'"),
        (keeping_defaults, "its defaults"),
        (lambda: acts.Counter().count, "its object"),
        (adding, "Base.total"),
    ],
    ids=["global", "closure", "default", "self", "class"],
)
def test_what_changes_its_surroundings_stays(make, named):
    """Results are those of a loop, and the report says which name kept it here."""
    global _counted  # noqa: PLW0603 - starts anew
    _counted = 0
    strategy = outside()
    assert run(make(), until_told(strategy, range(300)), strategy=strategy) == list(range(1, 301))
    assert named in strategy.controller.barred
    assert named in strategy.controller.apart
    assert strategy.report.witness == named


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: count_globally, "the global '_counted'"),
        (keeping_lists, "the enclosing 'seen'"),
        (lambda: acts.Counter().count, "its object"),
    ],
    ids=["global", "closure", "self"],
)
def test_no_second_lane_computes_what_changes_its_surroundings(make, named):
    """Two at once would give other results than a loop: the calling thread goes on alone."""
    global _counted  # noqa: PLW0603 - starts anew
    _counted = 0
    strategy = ScriptedStrategy(ALONE, PAIR)
    assert run(make(), range(300), strategy=strategy) == list(range(1, 301))
    assert named in strategy.controller.apart
    assert strategy.report.witness == named


@pytest.mark.skipif(usable_cpus() < 2, reason="one core has nothing to gain by processes")
@pytest.mark.parametrize("is_async", [False, True], ids=["def", "async def"])
@patient
def test_what_only_the_first_call_shows_is_seen_before_workers_make_the_next(is_async):
    """Workers are ordered while it lasts; and the next run does not begin where this one did not end."""
    seen = []

    def keep(item):
        until = time.thread_time() + 0.04
        while time.thread_time() < until:
            pass
        getattr(seen, "app" + "end")(item)  # which the code does not tell

    async def keep_soon(item):
        keep(item)

    for _ in range(2):
        seen.clear()
        run(keep_soon if is_async else keep, range(12))
        if sorted(seen) != list(range(12)):  # lanes may overlap on a busy machine
            pytest.fail(f"calls were lost, which no machine excuses: {seen}")
        # Where others have the cores, workers are not worth ordering, and nobody looks.
        # Nor without a GIL, where lanes share what calls change.
        assert not gil_enabled() or run_report().witness == "the enclosing 'seen'"


def test_a_verdict_on_no_call_at_all_goes_where_nothing_is_lost():
    """Where none came back in time, nobody has seen what calls change."""
    seen = []

    def keep(item):
        until = time.thread_time() + 0.4
        while time.thread_time() < until:
            pass
        getattr(seen, "app" + "end")(item)  # as above

    recommend(keep, range(4)).run()
    assert sorted(seen) == list(range(4))


def test_lanes_that_wait_are_said_to_have_changed_something():
    """They do overlap, since that is what waiting work is for; the report says what they changed."""
    seen = []

    def note(item):
        time.sleep(0.002)
        seen.append(item)

    strategy = ScriptedStrategy(LANES)
    run(note, range(50), strategy=strategy)
    assert sorted(seen) == list(range(50))
    assert strategy.report.witness == "the enclosing 'seen'"


class Session:
    """Connects with its first calls, which computes; keeps something of each, and waits for the others."""

    def __init__(self):
        self.seen = []

    def get(self, number):
        self.seen.append(number)
        if number < 4:
            began = time.thread_time()
            while time.thread_time() - began < 0.02:
                pass
        else:
            time.sleep(0.01)
        return number


@patient
def test_what_computed_at_first_waits_side_by_side():
    """A client that is new is kept from computing in two threads, and not from waiting in many."""
    session = Session()
    if (results := run(session.get, range(100))) != list(range(100)) or sorted(session.seen) != results:
        pytest.fail(f"not by chance: {results}, {session.seen}")
    assert any(step.stage == "waiting" for step in run_report().steps)


def test_what_changes_nothing_moves():
    """The witness does not cry wolf."""

    def where(item):
        time.sleep(0.005)
        return os.getpid()

    strategy = outside()
    with closing(stream(where, count(), strategy=strategy)) as results:
        assert any(process != os.getpid() for process in results)
    assert strategy.report.witness == ""


@patient
def test_what_is_large_and_left_alone_moves():
    """What the code stores goes into what it has made, though nobody can tell so from the code."""
    table = list(range(300_000))

    def look_up(item):
        acts.spin(item)
        found = array("q", [0])
        found[0] = table[-1 - item % 1000]
        return os.getpid()

    strategy = outside()
    with closing(stream(look_up, count(), strategy=strategy)) as results:
        assert any(process != os.getpid() for process in islice(results, 5000))
    assert strategy.report.witness == ""


@patient
def test_what_changes_something_large_far_inside_stays():
    """It was not looked at before the first call, as that would take as long as a short job."""
    table = list(range(300_000))

    def whole():
        return table

    def forget(item):
        acts.spin(item)
        whole()[-1 - item] = None

    strategy = outside()
    run(forget, until_told(strategy, range(300)), strategy=strategy)
    if table.count(None) != 300:
        pytest.fail("calls were lost, which no machine excuses")
    assert strategy.report.witness == "the enclosing 'table'"


def test_what_changes_its_items_stays():
    """In another process the change would be made to a copy."""
    items = [[number] for number in range(300)]

    def double(pair):
        acts.spin(0)
        pair.append(2 * pair[0])

    strategy = outside()
    run(double, items, strategy=strategy)
    assert items == [[number, 2 * number] for number in range(300)]
    assert strategy.report.witness == "their items"


@patient
def test_what_changes_other_items_than_the_first_stays():
    """Of those that are called here while workers come up, more are looked at."""
    items = [[number] for number in range(900)]

    def double(pair):
        acts.spin(pair[0])
        if pair[0] > 1:
            getattr(pair, "app" + "end")(2 * pair[0])  # which the code does not tell

    strategy = outside()
    run(double, items, strategy=strategy)
    if items[2:] != [[number, 2 * number] for number in range(2, 900)]:
        pytest.fail("changes were lost, which no machine excuses")
    assert strategy.report.witness == "their items"
