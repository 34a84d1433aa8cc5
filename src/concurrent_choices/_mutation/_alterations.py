"""What a callable's code would change in what it holds or is given, told before any call has done so."""

from __future__ import annotations

from functools import lru_cache, partial
from opcode import opmap
from types import CodeType, FunctionType, MethodType

from .._facts._lean import TYPE_CHECKING
from .._inspect._asking import ATOMS, Seen, is_proxy, of_type
from .._inspect._callables import defaults_of, enclosed, taken_apart
from .._inspect._captured import beneath, modules_of, reached_from, wrapped_by
from .._inspect._code import KEPT, codes_in, names_in
from .._inspect._ownership import is_own_function, is_own_module
from .._inspect._steps import UPDATES
from ._callees import bound_to, functions_for, parted
from ._renewals import Renewing, keeps, renews, updates
from ._searches import ITEM, Held, Search
from ._stores import INDEXED, MUTATORS, is_changer, stores_beyond
from ._trails import OPERATORS, OUT, TELLTALE, Reading
from ._within import element, named_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

__all__ = ["altered_by", "alters_items", "alters_parameter"]

_SETTING = frozenset(opmap[name] for name in ("DELETE_ATTR", "STORE_ATTR"))
_BINDING = frozenset(opmap[name] for name in ("STORE_ATTR", "STORE_DEREF", "STORE_GLOBAL"))
_OPERATOR = opmap["BINARY_OP"]
_BEYOND = (TELLTALE - MUTATORS) | {"next"}
_SETTERS = frozenset({"__setattr__", "delattr", "setattr"})
_CALLED = OPERATORS | {"__call__"}

WIDEST = 50
"""Things whose methods are looked up (guessed: a tenth of a millisecond)."""


def altered_by(fn: Any) -> str:
    """What the callable's code would change in what it holds, if a call got that far; empty for nothing.

    Only what is plain: a container, by a method of its own or by an index, and what an operator such as `+=`
    sets. A name or an attribute that is bound anew counts where it is made of what it was, or of the item.
    Otherwise that is how a process loads something for itself, once.

    The functions that the callable uses are looked at too, except those of libraries.
    """
    function, held, by_name = bound_to(fn)
    reached = [each for _, each in reached_from(fn) if not of_type(each, *ATOMS)]
    functions = functions_for(function, reached)
    things = [each.value for each in (*held, *by_name.values())]
    things += (each for each in reached if not of_type(each, FunctionType))
    is_worth = _worth_reading(functions, things, of_given=False)
    if not any(is_worth(each.__code__) for each in functions):
        return ""
    called, others = parted(functions, function)
    search = Search(is_worth, reading=Renewing)
    plain = Search(is_worth, of_containers=True, reading=Reading)
    given = {id(function): ([*held, Held(ITEM, "its item")], by_name)}
    # A library's decorator may fill a container that it was given. What it notes elsewhere is its own.
    changes = [
        (search if is_own_function(each) else plain).changed_by(each, *given.get(id(each), ([], {})))
        for each in called
    ]
    changes += map(plain.changed_by, others)
    return next((words for each in changes for words in each if words), "")


def alters_items(fn: Any, items: Sequence[Any]) -> bool:
    """Whether the callable's code would change what it is called with, if a call got that far."""
    function, _, args, _ = taken_apart(fn, (), {})
    before = [Held(None, "")] * len(args)
    return any(_alters(function, [*before, Held(item, "its item")], {}) for item in items)


def alters_parameter(function: FunctionType, name: str, values: Sequence[Any]) -> bool:
    """Whether a function's code changes what it is given under a name, of which `values` are examples.

    Only what is plain: an attribute or an element that is set, or a container that it holds, by a method of
    that. A parameter that the code binds to something else too is not followed.
    """
    return any(_alters(function, [], {name: Held(value, name)}) for value in values)


def _alters(function: Any, args: Sequence[Held], by_name: dict[str, Held]) -> bool:
    """Whether a function changes what it is given; what has no `words` does not count."""
    values = [held.value for held in (*args, *by_name.values()) if held.words]
    if all(of_type(value, *ATOMS) or is_proxy(value) for value in values) or not is_own_function(function):
        return False
    search = Search(_worth_reading([function], values, of_given=True), of_given=True, reading=Reading)
    return any(search.changed_by(function, args, by_name))


