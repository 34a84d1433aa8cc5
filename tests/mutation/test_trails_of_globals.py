"""What callables change of what they hold is named: globals, imports, what encloses them or is bound."""

import bisect
import heapq
import operator
import random
from collections import Counter, defaultdict, deque
from functools import partial
from itertools import count
from types import SimpleNamespace

import pytest
import trail_callables as own
from array_callables import (
    adds_at_indices,
    adds_in_an_array,
    copies_to_an_array,
    fills_an_array,
    fills_by_name,
    fills_by_name_in_a_tuple,
    fills_by_place,
    puts_into_an_array,
    sets_in_an_array,
    sets_in_an_array_of_pythons_own,
    shuffles_an_array,
    shuffles_an_array_by_another,
    sorts_an_array,
)
from trail_callables import Tally, tally
from trail_hands import into, marks

from concurrent_choices._mutation._alterations import altered_by

groups = defaultdict(list)
counts = defaultdict(Counter)
nested = {"k": [], "number": 1}
rows = [[1], [2]]
tables = {"k": [1]}
deep = ([{}], [{}])
pairs = ([], 1)
heap = []
order = deque()
counted = 0
numbers_left = count()
settings = SimpleNamespace(seen=[], depth=1)
record = tally.record


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
