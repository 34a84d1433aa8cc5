"""What methods change of their object is found, however their code comes to it."""

import bisect
import heapq
import logging
import queue
import random
import re
import threading
from collections import defaultdict
from functools import partial

import pytest
from trail_callables import Tally, tally
from trail_hands import handed_on, into

from concurrent_choices._mutation._alterations import altered_by

logger = logging.getLogger("concurrent_choices.tests.trails")
pattern = re.compile("a+")


def on_the_way(item, *, to):
    return into(to.failures, item)


class Slotted:
    __slots__ = ("seen",)

    def __init__(self):
        self.seen = []


class Worker:
    """Comes to a change on late paths, by each of its methods in another way."""

    shared = {}  # noqa: RUF012 - what is looked for
    total = 0

    def __init__(self):
        self.failures = []
        self.count = 0
        self.table = {}
        self.rows = [[]]
        self.groups = defaultdict(list)
        self.heap = []
        self.tally = Tally()
        self.tallies = [Tally()]
        self.tallies_by_name = {"one": Tally()}
        self.slotted = Slotted()
        self.random = random.Random(1)
        self.step = tally.record
        self.loaded = None
        self.log = logger
        self.lock = threading.Lock()
        self.jobs = queue.Queue()

    def appends(self, item):
        if item > 1000:
            self.failures.append(item)

    def adds(self, item):
        if item > 1000:
            self.count += 1

    def sets(self, item):
        if item > 1000:
            self.table[item.kind, f"{item!r:>3}"] = len(item)

    def adds_to(self, item):
        if item > 1000:
            self.table[item] += 1

    def deletes(self, item):
        if item > 1000:
            del self.failures[:1]

    def of_its_class(self, item):
        if item > 1000:
            self.shared[item] = item

    def by_an_element(self, item):
        if item > 1000:
            self.rows[0].append(item)

    def by_any_element(self, item):
        if item > 1000:
            self.groups[item.kind].append(item)

    def by_a_name(self, item):
        log = self.failures
        if item > 1000:
            log.append(item)

    def by_a_name_inside(self, items):
        log = self.failures
        return sum(1 for item in items if log.append(item))

    def by_a_name_on_the_way(self, item):
        if (log := self.failures) is not None:
            log.append(item)

    def itself_inside(self, items):
        return lambda: [self.failures.append(item) for item in items]

    def by_a_function(self, item):
        if item > 1000:
            heapq.heappush(self.heap, (item, 1))

    def by_a_method_of_the_library(self, item):
        if item > 1000:
            self.random.shuffle(self.failures)

    def by_a_method(self, item):
        return self.helps(item, 1)

    def by_methods_in_turn(self, item):
        return self.turns(item)

    def turns(self, item):
        return self.by_methods_in_turn(item - 1) if item else self.helps(*item)

    def by_a_method_handed_on(self, items):
        return list(map(self.helps, items))

    def by_a_method_with_a_name(self, item):
        helps = self.helps
        return helps(item, end=1)

    def helps(self, item, end=0):
        if item > 1000:
            self.failures.append(item + end)

    @handed_on
    def decorated(self, item):
        if item > 1000:
            self.failures.append(item)

    def by_a_decorated_method(self, item):
        return self.decorated(item)

    def by_a_method_of_its_own(self, item):
        return self.tally.record(item)

    def by_a_method_of_each_of_its_own(self, item):
        for each in self.tallies:
            each.record(item)

    def by_a_method_of_one_of_its_own(self, item):
        self.tallies_by_name["one"].record(item)

    def by_a_method_it_was_given(self, item):
        return self.step(item)

    def by_a_function_of_its_own(self, item):
        return into(self.failures, item)

    def by_a_function_of_many_hands(self, item):
        return on_the_way(item, to=self)

    def by_an_argument_of_a_method(self, item):
        return self.gets(item, to=self.failures)

    def gets(self, item, to):
        return into(to, item)

    def by_a_static_method(self, item):
        return self.keeps(self.failures, item)

    def by_a_static_method_of_its_class(self, item):
        return Worker.keeps(self.failures, item)

    @staticmethod
    def keeps(kept, item):
        if item > 1000:
            kept.append(item)

    def by_its_type(self, item):
        if item > 1000:
            type(self).total += 1

    def by_its_class(self, item):
        if item > 1000:
            self.__class__.total += 1

    def by_its_dictionary(self, item):
        if item > 1000:
            self.__dict__["count"] += 1

    def by_its_variables(self, item):
        if item > 1000:
            vars(self)["count"] += item

    def by_one_of_its_variables(self, item):
        self.__dict__["failures"].append(item)

    def by_a_slot(self, item):
        return self.slotted.seen.append(item)

    @classmethod
    def for_all(cls, item):
        cls.shared[item] = item

    def __call__(self, item):
        return self.helps(item)

    # What follows changes nothing for others.

    def loads(self, item):
        if self.loaded is None:
            self.loaded = [1]
        self.count = 0
        self.__dict__["count"] = vars(self)["count"] = len("as each process may")
        del self.table
        return self.loaded[0]

    def makes(self, item):
        self_made, found = {}, list(self.failures)
        self_made[item] = found
        found.append(item)
        part = self.failures[1:]
        part.append(item)
        every = self.failures[::2]
        every.append(item)
        counted = self.count
        counted += 1
        return self_made

    def gives_a_name_twice(self, item):
        log = self.failures
        log = [log]
        log.append(item)

    def uses(self, item):
        with self.lock:
            self.log.info("item %s", item)
        self.log.handlers.append(item)
        self.jobs.put(item)
        return pattern.sub("b", item), self.random.random(), self.tally, self.reads(item)

    def reads(self, item):
        heapq.nlargest(1, self.heap)
        item[self.count] = self.table
        return bisect.bisect(self.heap, item), sorted(self.heap), self.append(item), self.pop

    def append(self, item):
        """A method that is called as one of a list."""
        return len(self.failures) + item

    pop = None


