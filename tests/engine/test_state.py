"""A callable that changes what it holds stays in this process, and the report names what changed."""

import heapq
import json
import logging
import os
import threading
import time
import tracemalloc
from contextlib import closing
from contextvars import copy_context
from enum import Flag
from functools import partial
from itertools import count, islice, takewhile
from random import Random, gauss, randint

import engine_acts as acts
import numpy as np
import pytest
from engine_coroutines import OUTSIDE as LOOP_OUTSIDE
from engine_coroutines import STARTING as LOOP_STARTING
from engine_coroutines import LoopStrategy
from engine_fakes import ALONE, HYBRID, LANES, OUTSIDE, PAIR, STARTING, ScriptedStrategy

from concurrent_choices import RemoteError, recommend, run, run_report, stream
from concurrent_choices._engine import _worker_startup
from concurrent_choices._engine._worker_transfer import stranded
from concurrent_choices._mutation._state import State
from concurrent_choices._platform._interpreter import gil_enabled
from concurrent_choices._platform._processors import usable_cpus
from patience import patient

_counted = 0


def outside():
    """A strategy that wants to move at once."""
    return ScriptedStrategy(STARTING, OUTSIDE)


def until_told(strategy, items):
    """Items of which the last comes when something keeps their callable here: workers may take their time."""
    *others, last = items
    yield from others
    until = time.monotonic() + 60
    while not strategy.controller.barred and time.monotonic() < until:
        time.sleep(1e-3)
    yield last


def some_after_the_move(fn, strategy, many):
    """So many results of endless items, from when workers are ordered to have them."""
    with closing(stream(fn, count(), strategy=strategy)) as results:
        assert any("outside" in {step.stage for step in strategy.report.steps} for _ in results)
        return [*islice(results, many)]


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


@pytest.mark.parametrize(
    ("items", "exposed"),
    [([1, "a"], False), ([(1, ("a", None))], False), ([], False), ([1, {}], True), ([([],)], True)],
)
def test_where_a_callable_holds_nothing_its_items_may_be_changed(items, exposed):
    """Then workers are to look, and the first call is to end here before they have any."""
    assert State(lambda item: item, items).is_exposed == exposed


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


def test_no_second_lane_computes_what_may_come_to_change_its_surroundings():
    """No call has changed anything yet; the code says that one may."""
    late.seen.clear()
    strategy = ScriptedStrategy(ALONE, PAIR)
    assert run(late.by_a_list, range(300), strategy=strategy) == list(range(300))
    assert late.seen == list(range(250, 300))
    assert strategy.controller.apart == "calls change its object"


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


def test_what_the_code_changes_late_stays():
    """No call has changed anything yet; the code says that one may."""
    seen = []

    def note(item):
        if item >= 250:
            seen.append(item)
        return acts.spun(item)

    strategy = outside()
    assert run(note, range(300), strategy=strategy) == list(range(300))
    assert seen == list(range(250, 300))
    assert strategy.report.witness == "the enclosing 'seen'"


class Late:
    """Comes to a change of itself with late items only, each time in another way."""

    def __init__(self):
        self.seen = []
        self.groups = {"late": self.seen}

    def by_a_list(self, item):
        if item >= 250:
            self.seen.append(item)
        return acts.spun(item)

    def by_an_element(self, item):
        if item >= 250:
            self.groups["late"].append(item)
        return acts.spun(item)

    def by_an_operator(self, item):
        if item >= 250:
            self.seen += [item]
        return acts.spun(item)

    def by_a_name(self, item):
        log = self.seen
        if item >= 250:
            log.append(item)
        return acts.spun(item)

    def by_a_function(self, item):
        if item >= 250:
            heapq.heappush(self.seen, item)
        return acts.spun(item)

    def by_a_method(self, item):
        if item >= 250:
            self.by_a_list(item)
        return acts.spun(item)

    __call__ = by_a_method


late = Late()


def late_by_an_object(item):
    return late.by_a_list(item)


