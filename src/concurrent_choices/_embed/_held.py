"""What a callable holds, in a digest, which tells whether a call has changed it.

A worker imports this, so nothing slow may be imported here.
"""

from __future__ import annotations

from _pickle import dumps as pickled

from .._facts._lean import TYPE_CHECKING, NamedTuple
from .._work._asking import is_a
from .._work._captured import parts_of
from .._work._words import reason_of

if TYPE_CHECKING:
    from pickle import PickleBuffer
    from typing import Any

__all__ = ["Held", "digest_of", "held_by"]


class Held(NamedTuple):
    """What a callable holds.

    Attributes:
        digest: Of all values it holds; equal where nothing changed.
        obstacle: Why what it holds belongs to this process; empty where nothing does.
    """

    digest: bytes
    obstacle: str


def held_by(fn: Any) -> Held:
    """Look at what a callable holds: closure cells, defaults, its own object, the globals it names."""
    import hashlib  # noqa: PLC0415 - 3 ms of a worker's start, and few calls are looked at

    total = hashlib.sha256()
    name, value = "it", fn
    try:
        for name, value in parts_of(fn):
            total.update(name.encode())
            total.update(digest_of(value))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a value's own hooks raise anything, a CancelledError too
        return Held(b"", f"{name} is a {type(value).__qualname__} ({reason_of(error)})")
    return Held(total.digest(), "")


def digest_of(value: Any) -> bytes:
    """A digest of a value's pickle, the same in every process of this interpreter.

    Raises:
        Exception: Whatever the pickler raises for what cannot be pickled.
    """
    import hashlib  # noqa: PLC0415 - as above

    if is_a(value, set, frozenset):
        value = sorted(map(digest_of, value))  # strings hash differently in each process
    digest = hashlib.sha256()
    beside: list[PickleBuffer] = []
    digest.update(pickled(value, 5, buffer_callback=beside.append))
    for buffer in beside:
        digest.update(buffer.raw())
    return digest.digest()
