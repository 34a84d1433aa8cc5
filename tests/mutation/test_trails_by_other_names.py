"""What is changed in its place by a variable, a method that was taken from it or an operator is found."""

from collections import ChainMap, UserDict, UserList
from functools import partial
from io import BytesIO, StringIO

import pytest
from array_callables import numbers

from concurrent_choices._mutation._alterations import altered_by, alters_items

rows = [1]
texts, parts = StringIO(), BytesIO()
layers, table, listed = ChainMap({}), UserDict(), UserList()
emit = rows.append


class Store:
    """Keeps things, by operators."""

    def __init__(self):
        self.kept = {}
        self.asked = 0
        self.rows = [1]

    def __setitem__(self, key, value):
        self.kept[key] = value

    def __delitem__(self, key):
        self.kept.pop(key)

    def __getitem__(self, key):
        self.asked += 1
        return self.kept[key]

    def __contains__(self, key):
        self.asked = self.asked + 1
        return key in self.kept

    def extends(self, item):
        found = self.rows
        if item > 1000:
            found += [item]


class Table:
    """Looks things up, and leaves them alone."""

    def __init__(self):
        self.kept = {}

    def __getitem__(self, key):
        return self.kept[key]

    def __contains__(self, key):
        return key in self.kept


store, read = Store(), Table()


def extends(item):
    found = rows
    found += [item]


def extends_in_a_loop(items):
    found = rows
    for item in items:
        found += [item]


def adds_to_an_array(item):
    found = numbers
    found *= item


def extends_what_it_was_given(found, item):
    found += [item]


def emits(item):
    emit(item)


def emits_each(items):
    return list(map(emit, items))


def emits_by_default(item, emit=rows.append):
    emit(item)


def writes(item):
    texts.write(item)


def writes_bytes(item):
    parts.write(item)


def sets_in_layers(item):
    layers[item] = item


def sets_in_a_table(item):
    table[item] = item


def adds_to_a_list(item):
    listed.append(item)


def sets_in_a_store(item):
    store[item] = item


def deletes_in_a_store(item):
    del store[item]


def asks_a_store(item):
    return store[item]


def asks_whether_a_store_has(item):
    return item in store


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (extends, "the global 'rows'"),
        (extends_in_a_loop, "the global 'rows'"),
        (adds_to_an_array, "the global 'numbers'"),
        (partial(extends_what_it_was_given, []), "its bound arguments"),
        (store.extends, "its object"),
        (emits, "the global 'emit'"),
        (emits_each, "the global 'emit'"),
        (emits_by_default, "its defaults"),
        (writes, "the global 'texts'"),
        (writes_bytes, "the global 'parts'"),
        (sets_in_layers, "the global 'layers'"),
        (sets_in_a_table, "the global 'table'"),
        (adds_to_a_list, "the global 'listed'"),
        (sets_in_a_store, "the global 'store'"),
        (deletes_in_a_store, "the global 'store'"),
        (asks_a_store, "the global 'store'"),
        (asks_whether_a_store_has, "the global 'store'"),
    ],
)
def test_what_is_changed_in_its_place(fn, words):
    """It is the thing itself that changes, whatever stands for it."""
    assert altered_by(fn) == words


def test_an_item_that_is_extended_in_its_place():
    """A variable of its own is what it stands for; a number is another one afterwards."""
    assert alters_items(partial(extends_what_it_was_given), [[]])
    assert not alters_items(adds_up, [1])


def adds_up(item):
    item += 1
    number = len(rows)
    number += item
    found = rows[0]
    found += number
    return found


def extends_a_copy(item):
    found = rows
    found = [*found, item]
    found += [item]
    made = rows[:]
    made += found
    return made


def reads(item):
    size = rows.count
    return read[item], item in read, size(item), texts.getvalue(), table.get(item), layers[item]


@pytest.mark.parametrize("fn", [adds_up, extends_a_copy, reads])
def test_what_is_changed_of_copies(fn):
    """What a call has made itself is its own, and what is read stays."""
    assert altered_by(fn) == ""
