"""What binds a callable to the thread it was made in, or to one event loop, as far as it can be seen.

Nobody can tell for certain before the call; there are usual suspects. A connection of sqlite3, a widget and
a handler of signals refuse every other thread, and a refused call could not be made again. A reentrant lock
that the caller holds is waited for in any other thread, for ever. All threads have one working directory, and
print to one place. Who sits at the terminal answers one prompt at a time. And a client, a lock or a limiter
of coroutines serves one loop: a second one may spoil it; and a limit that is copied to a process holds twice.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import chain, islice
from types import FunctionType, MethodType
from typing import Any, cast

from ._asking import ATOMS, Seen, inside_of, of_type
from ._callables import name_of
from ._captured import reached_from
from ._code import globals_in, names_in
from ._ownership import is_own_class, is_own_function
from ._setters import what_is_set
from ._tasks import methods_among
from ._words import text_of

__all__ = [
    "DEEPEST",
    "HELD",
    "WIDEST",
    "bound_to_thread",
    "is_loop_bound",
    "prompts",
    "refused_thread",
]

HELD = "it takes a lock that the caller holds"
"""What binds where its thread has a lock: the caller's between two calls, and during one perhaps its own."""

_KINDS = ("sqlite3.Connection", "sqlite3.Cursor", "_tkinter.tkapp", "tkinter.Tk")
_REENTRANT = type(threading.RLock())
_ASYNCIO = frozenset({"asyncio", "_asyncio"})

MOST = 1000
"""Things that are looked at (guessed: a millisecond)."""

WIDEST = 50
"""Things inside another that are looked at (guessed: one thing must not take all the looks)."""

DEEPEST = 4
"""Levels that are looked at: bound arguments stand in a tuple, one may be another, and hold what holds a
client."""

_PROMPTS = frozenset({"breakpoint", "input"})
"""Builtins that ask who sits at the terminal, which a worker process has not."""

_REFUSALS = (
    "signal only works in main thread",
    "can only be used in that same thread",
    "main thread is not in main loop",
    "must be called from the main thread",
)


def bound_to_thread(fn: Any, caller: int | None = None, tasks: Iterable[Any] = ()) -> str:
    """What binds a callable, which may call these tasks, to the caller's thread; empty if nothing is seen.

    `caller` is the identity of the caller's thread; None stands for the present one.
    """
    owner = f" owner={threading.get_ident() if caller is None else caller} "
    reached = list(reached_from(fn, *tasks))
    classes = [each for _, each in reached if of_type(each, type)]
    called = _names_of([fn, *tasks, *methods_among(reached, (), classes).functions])
    for part in _held(reached):
        # Only its repr tells another thread who owns it.
        if of_type(part, _REENTRANT) and owner in repr(part):
            return HELD
        for kind in type(part).__mro__:
            name = f"{kind.__module__}.{kind.__qualname__}"
            if name in _KINDS:
                return f"it uses a {name}, which belongs to the thread that made it"
        if of_type(part, FunctionType) and _is_called(part, called) and (what := what_is_set(part)):
            return what
    return _prompts(called, reached)


def prompts(fn: Any, reached: Iterable[tuple[str, Any]]) -> str:
    """By what a callable asks who sits at the terminal, in a sentence; empty if nothing is seen.

    `reached` is what hangs on it, as `reached_from` gives it.
    """
    return _prompts(_names_of([fn]), reached)


def _prompts(called: AbstractSet[str], reached: Iterable[tuple[str, Any]]) -> str:
    for _, function in reached:
        if is_own_function(function) and _is_called(function, called) and (name := _prompt(function)):
            return f"it calls {name}(), and the terminal answers one call at a time, in this process"
    return ""


def _prompt(function: FunctionType) -> str:
    """What it asks by: a builtin, or `set_trace`, as debuggers call it, of whatever module it is."""
    named = _PROMPTS.difference(function.__globals__).intersection(globals_in(function.__code__))
    return min(named, default="set_trace" if "set_trace" in names_in(function.__code__) else "")


def refused_thread(error: BaseException) -> bool:
    """Whether an error says that the call was made in the wrong thread."""
    text = text_of(error)
    return any(words in text for words in _REFUSALS)


def _names_of(called: Iterable[Any]) -> frozenset[str]:
    """The qualified names of functions that are called when these are."""
    return frozenset(name for each in map(name_of, called) for name in (each, f"{each}.__call__"))


def _is_called(function: FunctionType, called: AbstractSet[str]) -> bool:
    """Whether calls may come to a function; a method counts only if it has the name of what they call."""
    scope = function.__qualname__.rpartition(".")[0]
    return not scope or scope.endswith("<locals>") or function.__qualname__ in called


def is_loop_bound(fn: Any) -> bool:
    """Whether something that the callable holds, or that is held by that, is made for an event loop."""
    # All of its bases: what derives from something of asyncio's serves one loop, too.
    return any(_is_for_loops(kind) for value in _held(reached_from(fn)) for kind in type(value).__mro__)


def _is_for_loops(kind: type) -> bool:
    """Whether a class is asyncio's, or entered by `async with`, as all clients and locks for coroutines are.

    What a library has for asyncio counts as asyncio's, such as an engine of `sqlalchemy.ext.asyncio`, which
    opens its connections itself.
    """
    # Not by `hasattr`, which a user's own metaclass may answer, or raise in: `async with` does not ask that.
    return "__aenter__" in vars(kind) or not _ASYNCIO.isdisjoint(str(kind.__module__).split("."))


def _held(reached: Iterable[tuple[str, Any]]) -> Iterator[Any]:
    """What a callable reaches, then what that holds, and so on, as far as it is looked at."""
    return islice(_nearest_first(reached), MOST)


def _nearest_first(reached: Iterable[tuple[str, Any]]) -> Iterator[Any]:
    ahead = deque((part, DEEPEST) for _, part in reached)
    kinds, seen = Seen(), Seen()
    while ahead:
        value, depth = ahead.popleft()
        if not seen.is_new(value):
            continue
        yield value
        if depth:
            ahead.extend((each, depth - 1) for each in _inside(value, kinds))


def _inside(value: object, kinds: Seen) -> list[Any]:
    """What stands in a thing. A class is looked into once."""
    inside = inside_of(value, WIDEST)
    if inside and of_type(value, tuple):  # as bound arguments, which may be called
        called = [each for each in inside if of_type(each, FunctionType, MethodType, partial)]
        inside += (part for each in called for _, part in reached_from(each))
    shared: type = cast("Any", value) if of_type(value, type) else type(value)
    if kinds.is_new(shared):
        inside += islice(_of_class(shared), WIDEST)
    return [each for each in inside if type(each) not in ATOMS]


def _of_class(kind: type) -> Iterator[Any]:
    """What all objects of a class share, as far as it is the user's own."""
    return chain.from_iterable(list(vars(each).values()) for each in kind.__mro__ if is_own_class(each))
