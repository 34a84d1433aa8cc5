"""What becomes of what a callable holds: changes are found however code comes to them."""

import bisect
import heapq
import logging
import operator
import queue
import random
import re
import threading
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from functools import partial, wraps
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
import trail_callables as own
from trail_callables import Tally, tally

from concurrent_choices._mutation._alterations import altered_by, alters_items

groups = defaultdict(list)
counts = defaultdict(Counter)
nested = {"k": [], "number": 1}
rows = [[1], [2]]
tables = {"k": [1]}
deep = ([{}], [{}])
pairs = ([], 1)
empty = {}
heap = []
order = deque()
counted = 0
numbers_left = count()
settings = SimpleNamespace(seen=[], depth=1)
logger = logging.getLogger("concurrent_choices.tests.trails")
per_thread = threading.local()
per_thread.seen = []
jobs = queue.Queue()
lock = threading.Lock()
numbers = np.zeros(3)
generator = np.random.default_rng(1)
figures = array("d", [0.0])
pattern = re.compile("a+")
record = tally.record


def handed_on(fn):
    """A decorator of the user's own."""

    @wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)

    return wrapper


def into(kept, item):
    if item > 1000:
        kept.append(item)


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
            self.loaded = [item]
        self.count = 0
        self.__dict__["count"] = vars(self)["count"] = item
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


class Path(tuple):  # noqa: SLOT001 - it has attributes of its own
    """A tuple that is called, and keeps what it is told."""

    def __call__(self, item):
        self.seen.append(item)


path = Path()
path.seen = []


def test_a_tuple_that_is_called_has_its_own_call():
    """It is not taken for what a dictionary's method gives a loop."""
    assert altered_by(lambda item: path(item + 1)) == "the global 'path'"


class Noting:
    """A worker that comes to a change by what it inherits."""

    def __init__(self):
        self.seen = []

    def note(self, item):
        self.seen.append(item)

    def tell(self, item):
        return item


class Beside(Noting):
    def note(self, item):
        super().note(item)

    def by_another(self, item):
        self.note(item)

    def by_name(self, item):
        super(Beside, self).note(item)  # noqa: UP008 - people write that, too

    def by_its_class(self, item):
        Noting.note(self, item)

    def by_its_class_inside(self, items):
        return [Noting.note(self, item) for item in items]

    def note_all(self, items):
        note = super().note
        for item in items:
            note(item)


class Below(Beside):
    def note(self, item):
        return super().note(item)

    def tell(self, item):
        return super().tell(item)

    def tell_by_its_class(self, item):
        return Noting.tell(self, item) or Noting.note(Noting(), item)

    def missing(self, item):
        return super().nothing(item) or super().__init__.__name__


@pytest.mark.parametrize(
    "method",
    [
        Beside().note,
        Beside().by_another,
        Beside().by_name,
        Beside().by_its_class,
        Beside().by_its_class_inside,
        Beside().note_all,
        Below().note,
    ],
)
def test_a_method_above_is_followed(method):
    """As Python finds it: in the class behind the one that the method is written in."""
    assert altered_by(method) == "its object"


@pytest.mark.parametrize("method", [Below().tell, Below().tell_by_its_class, Below().missing])
def test_what_is_above_and_changes_nothing_is_left_alone(method):
    """So is what nobody finds there."""
    assert altered_by(method) == ""


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


class Counted:
    """Counts its objects, which nobody makes while it is used."""

    made = []  # noqa: RUF012 - what is looked for
    total = 0

    def __init__(self):
        Counted.made.append(self)
        Counted.total += 1

    def size(self, item):
        return len(self.made) + item

    def reset(self):
        Counted.total += 1
        self.made.clear()


def makes_one(item):
    return Counted().size(item)


def test_what_a_class_does_beside_is_left_alone():
    """What it counts as objects are made counts where code makes one."""
    assert altered_by(Counted().size) == ""
    assert altered_by(makes_one) == "the global 'Counted'"


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


def sets_attribute_of_module(item):
    own.failures += item


def adds_to_set_of_module(item):
    own.seen.add(item)


def adds_to_row_of_module(item):
    own.rows[0].append(item)


def adds_to_list_of_class(item):
    Tally.hits.append(item)


def adds_to_number_of_class(item):
    Tally.total += item


def tells_class(item):
    Tally.note(item)


def adds_to_list_of_object(item):
    tally.failures.append(item)


def adds_to_class_of_object(item):
    tally.total += item


def tells_object(item):
    tally.record(item)


def tells_object_of_module(item):
    own.tally.record(item)