def _worth_reading(
    functions: Sequence[FunctionType], things: Sequence[Any], *, of_given: bool
) -> Callable[[CodeType], bool]:
    """A test for code that is worth reading: all of it is, if methods of things may come to a change."""
    is_suspect = partial(_is_suspect, of_given=of_given)
    names = _CALLED.union(*(names_in(each.__code__) for each in functions))
    defaults = (value for each in functions for _, value in defaults_of(each))
    if any(map(is_changer, (*things, *defaults))) or _may_lead(things, names, is_suspect):
        return lambda _: True
    handing = _handing_on(functions, is_suspect)
    return lambda code: code in handing or is_suspect(code)


def _handing_on(
    functions: Iterable[FunctionType], is_suspect: Callable[[CodeType], bool]
) -> frozenset[CodeType]:
    """Code that may come to a change through functions that it names, or that those name in turn."""
    named: dict[CodeType, frozenset[CodeType]] = {}
    ahead: list[Any] = [*functions]
    while ahead and len(named) < WIDEST:
        function = ahead.pop()
        code: CodeType = function.__code__
        if code not in named:
            names = names_in(code)
            found: list[Any] = [function.__globals__.get(name) for name in names]
            modules = [module for _, module in modules_of(function) if is_own_module(module)]
            found += [each for module in modules for each in named_in(module, names)]
            found += [value for _, value in enclosed(function)]
            wrapped = (each.func if of_type(each, partial) else each for each in found)
            following: list[Any] = [each for each in wrapped if is_own_function(each)]
            named[code] = frozenset(each.__code__ for each in following)
            ahead += following
    known, leading = frozenset[CodeType](), frozenset(filter(is_suspect, named))
    while known != leading:
        known = leading
        leading |= {code for code, following in named.items() if not following.isdisjoint(known)}
    return leading


def _may_lead(things: Sequence[Any], names: frozenset[str], is_suspect: Callable[[CodeType], bool]) -> bool:
    """Whether code that uses such names may come to a change by methods of things, or of what they hold."""
    known = frozenset[str]()
    while known != names:
        codes = [function.__code__ for function in _methods(things, names)]
        if any(map(is_suspect, codes)):
            return True
        known, names = names, names.union(*map(names_in, codes))
    return False


def _methods(things: Sequence[Any], names: frozenset[str]) -> Iterator[FunctionType]:
    """The functions of methods that code with these names may find in things, and in what they hold."""
    ahead = [*things]
    seen = Seen()
    while ahead and len(seen) < WIDEST:
        thing = ahead.pop()
        if seen.is_new(thing):
            for each in named_in(thing, names):
                function = beneath(each.__func__ if of_type(each, MethodType) else each)
                if is_own_function(function):
                    yield from (function, *wrapped_by(function))
                if function is each and not of_type(each, *ATOMS):
                    ahead.append(each)
            if not of_type(inside := element(thing, None), *ATOMS):
                ahead.insert(0, inside)  # last of all, as code need not name it


@lru_cache(KEPT)
def _is_suspect(code: CodeType, *, of_given: bool) -> bool:
    """Whether a function's code, read piece by piece, may change anything that is not its own."""
    return any(_may_change(each, of_given=of_given) for each in codes_in(code))


def _may_change(code: CodeType, *, of_given: bool) -> bool:
    if not (_BEYOND | _SETTERS).isdisjoint(code.co_names):
        return True
    numbers, told = code.co_code[::2], code.co_code[1::2]
    if not MUTATORS.isdisjoint(code.co_names) or not INDEXED.isdisjoint(numbers):
        return stores_beyond(code)
    if of_given and not _SETTING.isdisjoint(numbers):
        return True
    if any(type(each) is tuple and OUT in each for each in code.co_consts):  # the names that a call gives
        return True
    has_updates = any(
        number == _OPERATOR and what in UPDATES for number, what in zip(numbers, told, strict=True)
    )
    if _BINDING.isdisjoint(numbers):
        return has_updates and updates(code)
    return has_updates or renews(code) or (not of_given and keeps(code))
