"""What an object is made of, besides its class: that may have no pickle where it has come by value."""

from __future__ import annotations

from .._facts._lean import TYPE_CHECKING
from .._inspect._asking import attributes_of, slots_of
from .._inspect._ownership import is_own_class

if TYPE_CHECKING:
    from typing import Any

__all__ = ["parts_of"]


class _Plain:
    """Has attributes, and nothing else."""


_PLAIN, _SLOT = _Plain.__basicsize__, tuple.__itemsize__
"""Bytes of such an object, and of each slot."""


class _Classless:
    """Is pickled as something else is, but for what makes that."""

    def __init__(self, thing: Any) -> None:
        self._thing = thing

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        reduced = self._thing.__reduce_ex__(protocol)
        if isinstance(reduced, str):
            return tuple, ((reduced,),)
        _, made_of, *others = reduced
        return tuple, ([each for each in made_of if not isinstance(each, type)],), *others[:3]


def parts_of(thing: object) -> Any:
    """An object's attributes, what is in its own slots, and what others keep; itself where it shows nothing.

    Attributes alone would not tell of a list or a random generator that has some, and its pickle alone not of
    what that leaves out. That is of no interest where a library does so: a path keeps its text in a slot once
    it was asked for it.
    """
    kind = type(thing)
    attributes = attributes_of(thing)
    slotted = [each for each in kind.__mro__ if "__slots__" in vars(each) and is_own_class(each)]
    slots = dict(slots_of(thing, slotted))
    if not attributes and not slots:
        return thing
    is_more = kind.__itemsize__ or kind.__basicsize__ > _PLAIN + _SLOT * len(slots)
    return (attributes, slots, _Classless(thing)) if is_more else (attributes, slots) if slots else attributes
