"""What a callable changes of what it holds, told from its code before it has done so."""

from functools import partial

import pytest

from concurrent_choices._work._stores import altered_by

log = []
table = {}
loaded = None


def keeps(item):
    log.append(item)


def keeps_by_another(item):
    return keeps(item)


def counts(item):
    table[item] += 1


def forgets(item):
    del table[item]


def keeps_inside(items):
    return [log.append(item) for item in items]


def keeps_late(item):
    if item > 1000:
        table[item] = item


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


class Keeper:
    def keep(self, item):
        log.append(item)


def reads(item):
    found = {}
    found[item] = table.get(item)
    return found, log[:1], table < found < table


def loads_once(item):
    global loaded  # noqa: PLW0603 - what is looked for
    if loaded is None:
        loaded = [1]
    return loaded[0] + item


def keeps_its_own(item):
    own = []
    own.append(item)
    return own


@pytest.mark.parametrize(
    ("fn", "named"),
    [
        (keeps, "the global 'log'"),
        (keeps_by_another, "the global 'log'"),
        (keeps_inside, "the global 'log'"),
        (counts, "the global 'table'"),
        (forgets, "the global 'table'"),
        (keeps_late, "the global 'table'"),
        (enclosing(), "the enclosing 'seen'"),
        (Keeper().keep, "the global 'log'"),
        (partial(keeps), "the global 'log'"),
    ],
)
def test_a_container_that_the_code_changes_is_named(fn, named):
    """By a method that changes it, or by an index; on whatever path, and through functions that are used."""
    assert altered_by(fn) == named


@pytest.mark.parametrize("fn", [reads, loads_once, keeps_its_own, unbound(), len])
def test_what_is_read_or_bound_anew_or_its_own_is_not(fn):
    """A process that loads something for itself, once, changes nothing for others."""
    assert altered_by(fn) == ""
