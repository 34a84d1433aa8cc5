"""A callable whose code comes to a change with late items only stays here before it has made one."""

import heapq
from functools import partial

import engine_acts as acts
import pytest
from engine_fakes import ALONE, PAIR, ScriptedStrategy
from engine_moves import outside

from concurrent_choices import run


def test_no_second_lane_computes_what_may_come_to_change_its_surroundings():
    """No call has changed anything yet; the code says that one may."""
    late.seen.clear()
    strategy = ScriptedStrategy(ALONE, PAIR)
    assert run(late.by_a_list, range(300), strategy=strategy) == list(range(300))
    assert late.seen == list(range(250, 300))
    assert strategy.controller.apart == "calls change its object"


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