def tells_by_a_method_held(item):
    record(item)


def adds_to_list_of_namespace(item):
    settings.seen.append(item)


def adds_to_group(item):
    groups[item % 7].append(item)


def adds_to_count(item):
    counts[item.kind][item] += 1


def adds_to_one(item):
    nested["k"].append(item)


def adds_to_first(item):
    rows[0].append(item)


def adds_to_one_of_two(item):
    pairs[0].append(item)


def adds_by_a_name(item):
    bucket = groups[item]
    if item > 1000:
        bucket.append(item)


def adds_to_each(item):
    for row in rows:
        if item > 1000:
            row.append(item)


def adds_to_each_by_number(item):
    for number, row in enumerate(rows):
        if item > 1000:
            row.append(number)


def adds_to_each_beside_another(items):
    for (number, item), row in zip(enumerate(items), rows, strict=False):
        row.append(item + number)


def adds_to_each_backwards(item):
    for row in reversed(rows):
        row.append(item)


def adds_to_each_of_a_table(item):
    for row in tables.values():
        row.append(item)


def adds_to_each_of_a_table_by_its_name(item):
    for name, row in tables.items():
        row.append(name + item)


def shuffles_an_array(item):
    if item > 1000:
        np.random.shuffle(numbers)  # noqa: NPY002 - people write that, too


def shuffles_an_array_by_another(item):
    generator.shuffle(numbers)


def adds_to_each_of_each(item):
    for row in [*item]:
        for group in deep:
            for each in group:
                each[row] = item


def pushes(item):
    heapq.heappush(heap, item)


def pops(item):
    return heapq.heappop(heap) if heap else item


def pushes_to_group(item):
    heapq.heappush(groups[item], item)


def inserts(item):
    bisect.insort(heap, item, key=len)


def shuffles(item):
    random.shuffle(rows)


def sets_by_operator(item):
    operator.setitem(nested, item, item)


def rotates(item):
    order.rotate(item)


def counts_globally(item):
    global counted  # noqa: PLW0603 - what is looked for
    counted += 1


def counts_around():
    total = 0

    def count(item):
        nonlocal total
        total += item

    return count


def tells_around():
    kept = Tally()

    def tell(item):
        return [kept.failures.append(each) for each in item]

    return tell


def hands_on(item):
    if item > 1000:
        into(groups["late"], item)


def hands_on_beside_what_is_made(item):
    into(rows, [item, {item}, {"item": item, "one": 1}, [1, 2, 3], {1, 2, 3}, {item: item}, {"item": 1}])


def hands_on_by_name(item):
    into(item=groups, kept=item)
    into(item=item, kept=rows)


def hands_on_to_a_module(item):
    if item > 1000:
        own.into(rows, item)


def hands_on_around(into):
    def hands_on(item):
        into(rows, item)

    return hands_on


def numbers_anew(item):
    return item or next(numbers_left)


def sets_in_an_array(item):
    numbers[item] = 1


def adds_in_an_array(item):
    numbers[1:] += item


def fills_an_array(item):
    numbers.fill(item)


def sorts_an_array(item):
    numbers.sort()


def adds_at_indices(item):
    np.add.at(numbers, item, 1)


def puts_into_an_array(item):
    np.put(numbers, item, 1)


def copies_to_an_array(item):
    np.copyto(numbers, item)


def fills_by_name(item):
    return np.dot(item, numbers, out=numbers)


def fills_by_name_in_a_tuple(item):
    return np.add(item, numbers, out=(numbers,))


def fills_by_place(item):
    np.add(numbers, item, numbers)
    np.multiply(item, item, numbers)


def sets_in_an_array_of_pythons_own(item):
    figures[item] = 1


def adds_to_one_of_its_parts(item):
    row, _ = rows
    row.append(item)


def adds_to_the_first_of_its_parts(item):
    row, *_ = rows
    row.append(item)


def adds_to_the_last_of_its_parts(item):
    *_, row = rows
    row.append(item)


def adds_to_one_of_the_others(item):
    _, *others = rows
    others[0].append(item)


def adds_to_each_of_more(item):
    _, *others = rows
    for row in others:
        row.append(item)


def adds_by_the_class(item):
    list.append(rows, item)


def adds_by_another_class(item):
    dict.update(nested, item)


def sets_by_the_class(item):
    dict.__setitem__(nested, item, 1)


def deletes_by_name(item):
    nested.__delitem__(item)


def pushes_by_an_import(item):
    import heapq as queues

    queues.heappush(heap, item)


