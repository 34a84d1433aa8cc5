"""What a callable and its items hold is looked at before a call and after: what is a change, what is none."""

import json
import logging
import sys
import threading
import tracemalloc
from collections import defaultdict
from enum import Flag
from functools import cache, cached_property
from importlib import import_module
from textwrap import dedent

import numpy as np
import pytest

from concurrent_choices._mutation import _state
from concurrent_choices._mutation._filled import without_filled
from concurrent_choices._mutation._state import MORE, State


@pytest.mark.parametrize(
    ("items", "exposed"),
    [([1, "a"], False), ([(1, ("a", None))], False), ([], False), ([1, {}], True), ([([],)], True)],
)
def test_where_a_callable_holds_nothing_its_items_may_be_changed(items, exposed):
    """Then workers are to look, and the first call is to end here before they have any."""
    assert State(lambda item: item, items).is_exposed == exposed


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


def fills_its_own(item):
    found = np.zeros(1)
    found[0] = TABLE[item]
    return found


def fills_what_it_is_given(item):
    table_of(item)[item] = -1


def table_of(_item):
    return TABLE


TABLE = list(range(300_000))


def test_what_is_large_is_looked_at_before_calls_that_tell_whether_they_change_it():
    """The call under way when it is looked at has perhaps changed it by then; the one after it tells."""
    state = State(fills_its_own)
    assert state.changed() == "perhaps the global 'TABLE' (too large to be compared)"
    assert [state.is_doubtful(done) for done in (1, 2, 3, 9)] == [True, True, False, False]
    assert state.changed() == ""


@pytest.mark.parametrize("whole", [False, True])
def test_a_change_far_inside_of_what_is_large_is_seen(whole):
    """Where it has been looked at whole, from the beginning or since."""
    TABLE[:] = range(300_000)
    state = State(fills_what_it_is_given, whole=whole)
    assert state.is_doubtful(1) != whole
    fills_what_it_is_given(len(TABLE) - 1)
    assert state.changed() == "the global 'TABLE'"


def test_what_calls_have_changed_by_then_is_not_looked_at_again():
    """It would be taken for what it was before them."""
    TABLE[:] = range(300_000)
    state = State(fills_what_it_is_given)
    fills_what_it_is_given(0)
    assert not state.is_doubtful(1)
    assert state.changed() == "the global 'TABLE'"


def test_what_is_large_is_compared_once():
    """It takes as long as to send it, which is done next, and workers look again."""
    TABLE[:] = range(300_000)
    state = State(fills_its_own)
    assert state.is_doubtful(1)
    assert [state.changed(), state.changed()] == ["", ""]
    TABLE[-1] = None
    assert state.changed() == ""


def test_what_is_large_and_exchanged_meanwhile_has_changed():
    """Another of the same beginning may hold anything further on."""
    held = list(range(300_000))

    def fills(item):
        found = np.zeros(1)
        found[0] = held[item]

    state = State(fills)
    assert state.is_doubtful(1)
    held = [*held]
    assert state.changed() == "the enclosing 'held'"


def test_of_what_is_too_large_even_for_that_the_code_is_judged():
    """To compare it would take longer than to send it."""
    table = np.zeros(3_000_000)

    def fills(item):
        found = np.zeros(1)
        found[0] = table[item]

    state = State(fills, whole=True)
    assert state.changed() == "perhaps the enclosing 'table' (too large to be compared)"


def test_what_a_librarys_object_leaves_out_of_its_pickle_is_no_change(tmp_path, monkeypatch):
    """Such as numba's compiled code, which each process makes for itself; of one's own objects it counts."""
    code = """
        class Compiled:
            def __init__(self):
                self.versions = {}

            def __reduce__(self):
                return Compiled, ()

            def __call__(self, item):
                self.versions[type(item)] = True
                return item
    """
    (folder := tmp_path / "site-packages").mkdir()
    for path in (folder / "compiling.py", tmp_path / "compiling_here.py"):
        path.write_text(dedent(code))
        monkeypatch.syspath_prepend(path.parent)
        monkeypatch.delitem(sys.modules, path.stem, raising=False)
    fast, own = import_module("compiling").Compiled(), import_module("compiling_here").Compiled()
    assert [_changed_by_one_call(each) for each in (fast, own)] == ["", "it"]


def _changed_by_one_call(held):
    state = State(held)
    held(1)
    return state.changed()


class Model:
    def __init__(self, lock=None):
        self.lock = lock

    @cached_property
    def weights(self):
        return [1, 2]


class Closing(Model):
    def __del__(self):
        self.lock = None


@pytest.mark.parametrize("lock", [None, threading.Lock()], ids=["pickle", "no pickle"])
def test_what_an_object_computes_once_and_keeps_is_no_change(lock):
    """Another process computes it for itself; what becomes of it later on is a change."""
    model = Model(lock)
    state = State(lambda _item: model)
    assert model.weights
    assert [state.changed(), state.changed()] == ["", ""]
    model.weights.append(3)
    assert state.changed() == "the enclosing 'model'"


