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


class _Held:
    """How many pieces of shared memory this process holds.

    Each holds a descriptor, of which there are few: beyond a share of them the bytes are copied.
    """

    count = 0

    @staticmethod
    @lru_cache
    def most() -> int:
        import resource  # noqa: PLC0415 - not everywhere; where memory is shared it is there

        return resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4

    @classmethod
    def drop(cls) -> None:
        cls.count -= 1


def _mapped(descriptor: int) -> Any:
    """The memory behind a descriptor, which is closed."""
    try:
        mapped = mmap.mmap(descriptor, 0)
    finally:
        os.close(descriptor)
    if _Held.count >= _Held.most():
        return bytearray(mapped)
    _Held.count += 1
    weakref.finalize(mapped, _Held.drop).atexit = False
    return mapped