def late_by_its_list(item):
    if item >= 250:
        late.seen.append(item)
    return acts.spun(item)


WAYS = {name: getattr(late, name) for name in vars(Late) if name.startswith("by_")}


@pytest.mark.parametrize(
    ("fn", "named"),
    [
        *((way, "its object") for way in [*WAYS.values(), late, partial(late.by_a_list)]),
        (late_by_an_object, "the global 'late'"),
        (late_by_its_list, "the global 'late'"),
    ],
    ids=[*WAYS, "its call", "partial", "global object", "its attribute"],
)
def test_what_objects_keep_late_stays(fn, named):
    """In whatever way code comes to keep something: results and object are those of a loop."""
    late.seen.clear()
    strategy = outside()
    assert run(fn, range(300), strategy=strategy) == list(range(300))
    assert late.seen == list(range(250, 300))
    assert strategy.report.witness == named


class ChangesFrom:
    """Counts itself from some item on, where nobody reads it from the code, and after the move."""

    def __init__(self, first, move):
        self.move = move
        self.first = first
        self.count = 0

    def note(self, item):
        self.move.linger(early=item < 50)
        if item >= self.first:
            object.__setattr__(self, "count", self.count + 1)
        return acts.spun(item)


@pytest.fixture
def move(tmp_path):
    """The move of a run to other processes."""
    return acts.Move(tmp_path / "moved")


@pytest.mark.parametrize("first", [250, 299], ids=["goes on", "the last item only"])
def test_changes_in_workers_are_told(first, move, caplog):
    """They stay there: the report says so, the log warns, and what is left comes back."""
    strategy = outside()
    assert run(ChangesFrom(first, move).note, range(300), strategy=strategy) == list(range(300))
    assert strategy.report.lost == "its object"
    assert "those changes stayed there" in str(strategy.report)
    assert [record.levelname for record in caplog.records if "its object" in record.message] == ["WARNING"]
    assert "calls change its object" in strategy.controller.barred


def test_changes_in_lanes_of_workers_are_told(move):
    """A worker with threads inside looks at what they share."""
    strategy = ScriptedStrategy(STARTING._replace(inside=3), HYBRID)
    assert run(ChangesFrom(250, move).note, range(300), strategy=strategy) == list(range(300))
    assert strategy.report.lost == "its object"


def discount(row):
    row["discount"] = True


def through_a_variable(order):
    order["move"].linger(early=order["number"] < 50)
    for _, row in enumerate(order["rows"]):
        if order["number"] >= 250:
            row["discount"] = True
    return acts.spun(order["number"])


def through_a_helper(order):
    order["move"].linger(early=order["number"] < 50)
    if order["number"] >= 250:
        list(map(discount, order["rows"]))
    return acts.spun(order["number"])


@pytest.mark.parametrize("fn", [through_a_variable, through_a_helper])
@pytest.mark.parametrize("inside", [1, 3])
def test_changes_of_items_in_workers_are_told(fn, inside, move, caplog):
    """No call has changed any before, and the code does not plainly: they are seen where they are made."""
    to, then = (STARTING, OUTSIDE) if inside == 1 else (STARTING._replace(inside=inside), HYBRID)
    strategy = ScriptedStrategy(to, then)
    orders = [{"number": number, "rows": [{"price": 3}, {"price": 4}], "move": move} for number in range(900)]
    assert run(fn, orders, strategy=strategy) == list(range(900))
    assert strategy.report.lost == "their items"
    assert [record.levelname for record in caplog.records if "their items" in record.message] == ["WARNING"]
    assert "calls change their items" in strategy.controller.barred


@pytest.mark.parametrize("inside", [1, 3])
def test_items_that_are_read_in_workers_are_not_told_of(inside):
    """They are looked at, and are what they were."""
    strategy = ScriptedStrategy(STARTING._replace(inside=inside), OUTSIDE if inside == 1 else HYBRID)
    orders = [{"number": number, "rows": [{"price": 3}]} for number in range(300)]
    drawn = run(lambda order: acts.spin(order["rows"][0]["price"]), orders, strategy=strategy)
    assert drawn == [acts.spin(3)] * 300
    assert (strategy.report.lost, strategy.controller.barred) == ("", "")


