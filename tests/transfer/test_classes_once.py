"""What is done as a class is made, and that it is not done again as the class travels by value."""

from __future__ import annotations

from interpreters import printed

SCRIPTS = {
    "registries": """
from abc import ABC, abstractmethod
from concurrent_choices import recommend, run

class Check(ABC):
    known = []
    def __init_subclass__(cls):
        Check.known.append(cls)
    @abstractmethod
    def found(self, text): ...

class Long(Check):
    def found(self, text):
        return len(text) > 2

class Empty(Check):
    def found(self, text):
        return not text

def checked(text):
    return Long().found(text), [kind().found(text) for kind in Check.known]

def with_check(text):
    return Empty(), checked(text)

print(run(checked, ["", "abc"], strategy="process"))
print(run(with_check, ["abc"], strategy="process")[0][1])
recommend(with_check, ["abc"]).run()
print(Check.known == [Long, Empty], len(Check.__subclasses__()))
""",
    "arguments": """
from concurrent_choices import run

class Model:
    def __init_subclass__(cls, *, table):
        cls.table = table + cls.suffix

class User(Model, table="user"):
    suffix = "s"

class Labelled(type):
    @classmethod
    def __prepare__(kind, name, bases, *, label):
        return {}
    def __new__(kind, name, bases, namespace, *, label):
        return super().__new__(kind, name, bases, {**namespace, "label": label + namespace["mark"]})
    def __init__(cls, name, bases, namespace, *, label):
        super().__init__(name, bases, namespace)

class Thing(metaclass=Labelled, label="thing"):
    mark = "!"

def told(number):
    class Order(Model, table="order"):
        suffix = "ed"
    return User.table, Thing.label, Order.table, Labelled("New", (), {"mark": "?"}, label="new").label

print(run(told, [1], strategy="process"))
""",
    "members": """
from enum import Enum, Flag
from concurrent_choices import run

class Planet(Enum):
    EARTH = 5.97, 6.37
    MARS = 0.64, 3.39
    RED = 0.64, 3.39
    def __init__(self, mass, radius):
        self.mass, self.radius = mass, radius

class Status(int, Enum):
    OK = 200, "fine"
    def __new__(cls, code, phrase):
        made = int.__new__(cls, code)
        made._value_, made.phrase = code, phrase
        return made

class Side(Flag):
    LEFT = 1
    RIGHT = 2
    BOTH = 3

Side.LEFT.other = Side.RIGHT

def told(planet):
    same = Planet((0.64, 3.39)) is Planet.MARS and Side.LEFT.other is Side.RIGHT
    named = Planet["RED"] is Planet.MARS is Planet.RED and Side["BOTH"] is Side.LEFT | Side.RIGHT is Side.BOTH
    return planet, planet.radius, Planet.MARS.mass, Status.OK.phrase, Status(200) + 1, same, named

planet, *others = run(told, [Planet.EARTH], strategy="process")[0]
print(planet is Planet.EARTH, *others)
""",
}


def answers(name, tmp_path):
    script = tmp_path / f"{name}.py"
    script.write_text(SCRIPTS[name])
    return printed(script)


def test_registries_of_classes_stay_as_they_are(tmp_path):
    """In no process does a class that arrives register once more, with nothing in it yet."""
    both = "(True, [True, False])"
    assert answers("registries", tmp_path) == [f"[(False, [False, True]), {both}]", both, "True 2"]


def test_what_a_class_was_told_as_it_was_made_is_not_asked_for_again(tmp_path):
    """It travels though that is known no longer, and classes that calls make are told as ever."""
    assert answers("arguments", tmp_path) == ["[('users', 'thing!', 'ordered', 'new?')]"]


def test_members_of_an_enum_hold_what_they_were_given(tmp_path):
    """By its `__init__` or `__new__`, as the planets of Python's documentation, or later. No name is lost."""
    assert answers("members", tmp_path) == ["True 6.37 0.64 fine 201 True True"]
