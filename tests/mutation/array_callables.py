"""Callables that change arrays, and that do not."""

from array import array

import numpy as np

numbers, table = np.zeros(3), np.zeros((2, 2))
generator = np.random.default_rng(1)
figures = array("d", [0.0])
rows = [[1], [2]]


def shuffles_an_array(item):
    if item > 1000:
        np.random.shuffle(numbers)  # noqa: NPY002 - people write that, too


def shuffles_an_array_by_another(item):
    generator.shuffle(numbers)


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


def reads_arrays(item):
    found = np.zeros(3)
    np.add.at(found, item, numbers)
    np.put(found, item, numbers)
    np.add(numbers, where=numbers, out=found) and item(rows, out=rows)
    found[item] = numbers[item] + np.add(numbers, item) + np.add.reduce(numbers)
    return np.sort(numbers), numbers.copy(), numbers.sum()


def fills_its_own(item):
    found = np.zeros(3)
    np.add(numbers, item, found)
    np.multiply(numbers, numbers, found)
    return np.add(numbers, numbers), np.maximum(numbers, item)
