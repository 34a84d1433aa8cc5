"""Small files of the system, read under a root that a test may choose; and the standard streams."""

from __future__ import annotations

import os
from functools import partial

from .._facts._lean import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["lines", "read", "standard_streams_are_open"]

_PIECE = 1 << 16  # bytes


def lines(root: Path | str, name: str) -> list[str]:
    """The lines of a file; none where it cannot be read."""
    return read(root, name).splitlines()


def read(root: Path | str, name: str) -> str:
    """The text of a file; empty where it cannot be read.

    Asked beside calls that compute: each system call gives them the GIL, and these are half of what `open`
    makes.
    """
    try:
        descriptor = os.open(f"{root}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        pieces = list(iter(partial(os.read, descriptor, _PIECE), b""))
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    return b"".join(pieces).decode(errors="replace")


def standard_streams_are_open() -> bool:
    """Whether nothing else can be opened under the numbers of the standard streams."""
    try:
        for descriptor in range(3):
            os.fstat(descriptor)
    except OSError:
        return False
    return True
