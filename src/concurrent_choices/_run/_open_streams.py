"""Streams that are still open as the interpreter ends: they are closed while there is somebody to close them.

Later, threads stand still wherever they are, also inside a lock. Whoever closes a stream then, as its last
reference goes, may wait for that lock for ever (three of four scripts did so that ended with such a stream,
measured).
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack
from typing import Any
from weakref import WeakKeyDictionary

from .._runtime._at_exit import call_at_exit
from .._work._source import Source

__all__ = ["closed_at_exit"]

_sources: WeakKeyDictionary[Generator[Any], Source] = WeakKeyDictionary()


def closed_at_exit(stream: Generator[Any], source: Source) -> Generator[Any]:
    """A stream from that source, which is closed before the interpreter ends.

    Not where another thread reads it, which may do so until then: to be told that a stream is over which is
    not would be worse for it than to stand still.
    """
    _sources[stream] = source
    return stream


def _close_all() -> None:
    with ExitStack() as each:  # an error of one must not keep the others open
        for stream, source in list(_sources.items()):
            if not source.belongs_to_another:
                each.callback(stream.close)


call_at_exit(_close_all)