def pushes_by_an_import_of_a_name(item):
    from heapq import heappop, heappush

    heappush(heap, item)
    return heappop


def pushes_by_a_name(item):
    push = heapq.heappush
    push(heap, item)


def adds_by_an_import(item):
    from trail_callables import rows as kept

    kept.append(item)


def adds_to_an_import(item):
    import trail_callables

    trail_callables.rows.append(item)


def marks(to, item, *, also=None):
    to.append(item)
    also["seen"] = item


@pytest.mark.parametrize(
    ("fn", "named"),
    [
        (sets_attribute_of_module, "the global 'own'"),
        (adds_to_set_of_module, "the global 'own'"),
        (adds_to_row_of_module, "the global 'own'"),
        (tells_object_of_module, "the global 'own'"),
        (adds_to_list_of_class, "the global 'Tally'"),
        (adds_to_number_of_class, "the global 'Tally'"),
        (tells_class, "the global 'Tally'"),
        (adds_to_list_of_object, "the global 'tally'"),
        (adds_to_class_of_object, "the global 'tally'"),
        (tells_object, "the global 'tally'"),
        (tells_by_a_method_held, "the global 'record'"),
        (adds_to_list_of_namespace, "the global 'settings'"),
        (adds_to_group, "the global 'groups'"),
        (adds_to_count, "the global 'counts'"),
        (adds_to_one, "the global 'nested'"),
        (adds_to_first, "the global 'rows'"),
        (adds_to_one_of_two, "the global 'pairs'"),
        (adds_by_a_name, "the global 'groups'"),
        (adds_to_each, "the global 'rows'"),
        (adds_to_each_by_number, "the global 'rows'"),
        (adds_to_each_beside_another, "the global 'rows'"),
        (adds_to_each_backwards, "the global 'rows'"),
        (adds_to_each_of_a_table, "the global 'tables'"),
        (adds_to_each_of_a_table_by_its_name, "the global 'tables'"),
        (shuffles_an_array, "the global 'numbers'"),
        (shuffles_an_array_by_another, "the global 'numbers'"),
        (adds_to_each_of_each, "the global 'deep'"),
        (pushes, "the global 'heap'"),
        (pops, "the global 'heap'"),
        (pushes_to_group, "the global 'groups'"),
        (inserts, "the global 'heap'"),
        (shuffles, "the global 'rows'"),
        (sets_by_operator, "the global 'nested'"),
        (rotates, "the global 'order'"),
        (counts_globally, "the global 'counted'"),
        (counts_around(), "the enclosing 'total'"),
        (tells_around(), "the enclosing 'kept'"),
        (hands_on, "the global 'groups'"),
        (hands_on_beside_what_is_made, "the global 'rows'"),
        (hands_on_by_name, "the global 'rows'"),
        (hands_on_to_a_module, "the global 'rows'"),
        (hands_on_around(into), "the global 'rows'"),
        (numbers_anew, "the global 'numbers_left'"),
        (sets_in_an_array, "the global 'numbers'"),
        (adds_in_an_array, "the global 'numbers'"),
        (fills_an_array, "the global 'numbers'"),
        (sorts_an_array, "the global 'numbers'"),
        (adds_at_indices, "the global 'numbers'"),
        (puts_into_an_array, "the global 'numbers'"),
        (copies_to_an_array, "the global 'numbers'"),
        (fills_by_name, "the global 'numbers'"),
        (fills_by_name_in_a_tuple, "the global 'numbers'"),
        (fills_by_place, "the global 'numbers'"),
        (sets_in_an_array_of_pythons_own, "the global 'figures'"),
        (adds_to_one_of_its_parts, "the global 'rows'"),
        (adds_to_the_first_of_its_parts, "the global 'rows'"),
        (adds_to_the_last_of_its_parts, "the global 'rows'"),
        (adds_to_one_of_the_others, "the global 'rows'"),
        (adds_to_each_of_more, "the global 'rows'"),
        (adds_by_the_class, "the global 'rows'"),
        (adds_by_another_class, "the global 'nested'"),
        (sets_by_the_class, "the global 'nested'"),
        (deletes_by_name, "the global 'nested'"),
        (pushes_by_an_import, "the global 'heap'"),
        (pushes_by_an_import_of_a_name, "the global 'heap'"),
        (pushes_by_a_name, "the global 'heap'"),
        (adds_by_an_import, "the imported 'rows'"),
        (adds_to_an_import, "the imported 'trail_callables'"),
        (partial(marks, []), "its bound arguments"),
        (partial(marks, also={}), "its bound arguments"),
    ],
)
def test_what_changes_what_it_holds_is_named(fn, named):
    """Whatever it is inside of: a module or class or object, or an element of a container."""
    assert altered_by(fn) == named


