"""What is no change for others, and what cannot be looked at, leaves no trail."""

import heapq
import logging
import operator
import queue
import random
import re
import threading
from collections import OrderedDict, defaultdict
from functools import partial
from itertools import count
from types import SimpleNamespace

import pytest
import trail_callables as own
from array_callables import fills_its_own, numbers, reads_arrays
from trail_callables import Tally, UnrulyTable, tally
from trail_hands import into, marks, reads

from concurrent_choices._mutation._alterations import altered_by

groups = defaultdict(list)
nested = {"k": [], "number": 1}
rows = [[1], [2]]
tables = {"k": [1]}
empty = {}
heap = []
counted = 0
numbers_left = count()
settings = SimpleNamespace(seen=[], depth=1)
record = tally.record
logger = logging.getLogger("concurrent_choices.tests.trails")
per_thread = threading.local()
per_thread.seen = []
jobs = queue.Queue()
lock = threading.Lock()
pattern = re.compile("a+")


def rebinds(item):
    global counted  # noqa: PLW0603 - what is looked for
    counted = settings.depth = len("as each process may for itself")
    own.failures = Tally.total = []
    return item


def sees_no_container(item):
    jobs.put(item)
    logger.info("item %s", item)
    logger.handlers.append(item)
    per_thread.seen.append(item)
    per_thread.__dict__["seen"] += vars(logger)["level"]
    with lock:
        return pattern.sub("b", item), nested["number"], random.random(), heapq.nlargest(1, heap)


def sets_in_libraries(item):
    logging.raiseExceptions += 1
    re.purge.calls += 1


def takes_apart(item):
    first, *others = rows
    others.append(first)
    one, other = nested
    one.append(other)
    (*all_of_them,) = rows
    all_of_them.append(item)
    return others, all_of_them


def imports_on_the_spot(item):
    import heapq
    import logging.handlers
    from heapq import nlargest

    import nothing_of_that_name
    from trail_callables import rows, tally

    logging.raiseExceptions += 1
    found = [*rows, tally]
    heapq.heappush(found, item)
    list.append(found, nothing_of_that_name)
    return nlargest(1, rows)


def makes_its_own(item):
    bucket = groups.get(item, [])
    bucket = [*bucket, *rows[0]]
    bucket.append(item)
    found = defaultdict(list)
    found[item].append(groups)
    part = rows[:1]
    part.append(item)
    heapq.heappush(found[0], heap)
    operator.setitem(found, item, heap)
    kept = Tally()
    kept.record(item)
    kept.failures.append(groups[item])
    kept.total += 1
    return OrderedDict(found)


def goes_through_its_own(item):
    for row in rows:
        found = [*row]
        found.append(row)
    for number in rows[0]:
        number.append(item)
    for row in [list(row) for row in rows]:
        row.append(item)
    for name, row in enumerate(sorted(rows[0])):
        row.append(name)
    every = list(rows)
    every.append(item)
    for name, row in tables.items():
        name.append(row)
    return [row for row in rows if row]


def looks_into_nothing(item):
    empty[item].append(item)
    rows[-7].append(item)
    for row in empty, groups:
        row.append(item)
    for key in nested:
        key.append(item)
    rows[0][0].append(item)


def hands_on_what_is_left_alone(item):
    into(dict(groups), item)
    into(item=groups, kept=item)
    into(list(rows), rows)
    made = type("Made", (), {"seen": rows})
    made.seen += 1
    return reads(rows, item), next(iter(rows)), next(item, numbers_left)


def has_its_own_of_that_name(record, tally):
    record(tally)
    tally.failures.append(record)


@pytest.mark.parametrize(
    "fn",
    [
        rebinds,
        sees_no_container,
        sets_in_libraries,
        takes_apart,
        imports_on_the_spot,
        fills_its_own,
        makes_its_own,
        reads_arrays,
        goes_through_its_own,
        looks_into_nothing,
        has_its_own_of_that_name,
        hands_on_what_is_left_alone,
        tally.failures.count,
        logger.info,
        numbers.sort,
        partial(marks, ()),
    ],
)
def test_what_changes_nothing_of_that_is_not(fn):
    """Nothing is kept in this process for what it makes itself, binds anew, or what guards its own."""
    assert altered_by(fn) == ""


class Unruly:
    """Raises whatever it is asked."""

    def __getattribute__(self, name):
        raise RuntimeError(name)

    __hash__ = None


class UnrulyKey:
    """Equals what a constant names, and does not say so."""

    def __hash__(self):
        return hash("k")

    def __eq__(self, other):
        raise RuntimeError


unruly = Unruly()
unruly_table = UnrulyTable(k=[])
unruly_keys = {UnrulyKey(): []}


def asks_unruly(item):
    unruly.seen.append(item)
    unruly.count += 1
    unruly_keys["k"].append(item)


def asks_unruly_table(item):
    unruly_table["k"].append(item)


def test_no_code_of_what_is_looked_at_runs():
    """Whatever its hooks raise, it is looked at from outside."""
    assert altered_by(asks_unruly) == ""
    assert altered_by(asks_unruly_table) == "the global 'unruly_table'"
