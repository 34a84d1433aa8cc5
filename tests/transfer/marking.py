"""Markers, and what gives them."""

import dataclasses

__all__ = [
    "CHANGED",
    "MISSING",
    "NAMED",
    "SLOTTED",
    "Answering",
    "Changing",
    "Holding",
    "Named",
    "gives",
    "gives_changed",
    "gives_held",
    "holds_one",
    "knows",
]

MISSING = object()


class Named:
    def __init__(self, name):
        self.name = name


class Slotted:
    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name


class Changing(Named):
    """It is told by its identity, and holds what may change."""


NAMED, SLOTTED, CHANGED = Named("named"), Slotted("slotted"), Changing("changed")


def gives(item):
    marks = MISSING, NAMED, SLOTTED, dataclasses.MISSING
    return marks[item % 4], {"inside": [marks[item % 4]]}


def gives_changed(item):
    CHANGED.name = item
    return CHANGED


def knows(item):
    return [item is each for each in (MISSING, NAMED, SLOTTED, dataclasses.MISSING)].index(True)


def sends(item):
    sender, value = item
    sender.send(value)


class Answering:
    """A callable that has an answer to everything, as a proxy of a remote one may."""

    def __getattr__(self, name):
        if name.startswith("__") and name != "__globals__":
            raise AttributeError(name)
        return 5

    def __call__(self, item):
        return item is NAMED


class Holding:
    """A class that has markers of its own, and its methods give them."""

    MISSING, NAMED = object(), Named("held")

    def gives(self, item):
        return self.NAMED if item % 2 else self.MISSING


def gives_held(item):
    return Holding.NAMED if item % 2 else Holding.MISSING


def holds_one():
    """A marker that has a name in here alone, and a callable that gives it, or says whether it was given."""
    missing = object()

    def exchanges(item):
        return missing if item is None else item is missing

    return missing, exchanges
