"""Which functions a call may come to, of all that hang on a callable; and what it passes to the first."""

from __future__ import annotations

from opcode import opmap
from types import FunctionType

from .._facts._lean import TYPE_CHECKING
from .._inspect._asking import of_type
from .._inspect._callables import taken_apart
from .._inspect._captured import beneath
from .._inspect._code import codes_in, names_in
from .._inspect._ownership import is_own_function
from ._searches import Held

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["bound_to", "functions_for", "parted"]

_MAKING = frozenset({"__init__", "__new__", "__post_init__"})
_DEFINING = frozenset({"__init_subclass__", "__set_name__"})
"""Methods that Python calls when a class is made."""

_CLASS = opmap["LOAD_BUILD_CLASS"]


def functions_for(first: Any, reached: Sequence[Any]) -> list[FunctionType]:
    """The function that a call runs, whoever wrote it, and those of the user's own among what is reached."""
    functions = [first] if of_type(first, FunctionType) else []
    functions += [each for each in reached if each is not first and is_own_function(each)]
    if any(map(_makes_classes, functions)):
        return functions
    return [each for each in functions if each.__name__ not in _DEFINING]


def _makes_classes(function: FunctionType) -> bool:
    return any(_CLASS in code.co_code[::2] for code in codes_in(function.__code__))


def parted(functions: Sequence[FunctionType], first: Any) -> tuple[list[FunctionType], list[FunctionType]]:
    """What a call may come to: the first, all that are no methods, and methods that these name; and the rest.

    A class is made for more than one callable: what its other methods do, as objects are made, filled or
    reset, keeps work here only where that is plain.
    """
    called, others = list[FunctionType](), [*functions]
    names, ahead = set[str](), [each for each in functions if each is first or not _class_of(each)]
    while ahead:
        called += ahead
        names.update(*(names_in(each.__code__) for each in ahead))
        known = {id(each) for each in called}
        others = [each for each in others if id(each) not in known]
        ahead = [each for each in others if _is_named(each, names)]
    return called, others


def _class_of(function: FunctionType) -> str:
    """The name of the class that a method is written in; empty where a function stands alone."""
    place = function.__qualname__.split(".")
    return place[-2] if len(place) > 1 and "<" not in place[-2] + place[-1] else ""


def _is_named(method: FunctionType, names: set[str]) -> bool:
    """Whether code with these names may call a method: by name, by making an object, or by way of Python."""
    name = method.__name__
    if name in _MAKING and _class_of(method) in names:
        return True
    return name in names or (name.startswith("__") and name not in _MAKING)


def bound_to(fn: Any) -> tuple[Any, list[Held], dict[str, Held]]:
    """The function that a call runs, and what the callable itself passes to it, unless it is a library's."""
    function, own, args, kwargs = taken_apart(fn, (), {})
    function = beneath(function)
    if not is_own_function(function):
        return function, [], {}
    held = [Held(each, "its bound arguments" if at >= own else "its object") for at, each in enumerate(args)]
    return function, held, {name: Held(each, "its bound arguments") for name, each in kwargs.items()}
