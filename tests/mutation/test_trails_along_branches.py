"""What code changes is found along its branches, where a value has come by one of several ways."""

import pytest
from array_callables import numbers, table

from concurrent_choices._mutation._alterations import altered_by, alters_items

hits, misses = [1], [2]
groups = {"a": [1], "b": [2]}
counts = {"odd": 0, "even": 0}


def by_a_condition(item):
    (hits if item else misses).append(item)


def by_a_choice(item):
    (hits or misses).append(item)


def by_a_variable_of_a_choice(item):
    found = item and hits
    found.append(item)


def at_an_index_of_a_condition(item):
    counts["odd" if item % 2 else "even"] += 1


def by_a_variable_with_two_values(item):
    found = hits
    if item > 3:
        found = misses
    found.append(item)


def by_a_parameter_that_was_left_out(item, found=None):
    if found is None:
        found = hits
    found.append(item)


def by_a_variable_that_an_error_gives(item):
    found = []
    try:
        found = item.found
    except AttributeError:
        found = misses
    found.append(item)


def each_of_two(item):
    for found in (hits, misses):
        found.append(item)


def one_of_two(item):
    [hits, misses][item % 2].append(item)


def one_of_four(item):
    one, two, three, four = item, hits, [], ()
    two.append((one, three, four))


def what_is_got(item):
    groups.get(item).append(item)


def what_is_got_or_made(item):
    found = groups.get(item) or []
    found.append(item)


def an_attribute_by_its_name(item):
    getattr(each_of_two, "found").append(item)  # noqa: B009 - what is looked for


each_of_two.found = []


def part_of_an_array(item):
    part = numbers[1:]
    part += item


def row_of_an_array(item):
    for row in table:
        row += item  # noqa: PLW2901 - what is looked for


def first_row_of_an_array(item):
    row = table[0]
    row[:] = item


def an_array_that_is_turned(item):
    table.T[0] = item


def an_array_in_another_shape(item):
    table.reshape(-1)[0] = item


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (by_a_condition, "the global 'hits'"),
        (by_a_choice, "the global 'hits'"),
        (by_a_variable_of_a_choice, "the global 'hits'"),
        (at_an_index_of_a_condition, "the global 'counts'"),
        (by_a_variable_with_two_values, "the global 'hits'"),
        (by_a_parameter_that_was_left_out, "the global 'hits'"),
        (by_a_variable_that_an_error_gives, "the global 'misses'"),
        (each_of_two, "the global 'misses'"),
        (one_of_two, "the global 'hits'"),
        (one_of_four, "the global 'hits'"),
        (what_is_got, "the global 'groups'"),
        (what_is_got_or_made, "the global 'groups'"),
        (an_attribute_by_its_name, "the global 'each_of_two'"),
        (part_of_an_array, "the global 'numbers'"),
        (row_of_an_array, "the global 'table'"),
        (first_row_of_an_array, "the global 'table'"),
        (an_array_that_is_turned, "the global 'table'"),
        (an_array_in_another_shape, "the global 'table'"),
    ],
)
def test_what_may_be_changed_on_some_branch(fn, words):
    """Whichever of the ways a call takes."""
    assert altered_by(fn) == words


def copies_on_every_branch(item):
    found = hits
    found = [*found] if item else list(found)
    found.append(item)
    one, two, three, four = item, hits, [], ()
    three.append((one, two, four))


def asks_on_the_way(item):
    found = hits if item else None
    if found:
        found = item
    return hits[0 if item else 1], groups.get(item), counts.get(item, 0), found


def copies_arrays(item):
    part = numbers[numbers > item]
    part += item
    number = numbers[0]
    number += item
    row = table[item]
    row = row * 2
    row += 1
    again = table.copy()
    again += 1
    return table.reshape(-1), table.T, again


def names_a_method_that_it_has_not(item):
    groups.append(item)


@pytest.mark.parametrize(
    "fn", [copies_on_every_branch, asks_on_the_way, copies_arrays, names_a_method_that_it_has_not]
)
def test_what_is_changed_on_no_branch(fn):
    """Where a variable has another value on each way to a change, the first one stays as it was."""
    assert altered_by(fn) == ""


def clears_a_part(item):
    part = item[1:]
    part[:] = 0


def test_a_part_of_an_item_that_shows_what_is_in_it():
    """That is one of an array; a part of a list is a copy."""
    assert alters_items(clears_a_part, [numbers])
    assert not alters_items(clears_a_part, [[1, 2]])
