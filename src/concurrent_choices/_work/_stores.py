"""What a callable's code stores outside its own variables, told from the code, before it has done so."""

from __future__ import annotations

from collections import deque
from functools import partial
from opcode import opmap
from types import FunctionType, MethodType

from .._facts._lean import TYPE_CHECKING
from ._asking import attributes_of, of_type
from ._callables import called, enclosed
from ._captured import reached_from
from ._code import codes_in, of_libraries, parameters_of
from ._steps import SIMPLE, steps_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType
    from typing import Any

    from ._steps import Step

__all__ = ["altered_by", "alters_items", "alters_parameter", "may_store"]

_BINDING = frozenset({"DELETE_ATTR", "DELETE_GLOBAL", "STORE_ATTR", "STORE_GLOBAL"})
_MUTATORS = frozenset(
    {"add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "popleft"}
    | {"put", "remove", "reverse", "setdefault", "sort", "update", "write"}
)
_INDEXING = {"DELETE_SUBSCR": 1, "STORE_SLICE": 2, "STORE_SUBSCR": 1}
"""Instructions that change an item, and by how many values they say which; slices have one from 3.12 on."""

_MAY_STORE = frozenset(opmap[name] for name in (*_BINDING, *_INDEXING, "STORE_DEREF") if name in opmap)
_INDEXED = frozenset(opmap[name] for name in _INDEXING if name in opmap)
_CONTAINERS = (list, dict, set, bytearray, deque)
_LITERALS = frozenset(
    {"BUILD_CONST_KEY_MAP", "BUILD_LIST", "BUILD_MAP", "BUILD_SET"}
    | {"DICT_UPDATE", "LIST_EXTEND", "SET_UPDATE"}
)
_MAKERS = frozenset(
    {"Counter", "OrderedDict", "bytearray", "defaultdict", "deque", "dict", "list", "set", "sorted"}
)
_CHAIN = 8
"""Instructions after the load of an item that are looked at (guessed: few attributes stand in a row)."""


def may_store(fn: Any) -> bool:
    """Whether the callable's own code stores anything outside its variables, or names what mutates.

    What it does to containers that it has made itself does not count.
    """
    itself = called(fn)
    return not isinstance(itself, FunctionType) or any(map(_stores, codes_in(itself.__code__)))


def altered_by(fn: Any) -> str:
    """Which container the callable's code changes, if ever it gets there; empty where none is seen.

    Only what is plain: a container of a closure or of the globals, by a method of its own or by an index. A
    name that is bound anew does not count: that is how a process loads something for itself, once.

    The functions that the callable uses are looked at too, but those of libraries.
    """
    itself = called(fn)
    functions = (each for _, each in reached_from(fn) if isinstance(each, FunctionType))
    looked_at = (each for each in functions if each is itself or not of_libraries(each.__code__))
    return next((name for function in looked_at for name in _altered(function)), "")


def alters_items(fn: Any, items: Sequence[Any]) -> bool:
    """Whether the callable's code changes what it is called with, if ever it gets there."""
    itself, place = called(fn), _bound_to(fn)
    if not items or not isinstance(itself, FunctionType) or place >= itself.__code__.co_argcount:
        return False
    return alters_parameter(itself, itself.__code__.co_varnames[place], items)


def alters_parameter(function: FunctionType, name: str, values: Sequence[Any]) -> bool:
    """Whether a function's code changes what it is given under a name, which is such as these values.

    Only what is plain: an attribute or an element that is set, or a container that it holds, by a method of
    that. One whose code gives the name to something else too is not looked at.
    """
    code = function.__code__
    if of_libraries(code) or _stores_nothing(code):
        return False
    steps = steps_of(code)
    if any(step.name.startswith("STORE_FAST") and step.value == name for step in steps):
        return False
    loads = [at for at, step in enumerate(steps, 1) if step[:2] == ("LOAD_FAST", name)]
    return any(_is_altered(steps[at : at + _CHAIN], value) for at in loads for value in values)


def _bound_to(fn: Any) -> int:
    """How many parameters stand before the item's."""
    if isinstance(fn, partial):
        return len(fn.args) + _bound_to(fn.func)
    return 1 + _bound_to(fn.__func__) if isinstance(fn, MethodType) else 0


def _is_altered(then: Sequence[Step], held: Any) -> bool:
    """Whether what follows the load of a value changes it, or what its attributes hold."""
    for at, step in enumerate(then):
        if step.name in {"DELETE_ATTR", "STORE_ATTR"}:
            return True
        if [each.name for each in then[at : at + 2]] == ["COPY", "LOAD_ATTR"]:  # as in `+=`
            return True
        if _is_mutator(step):
            return of_type(held, *_CONTAINERS)
        if step.name != "LOAD_ATTR":
            return _is_changed(then[at : at + 4])
        held = attributes_of(held).get(step.value)
    return False


def _altered(function: FunctionType) -> Iterator[str]:
    free = dict(enclosed(function))
    for code in codes_in(function.__code__):
        for place, name in _changed(code):
            held, kind = (function.__globals__, "global") if place == "LOAD_GLOBAL" else (free, "enclosing")
            if isinstance(held.get(name), _CONTAINERS):
                yield f"the {kind} {name!r}"


def _changed(code: CodeType) -> Iterator[tuple[str, str]]:
    """Names whose values are changed where they are, and how they are reached."""
    if _MUTATORS.isdisjoint(code.co_names) and _INDEXED.isdisjoint(code.co_code[::2]):
        return  # as most code; to take it apart costs a millisecond for some hundred instructions
    steps = steps_of(code)
    for at, step in enumerate(steps):
        if step.name in {"LOAD_DEREF", "LOAD_GLOBAL"} and _is_changed(steps[at + 1 : at + 5]):
            yield step.name, step.value


def _is_changed(then: Sequence[Step]) -> bool:
    """Whether what follows the load of a value changes it: names a method that does, or sets an item."""
    if then and _is_mutator(then[0]):
        return True
    indices = next((at for at, step in enumerate(then) if step.name not in SIMPLE), len(then))
    rest = [step.name for step in then[indices:]]
    if rest[:1] == ["BUILD_SLICE"]:  # up to 3.11
        return rest[1:] in (["STORE_SUBSCR"], ["DELETE_SUBSCR"])
    by_index = bool(rest) and _INDEXING.get(rest[0]) == indices
    return by_index or (indices == 1 and rest[:2] == ["COPY", "COPY"])  # the latter as in `+=`


def _is_mutator(step: Step) -> bool:
    return step.name == "LOAD_ATTR" and step.value in _MUTATORS


def _stores(code: CodeType) -> bool:
    """Whether code stores anything but in its own variables, and in containers that it has made itself."""
    if _stores_nothing(code):
        return False
    steps = steps_of(code)
    own = _own_containers(code, steps)
    return any(_is_store(code, steps, at, own) for at in range(len(steps)))


def _stores_nothing(code: CodeType) -> bool:
    """Whether that can be told at a glance: to take code apart costs a millisecond for some hundred steps."""
    return _MUTATORS.isdisjoint(code.co_names) and _MAY_STORE.isdisjoint(code.co_code[::2])


def _is_store(code: CodeType, steps: Sequence[Step], at: int, own: set[str]) -> bool:
    step = steps[at]
    if step.name == "STORE_DEREF":
        return step.value in code.co_freevars
    reach = _reach(steps, at)
    return step.name in _BINDING or (reach > 0 and not _is_own(steps[max(0, at - reach) : at + 1], own))


def _reach(steps: Sequence[Step], at: int) -> int:
    """How many steps before it the value is loaded that a step changes, if all is plain; 0 if none is."""
    if _is_mutator(steps[at]):
        return 1
    if indices := _INDEXING.get(steps[at].name):
        # The beginning of `+=` at an index has been judged by the time of its end.
        is_end = [step.name for step in steps[at - 2 : at]] == ["SWAP", "SWAP"]
        return 0 if is_end else 1 + indices
    return 2 if [step.name for step in steps[at : at + 2]] == ["COPY", "COPY"] else 0


def _is_own(steps: Sequence[Step], own: set[str]) -> bool:
    """Whether what the last of these steps changes is a container of one's own, loaded by the first."""
    if not steps:
        return False
    first, *others = steps
    loaded = first.name == "LOAD_FAST" and first.value in own
    return (
        loaded and all(each.name in SIMPLE for each in others[:-1]) and not any(it.joined for it in others)
    )


def _own_containers(code: CodeType, steps: Sequence[Step]) -> set[str]:
    """Variables, but parameters, that are never bound to anything but containers made on the spot."""
    bound = {at: step.value for at, step in enumerate(steps) if step.name.startswith("STORE_FAST")}
    foreign = {
        name for at, name in bound.items() if steps[at].joined or not _is_made(steps[max(0, at - 3) : at])
    }
    return set(bound.values()) - foreign - set(parameters_of(code))


def _is_made(before: Sequence[Step]) -> bool:
    """Whether the last of three steps makes a container: a literal, or a call with one argument at most."""
    if not before or before[-1].joined:
        return False
    last = before[-1]
    if last.name != "CALL" or last.value > 1:
        return last.name in _LITERALS
    maker, *arguments = before[-2 - last.value : -1]
    plain = all(step.name in SIMPLE and not step.joined for step in arguments)
    return plain and maker.name == "LOAD_GLOBAL" and maker.value in _MAKERS
