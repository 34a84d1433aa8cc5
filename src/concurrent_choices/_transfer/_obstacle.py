"""Why something cannot travel to another process: which part of it, and in whose words.

"cannot pickle '_thread.lock' object" helps nobody who passed a lambda. So the parts are tried one
by one, down to the smallest that fails: a closure's cell, an attribute, an element, a global. They are
tried with the pickler that sends work to the worker processes, so what it can carry is no obstacle.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from types import FunctionType, MethodType
from typing import Any

from .._inspect._asking import attributes_of, of_type, slots_of, told_by
from .._inspect._callables import enclosed
from .._inspect._code import globals_of
from .._inspect._words import text_of
from .._runtime._interrupted import raise_handlers
from ._pickling import dump, load, names_what_stays, travels_by_name

__all__ = ["misnamed", "obstacle", "obstacle_back"]

_DEEPEST = 6
"""Levels looked into (guessed: a path any longer would not fit into a sentence)."""

_WIDEST = 1000
"""Elements of a container tried one by one (guessed: a few milliseconds)."""

_SHARED = tuple(
    f"multiprocessing.{name}." for name in ("connection", "queues", "sharedctypes", "synchronize")
)
"""Modules of what processes share from their start on. It says so itself, and all that it holds says less."""

_TOO_DEEP = "it is nested too deeply to be pickled"


def obstacle(thing: Any, name: str) -> str:
    """Why a thing, which the reader knows by that name, cannot be pickled; empty where it can.

    For example ``the lambda's closure cell 'connection' is a socket (cannot pickle 'socket' object)``.
    """
    words = _refusal(thing)
    if not words:
        return ""
    path, smallest = "", thing
    passed = [thing]
    for _ in range(_DEEPEST):
        parts = () if words == _TOO_DEEP or _is_inherited(smallest) else _failing(smallest)
        # What holds itself, as a function that calls itself does, fails because of something else.
        found = next((found for found in parts if not any(found[1] is each for each in passed)), None)
        if found is None:
            break
        noun, smallest, words = found
        passed.append(smallest)
        path += (", whose" if path else "'s") + f" {noun} is {_article(smallest)}"
    words += "; those of a multiprocessing.Manager can be sent" if _is_inherited(smallest) else ""
    return f"{name}{path or f' is {_article(thing)}'} ({words})"


def obstacle_back(result: Any) -> str:
    """Why a result could not come back from another process as what it is; empty where it could.

    Its copy may refuse to be made; or be of a class made anew, where pickles do not find its own by its name.
    """
    try:
        load(dump(result))
    except Exception as error:  # noqa: BLE001 - a thing's own hooks raise anything
        raise_handlers(error)
        words = text_of(error) or type(error).__name__
        return obstacle(result, "a result") or f"a result is {_article(result)} ({words})"
    return misnamed(result)


def misnamed(result: object) -> str:
    """Whether a module that workers import has its class, but not by the name by which pickles look it up."""
    kind = type(result)
    home = str(told_by(kind, "__module__"))  # which may be set to anything
    if names_what_stays(home.encode()) or travels_by_name(kind):
        return ""
    if not any(each is kind for each in [*attributes_of(sys.modules.get(home)).values()]):
        return ""
    return f"a result is {_article(result)} (its class has another name in {home})"


def _failing(thing: Any) -> Iterator[tuple[str, Any, str]]:
    try:
        for noun, part in _parts(thing):
            words = _refusal(part)
            if words:
                yield noun, part, words
    except Exception as error:  # noqa: BLE001 - a thing's own hooks raise anything; then it is the smallest that is known
        raise_handlers(error)


def _refusal(thing: Any) -> str:
    """What the pickler says against a thing; empty where it says nothing."""
    try:
        dump(thing)
    except Exception as error:  # noqa: BLE001 - picklers, and a thing's own hooks, raise anything
        raise_handlers(error)
        if isinstance(error, RecursionError) or "deep recursion" in text_of(error):
            return _TOO_DEEP
        return text_of(error) or type(error).__name__
    return ""


def _is_inherited(thing: object) -> bool:
    return f"{type(thing).__module__}.".startswith(_SHARED)


def _parts(thing: Any) -> Iterator[tuple[str, Any]]:
    """What something is made of, each with a noun for it."""
    if of_type(thing, partial):
        yield from _partial_parts(thing)
    elif of_type(thing, MethodType):
        yield "object", thing.__self__
    elif of_type(thing, FunctionType):
        yield from _function_parts(thing)
    elif of_type(thing, Mapping):
        pairs: Iterable[tuple[Any, Any]] = thing.items()
        for key, part in islice(pairs, _WIDEST):
            yield f"value under {key!r}", part
    elif of_type(thing, list, tuple, set, frozenset):
        elements: Iterable[Any] = thing
        for at, part in enumerate(islice(elements, _WIDEST)):
            yield f"element {at}", part
    elif not of_type(thing, type):
        yield from _attributes(thing)


def _partial_parts(thing: Any) -> Iterator[tuple[str, Any]]:
    yield "function", thing.func
    yield from ((f"argument {at}", part) for at, part in enumerate(thing.args))
    yield from ((f"argument {key!r}", part) for key, part in thing.keywords.items())


def _function_parts(thing: FunctionType) -> Iterator[tuple[str, Any]]:
    yield from ((f"closure cell {name!r}", value) for name, value in enclosed(thing))
    yield from (("default argument", part) for part in thing.__defaults__ or ())
    yield from ((f"default of {key!r}", part) for key, part in (thing.__kwdefaults__ or {}).items())
    yield from _attributes(thing)
    yield from ((f"global {name!r}", value) for name, value in globals_of(thing))


def _attributes(thing: Any) -> Iterator[tuple[str, Any]]:
    yield from ((f"attribute {name!r}", part) for name, part in list(attributes_of(thing).items()))
    yield from ((f"attribute {name!r}", part) for name, part in slots_of(thing))


def _article(thing: Any) -> str:
    """What a thing is, as one speaks of it."""
    if of_type(thing, FunctionType):
        return "a lambda" if thing.__name__ == "<lambda>" else f"the function {thing.__qualname__}"
    name = type(thing).__qualname__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
