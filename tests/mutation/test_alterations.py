"""What a callable changes of what it holds or is given, told from its code before a call has got there."""

import sys
import textwrap
from dataclasses import dataclass
from functools import lru_cache, partial, singledispatch
from importlib import import_module

import pytest
from storing_callables import (
    counts,
    forgets,
    keeps,
    keeps_inside,
    keeps_its_own,
    loads_once,
    log,
    reads,
    replaces_between,
    table,
)

from concurrent_choices import run
from concurrent_choices._mutation._alterations import altered_by, alters_items


def keeps_by_another(item):
    return keeps(item)


def keeps_late(item):
    if item > 1000:
        table[item] = item


def keeps_by_default(item, seen=[]):  # noqa: B006 - it is to last from call to call
    if item > 1000:
        seen.append(item)


def counts_by_default(item, *, seen={}):  # noqa: B006 - as above
    seen[item] = item


def has_defaults(item, seen=(), last=None, *, kept=[]):  # noqa: B006 - as above
    last = item
    return last, seen, kept


def enclosing():
    seen = set()

    def note(item):
        seen.add(item)

    return note


def unbound():
    def note(item):
        later.append(item)

    if log:
        later = []
    return note


def keeps_by_import(item):
    from storing_callables import keeps as keeps_it

    keeps_it(item)


def keeps_by_module():
    import storing_callables as others

    def keep(item):
        return others.keeps(item)

    return keep


def keeps_by_table():
    tables = {"each": [len, keeps]}
    return lambda item: [step(item) for step in tables["each"]]


class Keeper:
    def keep(self, item):
        log.append(item)


keeps_cached = lru_cache(keeps)
keeps_dispatched = singledispatch(keeps)


class Pipeline:
    def __init__(self, step):
        self.step = step

    def go(self, item):
        return self.step(item)


@dataclass
class Row:
    """Its repr is the standard library's, and keeps a set of who is at it."""

    number: int


def makes_rows(item):
    return Row(item)


def has_methods_of_those_names(item):
    """Neither is the function of this module that changes what it holds."""
    return item.keeps(), item.table


def runs_another(item):
    return run(reads, [item])


@pytest.mark.parametrize(
    ("fn", "named"),
    [
        (keeps, "the global 'log'"),
        (keeps_by_another, "the global 'log'"),
        (keeps_inside, "the global 'log'"),
        (counts, "the global 'table'"),
        (forgets, "the global 'table'"),
        (replaces_between, "the global 'log'"),
        (keeps_late, "the global 'table'"),
        (enclosing(), "the enclosing 'seen'"),
        (keeps_by_default, "its defaults"),
        (counts_by_default, "its defaults"),
        (Keeper().keep, "the global 'log'"),
        (partial(keeps), "the global 'log'"),
        (keeps_cached, "the global 'log'"),
        (keeps_dispatched, "the global 'log'"),
        (Pipeline(keeps).go, "the global 'log'"),
        (Pipeline([keeps]).go, "the global 'log'"),
        (keeps_by_import, "the global 'log'"),
        (keeps_by_module(), "the global 'log'"),
        (keeps_by_table(), "the global 'log'"),
    ],
)
def test_a_container_that_the_code_changes_is_named(fn, named):
    """By a method that changes it, or by an index; on whatever path, and through functions that are used."""
    assert altered_by(fn) == named


@pytest.mark.parametrize(
    "fn",
    [
        reads,
        loads_once,
        has_methods_of_those_names,
        runs_another,
        keeps_its_own,
        makes_rows,
        has_defaults,
        unbound(),
        len,
    ],
)
def test_what_is_read_or_bound_anew_or_its_own_is_not(fn):
    """A process that loads something for itself, once, changes nothing for others; nor does library code."""
    assert altered_by(fn) == ""


DECORATORS = """
def retry(fn):
    def wrapper(item):
        figures = wrapper.figures
        figures.clear()
        return fn(item)

    wrapper.figures = {}
    return wrapper


def cached(kept):
    def wrapper(item):
        kept[item] = item
        return item

    return wrapper
"""


def test_what_a_librarys_decorator_notes_in_its_own_function_is_not(tmp_path, monkeypatch):
    """As tenacity does how often it has tried; what it was given to fill is the user's."""
    (folder := tmp_path / "site-packages").mkdir()
    (folder / "decorating.py").write_text(DECORATORS)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "decorating", raising=False)
    decorating = import_module("decorating")
    assert altered_by(decorating.retry(reads)) == ""
    assert altered_by(decorating.cached({})) == "the enclosing 'kept'"


class Task:
    def __init__(self):
        self.parts = []
        self.count = 0
        self.form = Task  # has a method that is called as one of a list

    def finish(self, item):
        if item.count > 1000:
            item.done = True

    def copy(self, item):
        self.last = item.count

    def insert(self, _number):
        return self


def finishes_late(item):
    if item.count > 1000:
        item.done = True


def counts_late(item):
    if item.count > 1000:
        item.count += 1


def forgets_late(item):
    if item.count > 1000:
        del item.count


def gathers_late(item):
    if item.count > 1000:
        item.parts.append(1)


def orders_parts(item):
    item.parts.sort()


def replaces_parts(item):
    item.parts[1:2] = [0]


def adds_to_parts(item):
    item.parts += [0]


def adds(item):
    item["sum"] += 1


def sets_second(_first, item):
    item.done = True


@pytest.mark.parametrize(
    ("fn", "item"),
    [
        (finishes_late, Task()),
        (counts_late, Task()),
        (forgets_late, Task()),
        (gathers_late, Task()),
        (orders_parts, Task()),
        (replaces_parts, Task()),
        (adds_to_parts, Task()),
        (adds, {}),
        (lambda pair: pair.append(2), []),
        (Task().finish, Task()),
        (partial(Task().finish), Task()),
        (partial(sets_second, 1), Task()),
    ],
)
def test_what_changes_its_item(fn, item):
    """Told from the code, even where no call has got to it."""
    assert alters_items(fn, [item])


def binds_it_anew(item):
    item = dict(item)
    item["sum"] = 1
    return item


def keeps_it_inside(item):
    own, table = [], {}
    own.append(item)
    own[0] = item.parts
    table[item.count] = item
    return own, table


def has_a_method_of_that_name(item):
    return item.insert(1), item.form.insert(item, 1)


def of_many(*items):
    items[0].done = True


@pytest.mark.parametrize(
    ("fn", "item"),
    [
        (binds_it_anew, {}),
        (keeps_it_inside, Task()),
        (has_a_method_of_that_name, Task()),
        (of_many, Task()),
        (Task().copy, Task()),
        (partial(sets_second, Task(), 1), Task()),
        (len, []),
        (textwrap.indent, "text"),
    ],
)
def test_what_leaves_its_item_alone(fn, item):
    """What has no name of its own for it, or changes another thing, does not count."""
    assert not alters_items(fn, [item])
