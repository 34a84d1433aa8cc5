"""Whether a callable stores anything outside its own variables, told from its code before it has done so."""

import heapq
import json
import operator
import random
import sys
import wsgiref
from bisect import insort
from collections import defaultdict

import numpy as np
import pytest
import storing_callables
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
)

from concurrent_choices._mutation._stores import may_store


def squares(count):
    found = []
    for number in range(count):
        found.append(number * number)  # noqa: PERF401 - what is looked at
    return found


def counted_in_place(words):
    counts = defaultdict(int)
    for word in words:
        counts[word] += 1
    return counts


def distinct(words):
    seen = set()
    lengths = {"": 0}
    for word in words:
        seen.add(word)
        lengths[word] = len(word)
    del lengths[""]
    return sorted(seen), lengths


def ordered(words):
    found = sorted(words)
    found.reverse()
    return found


def sometimes_its_own(item):
    found = log if item else []
    found.append(item)


def seldom_its_own(item):
    found = log or []
    found.append(item)


def by_another_name(item):
    found = []
    found = log
    found.append(item)


def of_the_caller(item, found=None):
    found = [] if found is None else found
    found.append(item)


def of_one_of_two(item):
    own = []
    (log if item else own).append(item)


def counting():
    total = 0

    def count(item):
        nonlocal total
        total += item
        return total

    return count


def sorts_numbers(items):
    return np.sort(items), np.append(items, 1), np.insert(items, 0, 1)


def joins_texts(texts):
    return np.char.add(texts, "!")


def imports_on_the_spot(items):
    import numpy as np

    return np.append(items, 1), np.char.add(items, "!")


def asks_a_module_that_is_not_there_yet(item):
    return wsgiref.headers.add(item)


def imports_its_own_module(item):
    import storing_callables as others

    others.append(item)


def imports_one_of_two(item):
    import numpy as np

    if item:
        np = log
    np.append(item)


def heaps_its_own(items):
    heap = list(items)
    heapq.heapify(heap)
    random.shuffle(heap)
    return heapq.heappop(heap)


def looks_at(table, item):
    return table.at[item]


def pushes(item):
    heapq.heappush(log, item)


def inserts(item):
    insort(log, item)


def copies_to(item):
    np.copyto(log, item)


def puts(item):
    np.put(log, [0], item)


def puts_its_own_in_another(item):
    found = [item]
    log.put(found)


def adds_at(item):
    np.add.at(log, [0], item)


def sets_by_operator(item):
    operator.setitem(log, 0, item)


def sets_by_name(item):
    setattr(item, "name" if item else "other", 1)


def fills(item):
    item.fill(0)


def asks_its_own_module(item):
    storing_callables.append(item)


def adds_to_what_a_library_has(item):
    sys.path.append(item)


def adds_to_what_a_library_makes_when_asked(item):
    json.table.append(item)


def sets_an_attribute(item):
    own = []
    item.parts = own


@pytest.mark.parametrize("fn", [squares, counted_in_place, distinct, ordered, keeps_its_own, reads])
def test_what_it_has_made_itself_may_be_changed(fn):
    """Nobody else sees it, in whatever process."""
    assert not may_store(fn)


@pytest.mark.parametrize(
    "fn",
    [
        sorts_numbers,
        joins_texts,
        asks_a_module_that_is_not_there_yet,
        imports_on_the_spot,
        heaps_its_own,
        looks_at,
    ],
)
def test_what_only_has_the_name_of_a_change_does_not_count(fn):
    """A library's function is no method, and one that changes what it is given may be given one's own."""
    assert not may_store(fn)


@pytest.mark.parametrize(
    "fn",
    [
        keeps,
        counts,
        forgets,
        replaces_between,
        keeps_inside,
        sometimes_its_own,
        seldom_its_own,
        by_another_name,
        of_the_caller,
        of_one_of_two,
        pushes,
        inserts,
        copies_to,
        puts,
        puts_its_own_in_another,
        adds_at,
        sets_by_operator,
        sets_by_name,
        fills,
        asks_its_own_module,
        imports_its_own_module,
        imports_one_of_two,
        adds_to_what_a_library_has,
        adds_to_what_a_library_makes_when_asked,
        counting(),
        sets_an_attribute,
        loads_once,
        len,
    ],
)
def test_what_may_be_anybody_elses_counts(fn):
    """On whatever path, and where the code does not tell whose it is."""
    assert may_store(fn)
