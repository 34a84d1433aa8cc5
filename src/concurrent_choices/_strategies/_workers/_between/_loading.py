"""Reading what a worker was sent, which may import modules of the caller's.

A worker imports this when it starts, so nothing slow may be imported here.
"""

from __future__ import annotations

from ...._facts._lean import TYPE_CHECKING
from ...._transfer._pickling import load

if TYPE_CHECKING:
    from typing import Any

__all__ = ["Loading", "read"]


class Loading:
    """Whether this process is a worker that reads what it was sent.

    A module that is imported for that and starts workers as it is imported would do so in each of them again,
    without an end.
    """

    now = False


def read(frames: Any) -> Any:
    """What was sent; whatever is imported for it starts no workers."""
    Loading.now = True
    try:
        return load(frames)
    finally:
        Loading.now = False
