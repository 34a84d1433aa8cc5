"""Whether code finds things by names that it does not spell out: a worker process would not have them.

A function that travels by value takes along the globals that its code names. What it finds by
`globals()[name]`, by `eval(text)` or in the main module itself stays behind, and so does a class that only
what it unpickles names, or that is only known as one of another's `__subclasses__()`.
"""

from __future__ import annotations

from types import BuiltinFunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from .._inspect._asking import of_type
from .._inspect._code import codes_in, globals_in, globals_of, names_in
from .._inspect._ownership import MAINS, is_own_function
from .._inspect._steps import steps_of, use_of
from ._pickling import travels_by_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import CodeType, FunctionType

__all__ = ["looked_up"]

_FINDERS = frozenset({"eval", "exec", "globals"})
_IMPORTERS = frozenset({"import_module", "modules"})
_PICKLERS = frozenset({"_pickle", "cloudpickle", "dill", "joblib", "pickle", "shelve"})
_READERS = frozenset({"Unpickler", "load", "loads", "shelve"})


def looked_up(reached: Iterable[tuple[str, Any]]) -> str:
    """How what hangs on a callable finds what no worker would have; empty where nothing is seen."""
    things = [each for _, each in reached]
    for function in filter(is_own_function, things):
        how = _finder(function, things)
        if how and not travels_by_name(function):
            return f"{function.__qualname__} uses {how}, which finds in this process what no other has"
    return ""


def _finder(function: FunctionType, reached: Sequence[Any]) -> str:
    """What a function finds things with."""
    code, around = function.__code__, function.__globals__
    names = names_in(code)
    for name in _FINDERS.intersection(globals_in(code)):
        if name not in around and any(_finds_globals(each, name) for each in codes_in(code)):
            return f"{name}()"
    if "__subclasses__" in names:
        return "__subclasses__()"
    by_name = "__name__" in names and not _IMPORTERS.isdisjoint(names)
    if by_name or not names.isdisjoint(MAINS) or any(map(_spells_main, codes_in(code))):
        return "the main module itself"
    if _READERS.isdisjoint(names) or not (_PICKLERS & names or _holds_pickler(function)):
        return ""
    unnamed = around.get("__name__") in MAINS and _lacks_class(list(around.values()), reached)
    return "pickle for classes that it does not name" if unnamed else ""


def _finds_globals(code: CodeType, name: str) -> bool:
    """Whether it uses the builtin of that name without giving it the names to look in."""
    steps = steps_of(code)
    places = (at for at, step in enumerate(steps, 1) if (step.name, step.value) == ("LOAD_GLOBAL", name))
    uses = [use_of(steps, at) for at in places]
    return any(use is None or use.argument != -1 or use.step.value < 2 for use in uses)  # noqa: PLR2004 - code, and names for it


def _spells_main(code: CodeType) -> bool:
    # Not `in`, which would compare bytes with a text, of which `python -b` warns.
    return any(type(constant) is str and constant in MAINS for constant in code.co_consts)


def _holds_pickler(function: FunctionType) -> bool:
    return any(_is_pickler(value) for _, value in globals_of(function))


def _is_pickler(value: Any) -> bool:
    if of_type(value, BuiltinFunctionType):
        return bool(value.__module__ == "_pickle")
    if not of_type(value, ModuleType):
        return False
    return str(value.__dict__.get("__name__")).partition(".")[0] in _PICKLERS


def _lacks_class(held: Iterable[Any], reached: Sequence[Any]) -> bool:
    """Whether among what the main module holds is a class of its own that is not reached."""
    own = (each for each in held if of_type(each, type) and each.__module__ in MAINS)
    return not all(any(each is known for known in reached) for each in own)
