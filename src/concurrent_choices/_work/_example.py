"""An item that workers are sent before the others, so that what it needs is imported before they wait for it.

To unpickle a row of a table is to import what tables are made of, which may take a second. Until workers have
done that, whoever has the items goes on with them.
"""

from __future__ import annotations

from contextlib import suppress

from ._pickling import dump, load

TYPE_CHECKING = False  # checkers know the name; importing typing would cost a worker's start 5 ms

if TYPE_CHECKING:
    from typing import Any

__all__ = ["Example"]

MOST = 1 << 16
"""Bytes of an item that is sent for this only (guessed: what a message takes anyway)."""


class Example:
    """An item; unpickled in another process, it comes to nothing, whatever that takes or raises.

    Args:
        item: Anything; one that is large, or cannot be pickled, is left out.
    """

    def __init__(self, item: Any) -> None:
        self._frames: list[Any] = []
        with suppress(Exception):  # picklers raise anything; what cannot travel is found out by its batch
            frames = dump(item)
            if len(frames) == 1 and len(frames[0]) <= MOST:
                self._frames = frames

    def __reduce__(self) -> tuple[Any, ...]:
        return _import_for, (self._frames,)


def _import_for(frames: list[Any]) -> None:
    """Unpickle an item and drop it."""
    with suppress(Exception):  # what cannot be read here is found out by its batch
        if frames:
            load(frames)
