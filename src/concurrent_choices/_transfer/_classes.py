"""Classes that travel by value: each is made once in a process, by nothing but what Python itself does.

Imported only with cloudpickle, which is slow to import.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from enum import EnumMeta
from types import resolve_bases
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from .._runtime._mutex import Mutex
from ._prepared import prepare_again

__all__ = ["MET", "reduce_class"]


def reduce_class(
    kind: type, make: Callable[..., type], made_of: tuple[Any, ...], state: Any, *others: Any
) -> tuple[Any, ...]:
    """How a class travels by value: as cloudpickle has it, except that its own process leaves it as it is."""
    *nothing, fill = others
    MET[_key(made_of)] = kind
    if kind not in _arrived:
        _at_home[kind] = os.getpid()
    if isinstance(kind, EnumMeta):
        made_of = _with_aliases(kind, made_of, state)
    told = fill, state, _told_of_members(kind)
    return _made, (_name_in_main(kind), make, _with_slots(kind, made_of)), told, *nothing, _filled


def _with_aliases(
    kind: EnumMeta, made_of: tuple[Any, ...], state: tuple[dict[str, Any], Any]
) -> tuple[Any, ...]:
    """What an enum is made of, with all names of members: cloudpickle sets second ones as mere attributes."""
    members: dict[str, Any] = dict(kind.__members__)
    for name in members:
        state[0].pop(name, None)
    bases, name, qualname, _, *others = made_of
    return bases, name, qualname, {name: each.value for name, each in members.items()}, *others


def _told_of_members(kind: type) -> dict[str, dict[str, Any]]:
    """What the members of an enum hold, by their names, of what its `__init__` or others gave them.

    cloudpickle makes them anew of their values, and calls nothing of the enum's own.
    """
    members: dict[str, Any] = dict(kind.__members__) if isinstance(kind, EnumMeta) else {}
    return {name: _given_to(each) for name, each in members.items()}


def _given_to(member: Any) -> dict[str, Any]:
    held: dict[str, Any] = dict(member.__dict__)
    return {name: held[name] for name in held.keys() - _MADE}


_MADE = {"_name_", "_value_", "_sort_order_", "__objclass__"}
"""What `enum` itself gives to members."""


def _with_slots(kind: type, made_of: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a class is made of, its slots too: cloudpickle makes it without, and sets `__slots__` afterwards.

    Its objects would have a `__dict__` in a worker, and could not come back to where they have none.
    """
    if "__slots__" not in vars(kind) or isinstance(kind, EnumMeta):  # enums are made otherwise
        return made_of
    meta, name, bases, namespace, *others = made_of
    if NamedTuple in bases:  # which sees to that itself
        return made_of
    # Where there are none, too: what derives from it would have a `__dict__`, or could not name `__weakref__`
    return meta, name, bases, {**namespace, "__slots__": vars(kind)["__slots__"]}, *others


def _name_in_main(kind: type) -> str:
    """The name under which the main module has a class of its own; empty where it has not."""
    held = vars(sys.modules["__main__"]).get(kind.__name__)
    return kind.__name__ if held is kind and kind.__module__ == "__main__" else ""


def _made(name: str, make: Callable[..., type], made_of: tuple[Any, ...]) -> type:
    """A class, without what is in it; the one that there is, where it was met before.

    That is looked for first. To make another one would call `__init_subclass__` once more, or a metaclass,
    and a registry of plugins would hold an empty class in place of the real one.
    """
    made = MET.get(_key(made_of))
    if made is None:
        with _without(_done_already(made_of)):
            made = MET[_key(made_of)] = make(*made_of)
    if _at_home.get(made) != os.getpid():
        _arrived.add(made)
        main = vars(sys.modules["__main__"])
        if name and main.get(name) is _given.get(name):  # never in place of what is there anyway
            main[name] = _given[name] = made
    return made


def _done_already(made_of: tuple[Any, ...]) -> Iterator[tuple[type, str]]:
    """What was done with a class where it is from, as it was made: by classes that came by value, and how.

    Here it would be done without the arguments that it had there, to a class with nothing in it yet.
    """
    meta, _, bases, *_ = made_of
    if isinstance(meta, tuple):  # an enum, which is made of its members
        return
    yield from ((kind, name) for kind in meta.__mro__ for name in ("__prepare__", "__new__", "__init__"))
    yield from ((kind, "__init_subclass__") for base in resolve_bases(bases) for kind in base.__mro__)


@contextmanager
def _without(places: Iterable[tuple[type, str]]) -> Generator[None]:
    """While those of some attributes are taken away that are in classes that came by value."""
    with _making:
        away = {
            (kind, name): vars(kind)[name] for kind, name in places if kind in _arrived and name in vars(kind)
        }
        for kind, name in away:
            type.__delattr__(kind, name)
        try:
            yield
        finally:
            for (kind, name), held in away.items():
                type.__setattr__(kind, name, held)


_making = Mutex()


def _filled(kind: Any, told: tuple[Callable[..., Any], Any, dict[str, dict[str, Any]]]) -> None:
    """Put into a class what it holds where it was sent; not into one's own, which is only coming back.

    Its methods would be copies then, with globals of their own, and what was set in it since would be lost.
    """
    fill, state, members = told
    if kind in _arrived:
        fill(kind, state)
        for name, held in members.items():
            kind[name].__dict__.update(held)
        prepare_again(kind)


def _key(made_of: tuple[Any, ...]) -> str:
    """What cloudpickle tells a class by, in all processes that it comes to: last but one of its makings."""
    key: str = made_of[-2]
    return key


MET: WeakValueDictionary[str, Any] = WeakValueDictionary()
"""Classes, and other things told by their identity, that were sent or came by value."""

_at_home: WeakKeyDictionary[type, int] = WeakKeyDictionary()
"""Classes that were sent, and the process that they are from, of which a forked worker is a copy."""

_arrived: WeakSet[type] = WeakSet()
"""Classes that came to this process by value. Each time they come again they are filled anew."""

_given: dict[str, type] = {}
"""Those put into the main module, where calls look that pickle their objects, or read such pickles."""