@pytest.mark.parametrize(
    "method",
    [
        "appends",
        "adds",
        "sets",
        "adds_to",
        "deletes",
        "of_its_class",
        "by_an_element",
        "by_any_element",
        "by_a_name",
        "by_a_name_inside",
        "by_a_name_on_the_way",
        "itself_inside",
        "by_a_function",
        "by_a_method_of_the_library",
        "by_a_method",
        "by_methods_in_turn",
        "by_a_method_handed_on",
        "by_a_method_with_a_name",
        "decorated",
        "by_a_decorated_method",
        "by_a_method_of_its_own",
        "by_a_function_of_its_own",
        "by_a_function_of_many_hands",
        "by_an_argument_of_a_method",
        "by_a_static_method",
        "by_a_static_method_of_its_class",
        "by_its_type",
        "by_its_class",
        "by_its_dictionary",
        "by_its_variables",
        "by_one_of_its_variables",
        "by_a_slot",
        "for_all",
        "__call__",
    ],
)
def test_what_changes_its_object_is_found(method):
    """By whatever way a method comes to it, and through the partial it stands in."""
    fn = getattr(Worker(), method)
    assert altered_by(fn) == "its object"
    assert altered_by(partial(fn, end=1)) == "its object"


def only(*names):
    """An object of a class that has none of the other methods."""
    return type("Only", (), {name: vars(Worker)[name] for name in ("__init__", *names)})()


@pytest.mark.parametrize(
    "names",
    [
        ("by_a_method", "helps"),
        ("by_methods_in_turn", "turns", "helps"),
        ("by_a_method_handed_on", "helps"),
        ("by_a_method_with_a_name", "helps"),
        ("by_a_decorated_method", "decorated"),
        ("by_a_method_of_its_own",),
        ("by_a_method_of_each_of_its_own",),
        ("by_a_method_of_one_of_its_own",),
        ("by_a_method_it_was_given",),
        ("by_a_function",),
        ("by_a_function_of_its_own",),
        ("by_a_function_of_many_hands",),
        ("by_an_argument_of_a_method", "gets"),
        ("by_a_static_method", "keeps"),
        ("by_an_element",),
        ("__call__", "helps"),
    ],
)
def test_a_method_is_read_that_only_names_what_changes_something(names):
    """At a glance at its code alone it does nothing."""
    assert altered_by(getattr(only(*names), names[0])) == "its object"


def test_a_callable_object_is_an_object_as_others():
    """Its call is a method."""
    assert altered_by(Worker()) == "its object"


def test_a_method_that_it_was_given_is_followed_to_another_object():
    """Its own is how that one is reached."""
    assert altered_by(Worker().by_a_method_it_was_given) == "its object"


@pytest.mark.parametrize("method", ["loads", "makes", "gives_a_name_twice", "uses", "reads"])
def test_what_its_object_keeps_is_left_alone(method):
    """What is bound anew is how a process loads for itself; and copies are the method's own."""
    assert altered_by(getattr(Worker(), method)) == ""
