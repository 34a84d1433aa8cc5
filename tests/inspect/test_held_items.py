"""A callable that finds its items among what it holds would not find copies of them there."""

import enum

import pytest

from concurrent_choices import run, run_report
from concurrent_choices._inspect._captured import reached_from
from concurrent_choices._inspect._held_items import holds_items


class Node:
    """Is equal to itself alone."""

    def __init__(self):
        self.number = 1


class Equal(Node):
    def __eq__(self, other):
        return type(other) is Equal

    def __hash__(self):
        return 1


class Unhashable(Node):
    def __hash__(self):
        raise ValueError


class ByName(Node):
    def __reduce__(self):
        return "BY_NAME"


class Colour(enum.Enum):
    RED = 1


class Graph:
    __slots__ = ("edges",)

    def __init__(self, *nodes):
        self.edges = {node: [] for node in nodes}


NODE = Node()


def looking_up(held):
    return lambda item: held[item]


def comparing(held):
    return lambda item: [item is each for each in held]


def finding(held):
    return lambda item: 1 + held.index(item)


def going_through(held):
    return lambda item: [item.number + each.number for each in held]


@pytest.mark.parametrize(
    ("fn", "item"),
    [
        (looking_up({NODE: 1}), NODE),
        (looking_up({NODE: 1}), (2, NODE)),
        (looking_up([{1: {NODE}}]), NODE),
        (looking_up(Graph(NODE)), NODE),
        (comparing([Node(), NODE]), NODE),
        (finding((Node(), NODE)), NODE),
        (lambda item: item in Graph(NODE).edges or item in NODES, NODE),
    ],
)
def test_what_holds_the_items_themselves(fn, item):
    """They are told by their identity."""
    assert "holds its items themselves" in holds_items(reached_from(fn), [item])


NODES = [NODE]


@pytest.mark.parametrize(
    ("fn", "item"),
    [
        (looking_up({NODE: 1}), Node()),
        (going_through([NODE]), NODE),
        (looking_up({Equal(): 1}), Equal()),
        (looking_up({Colour.RED: 1}), Colour.RED),
        (looking_up({len: 1, Node: 2}), len),
        (looking_up({ByName(): 1}), ByName()),
        (looking_up({"a": 1}), "a"),
        (looking_up({1: 1}), Unhashable()),
        (looking_up({None: 1}), None),
        (comparing([1, None]), ("a", None)),
        (finding((..., NotImplemented)), (NotImplemented, ...)),
        (lambda item, other=None: item is other, ("a", None)),
    ],
)
def test_what_finds_a_copy_as_well(fn, item):
    """It holds others, or such as are equal to a copy, or are not looked for."""
    assert holds_items(reached_from(fn), [item]) == ""


def test_nodes_are_found_in_their_graph():
    """The callable stays, and its report says why."""
    graph = Graph(*(Node() for _ in range(300)))

    def degree(node):
        sum(range(100_000))
        return graph.edges.get(node)

    assert run(degree, graph.edges) == [[]] * 300
    assert "process" not in {step.stage for step in run_report().steps}
