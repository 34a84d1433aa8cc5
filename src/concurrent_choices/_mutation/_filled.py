"""What an object computes once and keeps, as `functools.cached_property` has it: that it does is no change.

Another process computes it anew, when it is asked for it there. Of items it is one: whoever has calls compute
something of many may want to have it in them afterwards.
"""

from __future__ import annotations

from types import FunctionType, ModuleType

from .._facts._lean import TYPE_CHECKING
from .._inspect._asking import attributes_of, of_type
from .._runtime._interrupted import raise_handlers

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

__all__ = ["filled_in", "without_filled"]

_METHODS = (FunctionType, classmethod, staticmethod)


def filled_in(thing: object) -> list[str]:
    """The names under which an object keeps what it has computed, in the order in which it was asked for."""
    if of_type(thing, type, FunctionType, ModuleType):
        return []
    return [name for name in list(attributes_of(thing)) if _computes_once(type(thing), name)]


def without_filled(thing: object, names: Collection[str]) -> Any:
    """An object just like one that keeps something so, without it; None where there is none to be had.

    It has the attributes of these names all the same.
    """
    added, kind = set(filled_in(thing)).difference(names), type(thing)
    if not added or hasattr(kind, "__del__"):  # which would close what both of them hold
        return None
    if of_type(thing, dict):  # SQLAlchemy has one in each class: its sessions may be of a database in memory
        return None
    held = {name: value for name, value in attributes_of(thing).items() if name not in added}
    try:
        bare: Any = object.__new__(kind)
        bare.__dict__.update(held)
    except Exception as error:  # noqa: BLE001 - it is made otherwise, or a value's own hook raises anything
        raise_handlers(error)
        return None
    return bare


def _computes_once(kind: type, name: str) -> bool:
    """Whether the objects of a class may put a value of their own in place of what it has under a name.

    So they may where that has a say when it is asked for, and none when it is set.
    """
    found = next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)
    members = {name for each in type(found).__mro__ for name in vars(each)}
    return "__get__" in members and "__set__" not in members and not of_type(found, *_METHODS)
