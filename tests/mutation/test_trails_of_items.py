"""What callables change of the items they are given is found, and what they only take from is left alone."""

import heapq
import random
from collections import defaultdict

import pytest
from array_callables import numbers
from trail_callables import Tally, tally
from trail_hands import handed_on, into, reads

from concurrent_choices._mutation._alterations import alters_items

groups = defaultdict(list)


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