class Connected:
    """Connects once in each process."""

    def __init__(self):
        self.process = os.getpid()

    def ask(self, item):
        if self.process != os.getpid():
            self.process = os.getpid()
        return acts.spun(item)


def test_what_a_worker_does_for_itself_once_is_no_change():
    """The caller's process has connected long ago; a worker does so with its first item."""
    strategy = outside()
    first, *others = some_after_the_move(Connected().ask, strategy, 1000)
    assert others == [*range(first + 1, first + 1000)]
    assert (strategy.report.lost, strategy.controller.barred) == ("", "")


def test_what_cannot_travel_stays():
    """A callable that holds a lock is no error; it goes on here."""
    lock = threading.Lock()

    def locked(item):
        with lock:
            return acts.spun(item)

    strategy = outside()
    with closing(stream(locked, count(), strategy=strategy)) as results:
        before = sum(1 for _ in takewhile(lambda _: not strategy.controller.barred, results))
        assert [*islice(results, 200)] == [*range(before + 1, before + 201)]
    assert "cannot travel" in strategy.controller.barred


@pytest.mark.parametrize("known", [True, False], ids=["known", "not yet known"])
def test_what_gives_what_cannot_travel_stays(monkeypatch, known):
    """A result that a loop would give is no error here either, if there was one when items would go over."""
    if not known:
        monkeypatch.setattr(_worker_startup, "stranded", lambda _results: "")

    def locked(item):
        return acts.spin(item) and threading.Lock()

    strategy = outside()
    with closing(stream(locked, count(), strategy=strategy)) as results:
        assert any(strategy.controller.barred for _ in results)
        assert len([*islice(results, 200)]) == 200
    assert "could not come back" in strategy.controller.barred


class Unhashable(type):
    """Classes that have no hash, whose instances pickle therefore refuses."""

    __eq__ = object.__eq__
    __hash__ = None


class Odd(metaclass=Unhashable):
    """One of them."""


def test_a_result_whose_class_has_no_hash_is_what_keeps_items_here():
    """Not workers that could not be started: the words name the result, as of any other."""
    said = stranded([1, Odd()])
    assert said.startswith("a result is an Odd (")
    assert "unhashable type" in said  # the whole of what CPython up to 3.13 says, and the end of it later


class LockedError(Exception):
    def __init__(self):
        self.lock = threading.Lock()


def test_errors_that_cannot_travel_keep_nothing_here():
    """They come back as what they say."""

    def fails(item):
        acts.spin(item)
        if item % 2:
            raise LockedError

    strategy = outside()
    with closing(stream(fails, count(), strategy=strategy, return_exceptions=True)) as results:
        assert any(isinstance(each, RemoteError) for each in results)
        assert sum(isinstance(each, LockedError | RemoteError) for each in islice(results, 200)) == 100
    assert strategy.controller.barred == ""


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


def test_what_may_come_to_change_its_items_stays():
    """No call has done so by the time that processes are ordered; those that do would do it to a copy."""
    items = [[number] for number in range(300)]

    def double_late(pair):
        acts.spin(0)
        if pair[0] >= 250:
            pair.append(2 * pair[0])

    strategy = outside()
    run(double_late, items, strategy=strategy)
    assert sum(map(len, items)) == 350
    assert strategy.report.witness == "their items"


class Colour(Flag):
    RED = 1
    BLUE = 2


def test_a_combination_of_flags_changes_nothing():
    """What `enum` keeps of those it has met is nobody's result."""
    state = State(lambda item: Colour.RED | item)
    assert Colour.RED | Colour.BLUE
    assert state.changed() == ""


def test_a_logger_changes_nothing():
    """What a logger keeps to itself with its first message keeps no callable here."""
    logger = logging.getLogger("concurrent_choices.tests.state")

    def tells(item):
        logger.debug("item %s", item)

    state = State(tells)
    tells(1)
    assert state.changed() == ""


