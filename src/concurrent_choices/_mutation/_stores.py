"""Whether a callable's code stores anything outside its own variables, told before it has done so."""

from __future__ import annotations

import sys
from functools import lru_cache
from itertools import pairwise
from opcode import opmap
from types import BuiltinFunctionType, FunctionType, ModuleType

from .._facts._lean import TYPE_CHECKING
from .._inspect._asking import of_type
from .._inspect._callables import called, enclosed
from .._inspect._code import KEPT, codes_in, globals_of, imports_in, names_in, parameters_of
from .._inspect._ownership import is_own_module
from .._inspect._steps import NAMING, SIMPLE, steps_of, times_bound, use_of
from ._within import FIRST_CHANGERS, is_container

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType
    from typing import Any

    from .._inspect._steps import Step

__all__ = ["CHANGING", "INDEXED", "INDEXING", "MUTATORS", "is_changer", "may_store", "stores_beyond"]

_BINDING = frozenset({"DELETE_ATTR", "DELETE_GLOBAL", "STORE_ATTR", "STORE_GLOBAL"})
MUTATORS = frozenset(
    {"add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "popleft"}
    | {"put", "remove", "reverse", "setdefault", "sort", "update", "write"}
    | {"difference_update", "extendleft", "fill", "intersection_update", "move_to_end"}
    | {"__delitem__", "__setitem__", "symmetric_difference_update"}
)
"""Methods of what may be anything that change it."""

CHANGING = frozenset({"partition", "resize", "rotate", "send", "subtract", *MUTATORS})
"""The same of what is known to be a container."""

_CHANGERS = FIRST_CHANGERS | {"delattr", "setattr"}
"""Functions that change what they are given first."""

INDEXING = {"DELETE_SUBSCR": 1, "STORE_SLICE": 2, "STORE_SUBSCR": 1}
"""Instructions that change an item, and by how many values they say which; slices have one from 3.12 on."""

INDEXED = frozenset(opmap[name] for name in INDEXING if name in opmap)
"""Their numbers."""

_TELLTALE = MUTATORS | _CHANGERS
_LOADING = frozenset({"LOAD_ATTR", "LOAD_GLOBAL"})
_MAY_STORE = INDEXED | {opmap[name] for name in (*_BINDING, "STORE_DEREF")}
_LITERALS = frozenset(
    {"BUILD_CONST_KEY_MAP", "BUILD_LIST", "BUILD_MAP", "BUILD_SET"}
    | {"DICT_UPDATE", "LIST_EXTEND", "SET_UPDATE"}
)
_MAKERS = frozenset(
    {"Counter", "OrderedDict", "bytearray", "defaultdict", "deque", "dict", "list", "set", "sorted"}
)


def is_changer(value: Any) -> bool:
    """Whether it is a method that changes its container and was taken from it, as in `add = found.append`."""
    is_method = of_type(value, BuiltinFunctionType) and value.__name__ in CHANGING
    return is_method and is_container(value.__self__)


def may_store(fn: Any) -> bool:
    """Whether the callable's own code stores anything outside its variables, or names what mutates.

    What it does to containers that it has made itself does not count.
    """
    itself = called(fn)
    if not isinstance(itself, FunctionType):
        return True
    libraries = _libraries_of(itself)
    return any(stores_beyond(code, libraries) for code in codes_in(itself.__code__))


def _libraries_of(function: FunctionType) -> frozenset[str]:
    """The names by which a function has modules that are not the user's own, as `np` and `np.char`."""
    named = (*globals_of(function), *enclosed(function), *_imported_by(function.__code__))
    found = {name: each for name, each in named if _is_of_library(each)}
    asked = _asked_to_change(function.__code__)
    within = (
        f"{name}.{each}" for name, library in found.items() for each in asked if _is_module_of(library, each)
    )
    return frozenset((*found, *within))


def _asked_to_change(code: CodeType) -> set[str]:
    """What code names just before a method that changes its object, or a function of such a name."""
    if MUTATORS.isdisjoint(names_in(code)):
        return set()
    return {
        step.value
        for each in codes_in(code)
        for step, following in pairwise(steps_of(each))
        if step.name == following.name == "LOAD_ATTR" and following.value in MUTATORS
    }


def _is_module_of(library: ModuleType, name: str) -> bool:
    """Whether a library has a module under a name; one that is not there yet is loaded when asked for."""
    held = vars(library)
    if name in held:
        return _is_of_library(held[name])
    from importlib.machinery import PathFinder  # noqa: PLC0415 - hardly ever needed

    return PathFinder.find_spec(f"{library.__name__}.{name}", held.get("__path__", ())) is not None


def _is_of_library(thing: Any) -> bool:
    return of_type(thing, ModuleType) and not is_own_module(thing)


def _imported_by(code: CodeType) -> Iterator[tuple[str, Any]]:
    """What code imports when it runs, by variables that stand for nothing else; None if it is not there."""
    for each in codes_in(code) if imports_in(code) else ():
        steps = steps_of(each)
        for step, (how, variable, _) in pairwise(steps):
            if step.name == "IMPORT_NAME" and how in NAMING and times_bound(steps, variable) == 1:
                yield variable, sys.modules.get(step.value.partition(".")[0])


@lru_cache(KEPT)
def stores_beyond(code: CodeType, libraries: frozenset[str] = frozenset()) -> bool:
    """Whether code stores anything but in its own variables, and in containers that it has made itself.

    Of `libraries`, which are names of modules, functions may have names of methods that change their object.
    """
    # At a glance, since to take code apart costs as much as a hundred of these.
    if _TELLTALE.isdisjoint(code.co_names) and _MAY_STORE.isdisjoint(code.co_code[::2]):
        return False
    steps = steps_of(code)
    own = _own_containers(code, steps)
    return any(_is_store(code, steps, at, own, libraries) for at in range(len(steps)))


def _is_store(
    code: CodeType, steps: Sequence[Step], at: int, own: set[str], libraries: frozenset[str]
) -> bool:
    step = steps[at]
    if step.name == "STORE_DEREF":
        return step.value in code.co_freevars
    if step.name in _LOADING and step.value in _CHANGERS and _changes_another(steps, at, own):
        return True
    if step.name == "LOAD_ATTR" and _path_before(steps, at) in libraries:
        return False
    reach = _reach(steps, at)
    return step.name in _BINDING or (reach > 0 and not _is_own(steps[max(0, at - reach) : at + 1], own))


def _path_before(steps: Sequence[Step], at: int) -> str:
    """The path, as `np.char`, by which the step before a place loads a value; empty if there is none."""
    if at > 1 and steps[at - 1].name == "LOAD_ATTR":
        return f"{_path_before(steps, at - 1)}.{steps[at - 1].value}"
    return str(steps[at - 1].value) if steps[at - 1].name in SIMPLE else ""


def _changes_another(steps: Sequence[Step], at: int, own: set[str]) -> bool:
    """Whether what a step loads is called, for all one sees, and not with one's own container first."""
    use = use_of(steps, at + 1)
    return (use is None or use.argument == -1) and not _is_own(steps[at + 1 : at + 2], own)


def _reach(steps: Sequence[Step], at: int) -> int:
    """How many steps before it the value is loaded that a step changes, if all is plain; 0 if none is."""
    name = steps[at].name
    if name == "LOAD_ATTR":
        return int(steps[at].value in MUTATORS)
    if indices := INDEXING.get(name):
        # The beginning of `+=` at an index has been judged by the time of its end.
        is_end = [step.name for step in steps[at - 2 : at]] == ["SWAP", "SWAP"]
        return 0 if is_end else 1 + indices
    return 2 if name == "COPY" == steps[at + 1].name else 0


def _is_own(steps: Sequence[Step], own: set[str]) -> bool:
    """Whether what the last of these steps changes is a container of one's own, loaded by the first."""
    first, *others = steps
    loaded = first.name == "LOAD_FAST" and first.value in own
    return loaded and all(each.name in SIMPLE for each in others[:-1]) and not any(it.joined for it in others)


def _own_containers(code: CodeType, steps: Sequence[Step]) -> set[str]:
    """Variables that are no parameters, and are only ever bound to containers made on the spot."""
    bound = {at: step.value for at, step in enumerate(steps) if step.name == "STORE_FAST"}
    foreign = {
        name for at, name in bound.items() if steps[at].joined or not _is_made(steps[max(0, at - 4) : at])
    }
    return set(bound.values()) - foreign - set(parameters_of(code))


def _is_made(before: Sequence[Step]) -> bool:
    """Whether the last of four steps makes a container: a literal, or a call with one argument at most."""
    if not before or before[-1].joined:
        return False
    last = before[-1]
    if last.name not in {"CALL", "CALL_KW"} or last.value > 1:
        return last.name in _LITERALS
    names = int(last.name == "CALL_KW")  # a constant above the arguments
    maker, *arguments = before[-2 - last.value - names : -1]
    plain = all(step.name in SIMPLE and not step.joined for step in arguments)
    return plain and maker.name == "LOAD_GLOBAL" and maker.value in _MAKERS
