"""What runs have learnt of callables, for the next run of the same callable in this process."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import partial
from itertools import islice
from math import frexp
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .._inspect._asking import length_of, of_type, told_by
from .._inspect._callables import called
from .._inspect._captured import reached_from
from .._runtime._interrupted import raise_handlers
from .._runtime._mutex import Mutex
from .._work._job import Job

if TYPE_CHECKING:
    from .._judge._controller._sight import Prior

__all__ = ["Memory", "Recollection", "key_of", "memory"]

MOST = 256
"""Verdicts kept; beyond that the one that was not used for longest goes (guessed)."""

AGREES = 3.0
"""Factor within which an item's time agrees with what was learnt (guessed: what the stages of the
controller take for the same kind of item)."""

LATELY = 2.0
"""Seconds after a run for which workers would rest, as `REST` of _strategies._workers says, which most runs
do not load."""

_CALLED: tuple[type, ...] = (FunctionType, MethodType, partial)

SHORT = 200
"""Length of the longest string that counts as a constant, such as an address, and not as data (guessed)."""


class _Kept(NamedTuple):
    """A verdict, and when it was settled."""

    prior: Prior
    settled: float


class Memory:
    """Verdicts by key, the latest `MOST` of them; safe to use from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._verdicts: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._clock = clock
        self._lock = Mutex()

    def recall(self, key: Hashable) -> Prior | None:
        """What was learnt under a key; None where nothing was."""
        with self._lock:
            if key not in self._verdicts:
                return None
            self._verdicts.move_to_end(key)
            return self._verdicts[key].prior

    def is_recent(self, key: Hashable) -> bool:
        """Whether there was a verdict under a key so lately that workers of that run would still rest."""
        with self._lock:
            kept = self._verdicts.get(key)
            return kept is not None and self._clock() - kept.settled < LATELY

    def settle(self, key: Hashable, learnt: Prior | None, each: float) -> None:
        """Take in a run's verdict; None where it was too short for one. One without a speed is none.

        A run without a verdict ends the one that is kept, if its items took another time than that says:
        `each` seconds, or 0 where that is not known.
        """
        with self._lock:
            kept = self._verdicts.get(key)
            if learnt is not None and learnt.each > 0.0:
                self._verdicts[key] = _Kept(learnt, self._clock())
                self._verdicts.move_to_end(key)
                if len(self._verdicts) > MOST:
                    self._verdicts.popitem(last=False)
            elif kept is not None and each and not _agrees(kept.prior, each):
                del self._verdicts[key]

    def forget(self, key: Hashable) -> None:
        """Let go of what was learnt under a key."""
        with self._lock:
            self._verdicts.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._verdicts.clear()


def _agrees(kept: Prior, each: float) -> bool:
    """Whether one lane's seconds for an item fit a verdict, which knows those of all its lanes together."""
    return 1 / AGREES < each / kept.each < AGREES * kept.lanes * kept.inside


memory = Memory()
"""The one of this process."""


class Recollection:
    """What is remembered of a job's callable, when the job begins and when it is over.

    Without an item that is ready nothing is remembered. `allowed` tells how much the run may use.

    Attributes:
        prior: What was learnt of it before; None where nothing was.
        recent: The same, if that was a moment ago, so that it is run often enough for workers to be reused.
    """

    def __init__(self, job: Job, allowed: Hashable) -> None:
        self._job = job
        items = job.source.peek()
        self._key = key_of(job.fn, items[0], allowed) if items else None
        self.prior = memory.recall(self._key) if items else None
        self.recent = self.prior if memory.is_recent(self._key) else None
        if self.prior is not None and self.recent is None:
            self.prior = self.prior._replace(forgone=0.0)  # workers would not have waited for this run

    def settle(self, learnt: Prior | None) -> None:
        """Keep what the run has learnt.

        Where its calls changed what they hold, no more than that they wait: the next run is to see for itself
        whether they still do, before it has worker processes make them.
        """
        report = self._job.report
        if self._key is None:
            return
        waits = learnt is not None and learnt.stage == "waiting"
        if (report.witness or report.lost) and not waits:
            memory.forget(self._key)
        else:
            memory.settle(self._key, learnt, report.each)


def key_of(fn: Callable[..., Any], item: object, allowed: Hashable) -> Hashable:
    """What tells a callable and its input from others that may behave differently.

    It holds the code with its constants, what the callable captured (closure, defaults, globals, its own
    object), the code of functions found there, the item's type, with sizes in powers of sixteen, and what the
    run is allowed to use; and nothing of the user's alive but code.
    """
    held = tuple((name, _constant(value)) for name, value in reached_from(fn))
    return _code(fn), held, _size(item), allowed


def _code(fn: object) -> Hashable:
    """What runs when it is called: its code, or a name where it is written in C."""
    fn = called(fn)
    if isinstance(fn, FunctionType):
        return fn.__code__
    kind = type(fn)
    call = vars(kind).get("__call__")
    if isinstance(call, FunctionType):
        return call.__code__
    return kind.__qualname__, getattr(fn, "__module__", ""), getattr(fn, "__qualname__", "")


def _constant(value: object, most: int = SHORT) -> Hashable:
    """A short string itself, a function's code; of anything else the size, and what it may call.

    So many values in it, at `most`, are looked at: tables hold tables, or themselves.
    """
    kind, seen = type(value), cast("Any", value)
    if (kind is dict or kind is tuple) and most > 1:  # not by a set: a class may have no hash
        parts = (*seen, *seen.values()) if kind is dict else seen
        each = most // max(1, len(parts))
        return tuple(_constant(part, each) for part in parts[:most])
    if of_type(value, FunctionType):
        return seen.__code__, seen.__qualname__  # a library's decorator gives many functions one code
    if kind is str and len(seen) <= SHORT:
        return str(seen)
    return _size(value), _callees(value)


def _callees(value: object) -> Hashable:
    """The code of what an object was given to call, such as one that tries a function again."""
    try:
        held = list(islice(vars(value).values(), SHORT))
        return tuple(_code(each) for each in held if isinstance(each, _CALLED))
    except Exception as error:  # noqa: BLE001 - most values have no attributes, and a value's own hook raises anything
        raise_handlers(error)
        return ()


def _size(value: object) -> Hashable:
    """A type by its name, and a power of sixteen: of a number, of bytes, of things held."""
    kind = type.__repr__(type(value))  # the type itself would live on, and its own hooks may raise anything
    seen = cast("Any", value)
    if of_type(value, int):
        return kind, seen.bit_length() // 4
    if of_type(value, float):
        return kind, frexp(seen)[1] // 4
    size = _bytes_of_array(value) or length_of(value) or 0
    return kind, size.bit_length() // 4


def _bytes_of_array(value: object) -> int:
    """What an array tells; 0 of anything else. Its class goes first: a proxy may ask a server for a name."""
    told = told_by(value, "nbytes") if told_by(type(value), "nbytes") is not None else 0
    return told if isinstance(told, int) else 0