def numpys():
    return pytest.importorskip("numpy.random")


def test_drawing_from_what_all_share_changes_nothing():
    """A method that `from random import randint` binds is as `random.randint`: each process has its own."""

    def throws(item):
        return acts.spun(item) + randint(1, 6), gauss(0, 1)

    state = State(throws)
    throws(1)
    assert not state.is_held
    assert state.lost_elsewhere() == ""
    strategy = outside()
    assert len(set(some_after_the_move(throws, strategy, 300))) == 300
    assert (strategy.report.witness, strategy.controller.barred) == ("", "")


@pytest.mark.parametrize("make", [Random, lambda seed: numpys().default_rng(seed)], ids=["random", "numpy"])
def test_drawing_from_ones_own_generator_is_a_change(make):
    """Copies of it would draw the same numbers in all workers, so what holds one stays."""
    rng, same = make(3), make(3)

    def throws(item):
        return acts.spin(item) and rng.random()

    assert State(throws).lost_elsewhere() == "the enclosing 'rng'"  # before the first call has come to draw
    strategy = outside()
    drawn = run(throws, range(300), strategy=strategy)
    assert drawn == [same.random() for _ in range(300)]
    assert strategy.report.witness == "the enclosing 'rng'"


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_what_was_set_in_a_module_stays(kind, monkeypatch):
    """A worker would import the module and find what the module itself sets."""
    monkeypatch.setattr(acts, "FACTOR", 3)
    if kind == "def":
        fn, strategy = acts.times_factor, outside()
    else:
        fn, strategy = acts.times_factor_awaited, LoopStrategy(LOOP_STARTING, LOOP_OUTSIDE)
    assert run(fn, until_told(strategy, range(300)), strategy=strategy) == list(range(0, 900, 3))
    assert "engine_acts.FACTOR has another value there than here" in strategy.controller.barred


def test_what_is_set_in_this_context_stays():
    """A worker would find the variable's default."""
    strategy = outside()
    context = copy_context()
    context.run(acts.FACTOR_HERE.set, 3)
    items = until_told(strategy, range(300))
    assert context.run(run, acts.times_factor_here, items, strategy=strategy) == list(range(0, 900, 3))
    assert "engine_acts.FACTOR_HERE has another value there" in strategy.controller.barred


def test_what_a_module_sets_moves():
    """A callable that uses what its module has set from the start may go."""
    strategy = outside()
    assert len(some_after_the_move(acts.times_factor, strategy, 500)) == 500
    assert not strategy.controller.barred


def test_a_large_value_is_judged_by_the_code():
    """What is too large to compare keeps a callable here only if its code stores anything."""
    table = list(range(300_000))

    def reads(item):
        return table[item]

    def writes(item):
        table[item] = -1

    def orders(items):
        return np.sort(items) + table[0]

    assert State(reads).changed() == ""
    assert State(orders).changed() == ""
    assert State(writes).changed() == "perhaps the enclosing 'table' (too large to be compared)"


@pytest.mark.parametrize(("before", "after"), [("a", "b"), (b"a", b"b"), ("a", b"a"), ("5", 5), (5, "5")])
def test_a_text_that_was_exchanged_is_seen(before, after):
    """It is compared itself, not a digest of it."""
    held = before

    def reads(item):
        return held, item

    state = State(reads)
    held = before * 1
    assert state.changed() == ""
    held = after
    assert state.changed() == "the enclosing 'held'"


def test_items_that_others_refer_to_have_not_changed():
    """To take something out of an item, and keep it, is no change."""
    items = json.loads('[{"id": "a1", "text": "one"}, {"id": "b2", "text": "two"}]')
    state = State(len, items)
    kept = [(item["id"], item["text"]) for item in items]
    assert not state.items_changed()
    items[0]["id"] = kept
    assert state.items_changed()


class Statistics:
    def __init__(self):
        self.lock = threading.Lock()
        self.counts = {"ok": 0}


