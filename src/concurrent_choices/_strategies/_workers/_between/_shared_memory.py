"""Large buffers in a nameless piece of shared memory, which goes by its descriptor to who reads it."""

from __future__ import annotations

import mmap
import os
import weakref
from functools import lru_cache

from ...._facts._lean import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["read", "write"]


def write(views: Sequence[memoryview]) -> int:
    """Buffers, one after another, in a new piece of memory; its descriptor."""
    descriptor = os.memfd_create("concurrent_choices", os.MFD_CLOEXEC)
    try:
        offset = 0
        for view in views:
            rest, place = view, offset
            while rest.nbytes:
                written = os.pwrite(descriptor, rest, place)
                rest, place = rest[written:], place + written
            offset += _aligned(view.nbytes)
        os.ftruncate(descriptor, offset)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def read(descriptor: int, sizes: Sequence[int]) -> list[memoryview]:
    """The buffers behind a descriptor, which is closed."""
    memory = memoryview(_mapped(descriptor))
    pieces: list[memoryview] = []
    offset = 0
    for size in sizes:
        pieces.append(memory[offset : offset + size])
        offset += _aligned(size)
    return pieces


def _aligned(size: int) -> int:
    return (size + 63) & ~63


_held: set[weakref.ref[mmap.mmap]] = set()
"""The pieces of shared memory that this process holds. Each has a descriptor, of which there are few.

One that is gone is taken out without any Python code: Ctrl-C that came in there would only be printed.
"""


@lru_cache
def _most() -> int:
    """How many to hold: beyond a share of the descriptors the bytes are copied."""
    import resource  # noqa: PLC0415 - not everywhere; where memory is shared it is there

    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4


def _mapped(descriptor: int) -> Any:
    """The memory behind a descriptor, which is closed."""
    try:
        mapped = mmap.mmap(descriptor, 0)
    finally:
        os.close(descriptor)
    if len(_held) >= _most():
        return bytearray(mapped)
    _held.add(weakref.ref(mapped, _held.discard))
    return mapped
