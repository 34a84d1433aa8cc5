"""What a callable holds, in a digest, which tells whether a call has changed it.

A worker imports this, so nothing slow may be imported here.
"""

from __future__ import annotations

from functools import lru_cache
from types import CodeType, FunctionType

from ..._facts._lean import TYPE_CHECKING, NamedTuple
from ..._inspect._asking import CACHED, is_a, of_type
from ..._inspect._captured import reached_from, unloaded_among
from ..._inspect._code import KEPT, codes_in
from ..._inspect._generators import pickled
from ..._inspect._words import reason_of

if TYPE_CHECKING:
    from pickle import PickleBuffer
    from typing import Any

__all__ = ["Held", "digest_of", "held_by"]

_SPELLED = (int, float, complex, str, bytes, tuple)
"""Constants that are spelled alike in every process: not so sets, nor the code of functions inside."""


class Held(NamedTuple):
    """What a callable holds.

    Attributes:
        digest: Of all values it holds; equal where nothing changed.
        obstacle: Why what it holds belongs to this process; empty where nothing does.
        unloaded: Modules that its functions import when they are called, and that are not there yet.
    """

    digest: bytes
    obstacle: str
    unloaded: frozenset[str] = frozenset()

    def differs(self, earlier: Held) -> bool:
        """Whether a call has changed it: what is in a module that it imported was not there before."""
        return self.unloaded >= earlier.unloaded and self[:2] != earlier[:2]


def held_by(fn: Any) -> Held:
    """Look at what a callable holds: closure cells, defaults, its own object, the globals it names.

    Of the functions among these it is their code that counts: one may be bound anew, or replaced for a test.
    """
    import hashlib  # noqa: PLC0415 - 3 ms of a worker's start, and few calls are looked at

    total = hashlib.sha256()
    name, value = "it", fn
    functions: list[tuple[str, Any]] = []
    try:
        for name, value in reached_from(fn):
            if of_type(value, FunctionType):
                functions.append((name, value))
                total.update(_digest_of_code(value.__code__))
            elif not of_type(value, type):
                total.update(name.encode())
                # The function that a cache is around is among these, too; a pickle has its name, under which
                # its class may have a property.
                total.update(b"" if of_type(value, CACHED) else digest_of(value))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a value's own hooks raise anything, a CancelledError too
        return Held(b"", f"{name} is a {type(value).__qualname__} ({reason_of(error)})")
    return Held(total.digest(), "", unloaded_among(functions))


@lru_cache(KEPT)
def _digest_of_code(code: CodeType) -> bytes:
    """A digest of what a function does, the same in every process of this interpreter."""
    import hashlib  # noqa: PLC0415 - as above

    digest = hashlib.sha256()
    for each in codes_in(code):
        constants = [constant for constant in each.co_consts if is_a(constant, *_SPELLED)]
        digest.update(repr((each.co_name, each.co_code, each.co_names, constants)).encode())
    return digest.digest()


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