def test_what_hangs_beside_a_lock_is_looked_at():
    """A value that cannot be pickled is looked at attribute by attribute."""
    statistics = Statistics()

    def count(item):
        with statistics.lock:
            statistics.counts["ok"] += item

    state = State(count)
    assert state.changed() == ""
    count(1)
    assert "'statistics'" in state.changed()


def test_what_hangs_on_what_hangs_beside_a_lock_is_looked_at():
    """The user's own objects are gone into, and what holds them: in a worker none of theirs has a pickle."""
    outer, inner = Statistics(), Statistics()
    outer.parts = [inner]

    def count(item):
        inner.counts["ok"] += item
        return outer

    state = State(lambda _: outer)
    assert state.changed() == ""
    count(1)
    assert "'outer'" in state.changed()


class Unruly(list):
    def __len__(self):
        msg = "not counted"
        raise RuntimeError(msg)


class Weightless:
    __slots__ = ("held",)

    def __sizeof__(self):
        msg = "not weighed"
        raise RuntimeError(msg)


@pytest.mark.parametrize(
    "held", [10**5000, Unruly(), [10**5000, threading.Lock()]], ids=["long", "unruly", "list"]
)
def test_what_has_no_words_is_looked_at_too(held):
    """Long integers have no repr, and methods of a user's own raise anything: no reason for a run to fail."""
    thing = Statistics()
    thing.held = held

    def reads(item):
        return held, thing, item

    assert State(reads, [Weightless(), thing]).lost_elsewhere() == ""


def test_a_long_integer_that_was_exchanged_is_seen():
    """As any other number."""
    held = 10**5000

    def reads(item):
        return held + item

    state = State(reads)
    held += 1
    assert state.changed() == "the enclosing 'held'"


def test_looking_at_a_large_item_copies_none_of_it():
    """However large what stands in it: it may fill half of the memory."""
    items = [(number, bytes(1 << 26)) for number in range(2)]
    tracemalloc.start()
    try:
        state = State(len, items)
        assert not state.items_changed()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1 << 24


class Registry:
    """Keeps in its class what all objects share."""

    numbers = iter(range(100))
    statistics = Statistics()

    def number(self, item):
        return item, next(self.numbers)

    def count(self, item):
        Registry.statistics.counts["ok"] += item


@pytest.mark.parametrize(
    ("call", "named"),
    [(Registry().number, "Registry.numbers"), (Registry().count, "Registry.statistics")],
    ids=["iterator", "object"],
)
def test_what_a_class_holds_is_looked_at(call, named):
    """An iterator that gives numbers to all objects, the one object that there is to be."""
    state = State(call)
    assert state.changed() == ""
    call(1)
    assert named in state.changed()


def test_functions_in_a_table_are_looked_into():
    """They are called by whoever has the table."""
    seen = []
    steps = Statistics()

    def keep(item):
        getattr(seen, "app" + "end")(item)  # which the code does not tell

    steps.hooks = {"each": [keep]}

    def call_all(item):
        return [hook(item) for hook in steps.hooks["each"]]

    state = State(call_all)
    assert state.changed() == ""
    call_all(1)
    assert state.changed() == "the enclosing 'seen'"


def test_what_the_first_call_imports_has_not_changed(tmp_path, monkeypatch):
    """Nobody could look at it before; from then on it counts."""
    (tmp_path / "imported_late.py").write_text("KEPT = []")
    monkeypatch.syspath_prepend(tmp_path)
    around = {}
    exec("def keep(item):\n    from imported_late import KEPT\n    return KEPT", around)
    keep = around["keep"]
    state = State(keep)
    kept = keep(1)
    assert state.changed() == ""
    state = State(keep)
    kept.append(1)
    assert state.changed() == "imported_late.KEPT"


def test_an_iterator_is_changed_by_whoever_uses_it():
    """A generator tells nothing of how far it is, and another process would begin with one of its own."""
    numbers = (number for number in range(100))

    def number_of(item):
        return item, next(numbers)

    assert "'numbers'" in State(number_of).changed()