class Report:
    @cached_property
    def first(self):
        return 1

    @cached_property
    def last(self):
        return 2


def test_what_was_computed_before_stays():
    """It is part of the object, and another process has it as well."""
    report = Report()
    assert report.first == 1
    state = State(lambda _item: report)
    assert report.last == 2
    assert state.changed() == ""
    report.first = 3
    assert state.changed() == "the enclosing 'report'"


class Table(dict):
    @cached_property
    def first(self):
        return min(self)


def test_a_dictionary_that_computes_something_has_changed():
    """A registry of a library's may be one, of sessions with a database in memory that workers have not."""
    table = Table(a=1, z=2)
    state = State(lambda _item: table)
    assert table.first == "a"
    assert state.changed() == "the enclosing 'table'"


def test_what_an_object_is_given_beside_what_it_computes_is_a_change():
    """All but what it has computed has to be what it was."""
    model = Model()
    state = State(lambda _item: model)
    assert model.weights
    model.name = "new"
    assert state.changed() == "the enclosing 'model'"


def test_an_object_that_closes_something_has_no_double():
    """That would be closed as soon as it has been looked at, and what both of them hold."""
    assert without_filled(Model(), ()) is None
    closing, model = object.__new__(Closing), Model()
    for each in (closing, model):
        each.__dict__["weights"] = []
    assert without_filled(closing, ()) is None
    assert without_filled(model, ()).__dict__ == {"lock": None}


def test_an_item_that_has_computed_something_has_changed():
    """Whoever has calls do that, for many, may want to have it in them afterwards."""
    model = Model()
    state = State(len, [model])
    assert model.weights
    assert state.items_changed()


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


def test_a_long_integer_that_was_exchanged_is_seen():
    """As any other number."""
    held = 10**5000

    def reads(item):
        return held + item

    state = State(reads)
    held += 1
    assert state.changed() == "the enclosing 'held'"


def test_more_items_are_looked_at_where_the_first_are_no_examples(monkeypatch):
    """Of rows some may lack what calls fill in."""
    monkeypatch.setattr(_state, "_LONGEST", 60)
    rows = [[number] for number in range(MORE)]
    state = State(lambda item: item, [1, 2])
    assert not state.is_exposed
    state.look_also(rows)
    assert state.is_exposed
    assert not state.items_changed()
    rows[-1].append(1)
    assert state.lost_elsewhere() == "their items"


def test_to_look_at_more_items_takes_a_moment(monkeypatch):
    """Calls go on meanwhile, and would have to wait for it."""
    monkeypatch.setattr(_state, "_LONGEST", 0)
    rows = [[number] for number in range(MORE)]
    state = State(len)
    state.look_also(rows)
    rows[-1].append(1)
    assert not state.items_changed()


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


def test_what_a_dictionary_makes_of_its_default_is_no_change():
    """To ask for what it has not is no more than to look; to put something there is a change."""
    found = defaultdict(list)
    state = State(lambda item: found[item])
    assert found[3] == []
    assert state.changed() == ""
    found[3].append(1)
    assert state.changed() == "the enclosing 'found'"


@cache
def notes_kept():
    return []


@cache
def client_kept():
    return Client()


class Client:
    def __init__(self):
        self.requests = 0

    def ask(self, item):
        self.requests += 1
        return item


def puts_into_what_is_kept(item):
    getattr(notes_kept(), "app" + "end")(item)  # which the code does not tell


def test_what_a_cached_function_keeps_is_looked_at():
    """Each process makes it once, which is no change; what becomes of it from then on is one."""
    notes_kept.cache_clear()
    state = State(puts_into_what_is_kept)
    puts_into_what_is_kept(1)
    assert state.changed() == ""
    notes_kept.cache_clear()
    assert state.changed() == ""
    notes_kept().append(1)
    assert state.changed() == ""
    puts_into_what_is_kept(2)
    assert state.changed() == "what the global 'notes_kept' keeps"


def test_what_a_client_counts_for_itself_is_left_alone():
    """There is one in each process, behind a cached function, which is what those are for."""
    client_kept.cache_clear()
    state = State(lambda item: client_kept().ask(item))
    assert (client_kept().ask(1), client_kept().ask(2), state.changed()) == (1, 2, "")
    state = State(lambda item: client_kept().ask(item))
    assert (client_kept().ask(3), state.changed()) == (3, "")


def reads_by_its_name(_item):
    return globals()["BY_NAME"]


BY_NAME = []


def test_a_global_that_is_looked_up_by_its_name_is_looked_at():
    """As long as the code has the name."""
    state = State(reads_by_its_name)
    reads_by_its_name(1).append(1)
    assert state.changed() == "the global 'BY_NAME'"


def test_a_cached_function_that_does_not_tell_what_it_is_around():
    """It is called as any other, and what it keeps is its own."""
    kept = cache(list)
    kept().append(1)
    del kept.__wrapped__
    state = State(lambda item: (item, kept()))
    kept().append(2)
    assert state.changed() == ""
