"""What a callable's code stores outside its own variables, told from the code, before it has done so."""

from __future__ import annotations

import dis
from collections import deque
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType, MethodType
from typing import Any

from ._callables import enclosed
from ._captured import reached_from

__all__ = ["altered_by", "may_store"]

_STORES = frozenset(
    {
        "DELETE_ATTR",
        "DELETE_GLOBAL",
        "DELETE_SUBSCR",
        "STORE_ATTR",
        "STORE_DEREF",
        "STORE_GLOBAL",
        "STORE_SUBSCR",
    }
)
_MUTATORS = frozenset(
    {"add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "popleft"}
    | {"put", "remove", "reverse", "setdefault", "sort", "update", "write"}
)
_INDEXED = frozenset({dis.opmap["DELETE_SUBSCR"], dis.opmap["STORE_SUBSCR"]})
_CONTAINERS = (list, dict, set, bytearray, deque)


def may_store(fn: Any) -> bool:
    """Whether the callable's own code stores anything outside its variables, or names what mutates."""
    while isinstance(fn, MethodType):
        fn = fn.__func__
    if not isinstance(fn, FunctionType):
        return True
    return any(_stores(code) for code in _codes(fn.__code__))


def altered_by(fn: Any) -> str:
    """Which container the callable's code changes, if ever it gets there; empty where none is seen.

    Only what is plain: a container of a closure or of the globals, by a method of its own or by an index. A
    name that is bound anew does not count: that is how a process loads something for itself, once.

    Args:
        fn: The callable. The functions it uses are looked at too, but those of libraries.
    """
    functions = (each for _, each in reached_from(fn) if isinstance(each, FunctionType))
    return next((name for function in functions for name in _altered(function)), "")


def _altered(function: FunctionType) -> Iterator[str]:
    free = dict(enclosed(function))
    for code in _codes(function.__code__):
        for place, name in _changed(code):
            held, kind = (function.__globals__, "global") if place == "LOAD_GLOBAL" else (free, "enclosing")
            if isinstance(held.get(name), _CONTAINERS):
                yield f"the {kind} {name!r}"


def _changed(code: CodeType) -> Iterator[tuple[str, str]]:
    """Names whose values are changed where they are, and how they are reached."""
    if _MUTATORS.isdisjoint(code.co_names) and _INDEXED.isdisjoint(code.co_code[::2]):
        return  # as most code; to take it apart costs a millisecond for some hundred instructions
    steps = list(dis.get_instructions(code))
    for at, step in enumerate(steps):
        if step.opname in {"LOAD_DEREF", "LOAD_GLOBAL"} and _changes(steps[at + 1 : at + 4]):
            yield step.opname, step.argval


def _changes(steps: Sequence[dis.Instruction]) -> bool:
    """Whether what follows the load of a value changes it: names a method that does, or sets an item."""
    if not steps or not steps[0].opname.startswith("LOAD_"):
        return False
    if steps[0].opname in {"LOAD_ATTR", "LOAD_METHOD"}:
        return steps[0].argval in _MUTATORS
    then = [step.opname for step in steps[1:]]
    return then[:1] in (["STORE_SUBSCR"], ["DELETE_SUBSCR"]) or then == ["COPY", "COPY"]


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _stores(code: CodeType) -> bool:
    if not _MUTATORS.isdisjoint(code.co_names):
        return True
    return any(each.opname in _STORES for each in dis.get_instructions(code))
