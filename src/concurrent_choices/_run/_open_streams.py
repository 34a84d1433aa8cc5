"""Streams that are still open as the interpreter ends, or as the process forks.

At the interpreter's end they are closed while there is somebody to close them. Later, threads stand still
wherever they are, also inside a lock. Whoever closes a stream then, as its last reference goes, may wait for
that lock for ever (three of four scripts did so that ended with such a stream, measured).

In a fork a stream has none of the threads and processes that work for it in the parent: whoever read it there
would wait for ever, or be told of a descriptor that is closed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from .._errors import ConcurrentChoicesError
from .._runtime._at_exit import call_at_exit
from .._runtime._forks import tell_in_forks
from .._work._job import Job
from .._work._source import Source

__all__ = ["Reading", "closed_at_exit", "orphaned"]

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


class Reading:
    """What a stream has in hand, from its first result on; nothing in a fork, where its job is orphaned.

    So its reader is told at once there, however much was in hand, and nobody has to ask at each result
    whether this is a fork.

    Args:
        job: Whose results they are.
        on_loop: Whether they are read on a loop, which may be at work for them itself.
    """

    def __init__(self, job: Job, *, on_loop: bool = False) -> None:
        self._job = job
        self._on_loop = on_loop
        self._rest: Iterator[Any] = iter(())
        _begun.add(self)

    def rest_of(self, values: Sequence[Any]) -> Iterator[Any]:
        """Those values, one by one, unless a fork comes in between."""
        self._rest = rest = iter(values)
        return rest

    def drop(self) -> None:
        """In a fork: have nothing in hand, unless nobody works for the stream but who reads it."""
        if self._on_loop or self._job.has_lanes:
            self._job.orphaned = True
            deque(self._rest, maxlen=0)


def orphaned(called: str, job: Job) -> ConcurrentChoicesError:
    """What is raised to whoever reads an orphaned job's results."""
    return ConcurrentChoicesError(
        f"{called}: it had begun to call {job.name} as this process was forked, and whatever works for it is "
        f"in the parent; read it there, or call {called} here, after the fork"
    )


_begun: WeakSet[Reading] = WeakSet()

call_at_exit(_close_all)
tell_in_forks(_begun, Reading.drop)
