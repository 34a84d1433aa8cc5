"""Classes of a script go to workers by value and come back with results: its own stay as they are."""

from __future__ import annotations

import pytest

from interpreters import printed

SCRIPT = """
import enum
from concurrent_choices import AdaptiveExecutor, ProcessStrategy, recommend, run

factor = 1

class Color(enum.Enum):
    RED = 1

class Point:
    made, scale, kinds = 0, 2, dict(color=Color.RED)

    def __init__(self, x):
        self.x = x

    def scaled(self):
        return self.x * factor * self.scale

def made(x):
    Point.made = 5
    sum(range(20_000))
    return Point(x)

def scaled(point):
    return point.scaled()

def own():
    return Point.__init__, Point.scaled, Point.kinds, Color.RED, Point.kinds["color"]

before = own()

def done():
    with WAY as way:
        return run(made, range(300), strategy=way)

points = done()
factor = 10
print(all(was is now for was, now in zip(before, own())), [type(each) is Point for each in points[:2]])
print(points[1].scaled(), Point(1).scaled(), Point.made)

with WAY as workers:
    print(run(scaled, [Point(1)], strategy=workers))
    Point.scale = 3
    print(run(scaled, [Point(1)], strategy=workers))
"""


@pytest.mark.parametrize("way", ["ProcessStrategy(1)", "ProcessStrategy(1, start_method='fork')"])
def test_results_leave_the_classes_of_a_script_as_they_are(way, tmp_path):
    """Methods and data stay the very same and see what is set later; workers are told of what is changed."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("WAY", way))
    assert printed(script) == ["True [True, True]", "20 20 0", "[20]", "[30]"]


SLOTTED = """
from abc import ABC
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar
from concurrent_choices import run

@dataclass(slots=True)
class Point:
    n: int

class Base:
    __slots__ = ("n",)

    def __init__(self, n):
        self.n = n

class Derived(Base, ABC, Generic[TypeVar("T")]):
    __slots__ = "more"

class Hidden(Base):
    __slots__ = {"__own": "told in its documentation"}

    def __init__(self, n):
        super().__init__(n)
        self.__own = n

class Open(Base):
    __slots__ = ("__dict__", "__weakref__")

class Bare:
    __slots__ = ()

class OnBare(Bare):
    __slots__ = ("n", "__weakref__")

    def __init__(self, n):
        self.n = n

class Named(NamedTuple):
    n: int

class OnNamed(Named):
    __slots__ = ()

def moved(point):
    return type(point)(point.n + 1)

def taken(point, name="unknown"):
    try:
        setattr(point, name, 1)
    except AttributeError:
        return False
    return True

for kind in Point, Base, Derived, Hidden, Open, OnBare, Named, OnNamed:
    (point,) = run(moved, [kind(1)], strategy="process")
    print(kind.__name__, type(point) is kind, point.n, *run(taken, [point], strategy="process"), taken(point))
"""


def test_objects_with_slots_come_back_to_a_script(tmp_path):
    """In a worker, too, they have a `__dict__` only where they have one in the script."""
    script = tmp_path / "script.py"
    script.write_text(SLOTTED)
    kinds = ["Point", "Base", "Derived", "Hidden", "Open", "OnBare", "Named", "OnNamed"]
    assert printed(script) == [f"{kind} True 2 {kind == 'Open'} {kind == 'Open'}" for kind in kinds]
