"""Callables that can only be called in the thread they were made in.

Nobody can tell for certain before the call. What can be seen in advance are the usual suspects: a
connection of sqlite3, a widget, a handler of signals. Such a callable is sampled in the caller's
own thread, since a refused call could not be made again.

So is one that takes a reentrant lock which the caller holds: it has it in that thread, and would wait for
ever in any other, as the caller waits for it.
"""

from __future__ import annotations

import dis
import threading
from collections import deque
from functools import partial
from itertools import islice, pairwise
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from .._work._callables import enclosed
from .._work._captured import answers, attributes_of, of_type
from .._work._perform import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["bound_to_thread", "refused_thread"]

_KINDS = ("sqlite3.Connection", "sqlite3.Cursor", "_tkinter.tkapp", "tkinter.Tk")
_REENTRANT = type(threading.RLock())
_DEEPEST = 3
_WIDEST = 500  # things looked at (guessed: a millisecond)
_ELEMENTS = 20  # of a container (guessed: who keeps connections there has few)

_SETTERS = frozenset({"set_wakeup_fd", "setitimer", "signal"})
_MODULES = frozenset({"signal", "_signal"})

_REFUSALS = (
    "signal only works in main thread",
    "can only be used in that same thread",
    "main thread is not in main loop",
    "must be called from the main thread",
)


def bound_to_thread(fn: Any, caller: int | None = None) -> str:
    """What binds a callable to the caller's thread; empty if nothing is seen.

    Args:
        fn: The callable; its closure, its arguments, its object and the globals it names are seen.
        caller: The identity of the caller's thread; the present one if None.
    """
    owner = f" owner={threading.get_ident() if caller is None else caller} "
    for part in _reach(fn):
        # Who owns it, only its repr tells another thread.
        if isinstance(part, _REENTRANT) and owner in repr(part):
            return "it takes a lock that the caller holds"
        for kind in type(part).__mro__:
            name = f"{kind.__module__}.{kind.__qualname__}"
            if name in _KINDS:
                return f"it uses a {name}, which belongs to the thread that made it"
        if isinstance(part, FunctionType) and _sets_signals(part):
            return "it sets signal handlers, which only the main thread may"
    return ""


def refused_thread(error: BaseException) -> bool:
    """Whether an error says that the call was made in the wrong thread."""
    text = text_of(error)
    return any(words in text for words in _REFUSALS)


def _sets_signals(function: FunctionType) -> bool:
    """Whether it calls what sets handlers or timers, of the module `signal` or taken from it.

    One that only names a signal, as for `os.kill`, may run anywhere.
    """
    names, held = function.__code__.co_names, function.__globals__
    if any(_is_setter(held[name]) for name in names if name in held):
        return True
    if _SETTERS.isdisjoint(names):
        return False
    loads = ((each.opname, each.argval) for each in dis.get_instructions(function.__code__))
    return any(
        module == "signal" and attribute in _SETTERS and how in {"LOAD_ATTR", "LOAD_METHOD"}
        for (_, module), (how, attribute) in pairwise(loads)
    )


def _is_setter(value: Any) -> bool:
    is_function = of_type(value, FunctionType, BuiltinFunctionType)
    return is_function and value.__name__ in _SETTERS and value.__module__ in _MODULES


def _reach(fn: Any) -> Iterator[Any]:
    """The callable and what hangs on it, nearest first, each once."""
    seen: set[int] = set()
    ahead = deque([(fn, _DEEPEST)])
    while ahead and len(seen) < _WIDEST:
        thing, depth = ahead.popleft()
        if id(thing) in seen or not answers(thing):
            continue
        seen.add(id(thing))
        yield thing
        if depth:
            ahead.extend((part, depth - 1) for part in _neighbours(thing))


def _neighbours(thing: Any) -> Iterator[Any]:
    if isinstance(thing, partial):
        yield from (thing.func, *thing.args, *thing.keywords.values())
    elif isinstance(thing, MethodType):
        yield from (thing.__func__, thing.__self__)
    elif isinstance(thing, FunctionType):
        yield from (value for _, value in enclosed(thing))
        named = thing.__code__.co_names
        yield from (thing.__globals__[name] for name in named if name in thing.__globals__)
    elif not isinstance(thing, type):
        yield from _elements(thing)
        if type(thing).__module__ not in {"builtins", "types"}:
            yield from list(islice(attributes_of(thing).values(), _WIDEST))  # at once: others may add to it


def _elements(thing: Any) -> list[Any]:
    """Some of what a container holds, asked as what it derives from: its own methods may raise."""
    looked_at: Iterable[Any] = ()
    if of_type(thing, dict):
        looked_at = dict[Any, Any].values(thing)
    elif of_type(thing, list):
        looked_at = list[Any].__iter__(thing)
    elif of_type(thing, tuple):
        looked_at = tuple[Any, ...].__iter__(thing)
    return list(islice(looked_at, _ELEMENTS))
