"""Markers that no module has a name for, such as ``missing = object()`` inside a function.

A plain `object` holds nothing: all that can be asked of one is whether it is another. So each travels under a
key, by which a process knows it again, as it does when it comes back.
"""

from __future__ import annotations

from os import urandom

from .._facts._lean import TYPE_CHECKING
from .._runtime._mutex import freed_in_forks

if TYPE_CHECKING:
    from typing import Any

__all__ = ["nameless", "reduce_nameless"]

MOST = 10_000
"""Objects that are remembered, those met last: a source may give others without end (guessed; some 2 MB)."""

_lock = freed_in_forks()
_things: dict[bytes, object] = {}
_keys: dict[int, bytes] = {}


def reduce_nameless(thing: object) -> Any:
    """A plain object by its key."""
    with _lock:
        return nameless, (_remember(_keys.get(id(thing)) or urandom(8), thing),)


def nameless(key: bytes) -> object:
    """The object of a key; a new one, where that was not met before."""
    with _lock:
        thing = _things.get(key) or object()
        _remember(key, thing)
        return thing


def _remember(key: bytes, thing: object) -> bytes:
    _things.pop(key, None)  # so that it is the last one now
    _things[key], _keys[id(thing)] = thing, key
    while len(_things) > MOST:
        del _keys[id(_things.pop(next(iter(_things))))]
    return key
