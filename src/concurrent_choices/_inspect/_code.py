"""What the code of functions names.

A worker may import this, so nothing slow may be imported here.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from opcode import EXTENDED_ARG, opmap
from types import CodeType

from .._facts._lean import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FunctionType
    from typing import Any

__all__ = ["KEPT", "LAZY", "codes_in", "globals_in", "globals_of", "imports_in", "names_in", "parameters_of"]

_OF_GLOBALS = tuple(
    (opmap[name], int(name == "LOAD_GLOBAL"))
    for name in ("DELETE_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS", "LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL")
    if name in opmap
)
"""Instructions that reach a global, and how many low bits of their argument do not belong to its place among
the names."""

LAZY = 2 * (sys.version_info >= (3, 15))
"""Low bits of the argument of IMPORT_NAME that say whether it is lazy: there are two from 3.15 on."""

_OF_IMPORTS = ((opmap["IMPORT_NAME"], LAZY),)
"""The same of those that import a module."""

_STARS = (0x04, 0x08)
"""Flags of code that takes `*args` and `**kwargs`; `inspect`, which names them, costs a worker 5 ms."""

_NOWHERE: Any = object()
"""What stands for a global that is not there."""

KEPT = 512
"""Pieces of code whose names are remembered: what a callable holds is looked up before each call that goes to
a worker, and to search its code again took half of that time (guessed: a quarter of a megabyte)."""


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """The code of a function, and of the functions it makes."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


@lru_cache(KEPT)
def names_in(code: CodeType) -> frozenset[str]:
    """The names a function uses, inside the functions it makes too; those of attributes are among them."""
    return frozenset(name for each in codes_in(code) for name in each.co_names)


@lru_cache(KEPT)
def globals_in(code: CodeType) -> tuple[str, ...]:
    """The names by which a function may reach globals, in order, inside the functions it makes too."""
    named = {name for each in codes_in(code) for name in _named_by(_OF_GLOBALS, each)}
    if "globals" in named:  # as in `globals()["seen"]`
        named.update(value for each in codes_in(code) for value in each.co_consts if type(value) is str)
    return tuple(sorted(named))


def globals_of(function: FunctionType) -> list[tuple[str, Any]]:
    """The globals that a function reaches, with their names; at once, as others may change them."""
    around = function.__globals__
    found = ((name, around.get(name, _NOWHERE)) for name in globals_in(function.__code__))
    return [(name, value) for name, value in found if value is not _NOWHERE]


@lru_cache(KEPT)
def imports_in(code: CodeType) -> tuple[str, ...]:
    """The modules that a function imports when it is called, inside the functions it makes too."""
    return tuple(sorted({name for each in codes_in(code) for name in _named_by(_OF_IMPORTS, each)}))


def _named_by(sought: Iterable[tuple[int, int]], code: CodeType) -> Iterator[str]:
    """The names that instructions of some kinds refer to."""
    if not code.co_names:
        return
    # Found by searching bytes: a step for each instruction would take a first run ten times as long.
    raw = code.co_code
    instructions, arguments = raw[::2], raw[1::2]
    for instruction, spare in sought:
        at = instructions.find(instruction)
        while at >= 0:
            yield code.co_names[_argument(instructions, arguments, at) >> spare]
            at = instructions.find(instruction, at + 1)


def _argument(instructions: bytes, arguments: bytes, at: int) -> int:
    """The argument of an instruction, with what those before it extend it by."""
    argument, bits = arguments[at], 8
    while at and instructions[at - 1] == EXTENDED_ARG:
        at -= 1
        argument |= arguments[at] << bits
        bits += 8
    return argument


def parameters_of(code: CodeType) -> tuple[str, ...]:
    """The names of its parameters, those with stars too."""
    stars = sum(bool(code.co_flags & flag) for flag in _STARS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars]