def rebinds(item):
    global counted  # noqa: PLW0603 - what is looked for
    counted = item
    settings.depth = item
    own.failures = item
    Tally.total = item


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


def reads_arrays(item):
    found = np.zeros(3)
    np.add.at(found, item, numbers)
    np.put(found, item, numbers)
    np.add(numbers, where=numbers, out=found) and item(rows, out=rows)
    found[item] = numbers[item] + np.add(numbers, item) + np.add.reduce(numbers)
    return np.sort(numbers), numbers.copy(), numbers.sum()


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


def fills_its_own(item):
    found = np.zeros(3)
    np.add(numbers, item, found)
    np.multiply(numbers, numbers, found)
    return np.add(numbers, numbers), np.maximum(numbers, item)


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


def reads(kept, item):
    kept = [*kept, item]
    kept.append(item)
    return kept[0].count(item)


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


class UnrulyTable(dict):
    """Runs code of its own to be read."""

    def __getitem__(self, key):
        raise RuntimeError(key)

    __iter__ = get = keys = values = __getitem__


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


class Node:
    """One of many that hold one another, in a ring."""

    def __init__(self):
        self.next = self

    def visit(self, item):
        return self.next.visit(item) or self.next.next.leave(item)

    def leave(self, item):
        found = []
        found.append(item)
        return self.visit(found)


def test_what_goes_round_comes_to_an_end():
    """Nodes of a long chain, or of a ring, are not followed without end."""
    first = last = Node()
    for _ in range(2000):
        last.next = Node()
        last = last.next
    assert altered_by(first.visit) == ""
    assert altered_by(last.visit) == ""


def finishes_each(item):
    for task in item:
        task.finish(item)


def takes_its_item_apart(item):
    numbers, *_ = item
    numbers.sort()


class Task:
    def __init__(self):
        self.parts = []
        self.table = {"tags": []}
        self.tally = Tally()
        self.done = False

    def finish(self, _item):
        self.done = True

    def end(self):
        return self.finish(1)

    def size(self):
        return len(self.parts)


@pytest.mark.parametrize(
    ("fn", "item"),
    [
        (lambda item: item.end(), Task()),
        (lambda item: item.tally.record(1), Task()),
        (lambda item: item.table["tags"].append(1), Task()),
        (lambda item: item["tags"].append(1), {"tags": []}),
        (lambda item: item[0].sort(), ([2, 1], 1)),
        (lambda item: list.append(item, 1), [2, 1]),
        (takes_its_item_apart, ([2, 1], 1)),
        (lambda item: heapq.heappush(item.parts, 1), Task()),
        (lambda item: into(item.parts, 1), Task()),
        (lambda item: setattr(item, "done", item), Task()),
        (lambda item: random.shuffle(item) or 1, [1, 2]),
        (finishes_each, [Task()]),
        (lambda item: [item.parts.append(each) for each in "ab"], Task()),
        (handed_on(lambda item: item.parts.clear()), Task()),
    ],
)
def test_what_changes_its_item_is_found(fn, item):
    """As in what it holds; and what an item's own methods bind anew in it counts too."""
    assert alters_items(fn, [item])


def renames_a_part(item):
    parts = item.parts
    parts[0] = 1


def test_a_part_of_an_item_that_has_a_name_is_its_own():
    """Where the name stands for nothing else."""
    assert alters_items(renames_a_part, [Task()])


def copies(item):
    part, every = item[1:], item[::2]
    part[0] = every[0] = 1
    again = item[1:]
    again[0] = 1
    made = item.copy()
    made[0] = 1
    return made


def chooses(item):
    chosen = item[item > 0]
    chosen[0] = 1
    return chosen


@pytest.mark.parametrize(
    ("fn", "item"),
    [
        (copies, [1, 2, 3]),
        (chooses, numbers),
        (lambda item: item.size(), Task()),
        (lambda item: groups[item].append(1), Task()),
        (lambda item: tally.record(item) or 1, Task()),
        (lambda item: Tally().record(item.parts), Task()),
        (lambda item: heapq.heappush([], item), [1]),
        (lambda item: into([], item), [1]),
        (lambda item: reads(item, 1), [[1]]),
    ],
)
def test_what_takes_from_its_item_leaves_it_alone(fn, item):
    """Copies of parts, and what it is put into, are others' things."""
    assert not alters_items(fn, [item])
