"""Whether calls show hashes, which differ from process to process: by `hash()`, or by the order of a set."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .._inspect._asking import ATOMS
from .._inspect._callables import taken_apart
from .._inspect._code import KEPT, codes_in, globals_in
from .._inspect._hashes import has_own_order, hashes_are_set
from .._inspect._one_process import held_within
from .._inspect._ownership import is_own_function
from .._inspect._steps import steps_of, use_of
from .._mutation._callees import functions_for, parted
from ._orders import listed_by, lists_given

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import CodeType, FunctionType

    from .._inspect._steps import Step

__all__ = ["given_hashed", "items_hashed", "shows_hashes"]

_KEEPING = frozenset({"COMPARE_OP", "STORE_ATTR"})
_HASHING = frozenset({"__eq__", "__hash__"})
"""Methods whose hashes stay in the process that asks for them."""


def shows_hashes(fn: Any, reached: Sequence[tuple[str, Any]], things: Iterable[tuple[str, str, Any]]) -> str:
    """How calls show hashes, of what hangs on a callable and what that holds; empty where nothing is seen."""
    functions = [each for _, each in reached if is_own_function(each)]
    hashing = [each for each in functions if _hashes(each)]
    holds_set = any(has_own_order(each) for _, _, each in things)
    holds_set = holds_set or any(_has_set(each.__code__) for each in functions)
    if not (hashing or holds_set) or hashes_are_set():
        return ""
    first = taken_apart(fn, (), {})[0]
    called, _ = parted(functions_for(first, [each for _, each in reached]), first)
    if named := next((each for each in called if each in hashing), None):
        return f"{named.__qualname__} uses hash(), which gives other numbers in each process"
    words = listed_by(fn, called) if holds_set else ""
    return f"calls go through a set ({words}), and each process has that in another order" if words else ""


@lru_cache(KEPT)
def _has_set(code: CodeType) -> bool:
    """Whether a set is written out in it: the interpreter keeps that as a frozen one."""
    return any(has_own_order(constant) for each in codes_in(code) for constant in each.co_consts)


def _hashes(function: FunctionType) -> bool:
    """Whether it uses the builtin `hash`, and not only to be hashed itself or to compare two."""
    code = function.__code__
    named = "hash" in globals_in(code) and "hash" not in function.__globals__
    return named and function.__name__ not in _HASHING and any(map(_shows_hash, codes_in(code)))


def _shows_hash(code: CodeType) -> bool:
    """Whether it does more with hashes than compare them, or keep them for objects that are hashed."""
    steps = steps_of(code)
    places = (at for at, step in enumerate(steps, 1) if step[:2] == ("LOAD_GLOBAL", "hash"))
    calls = [use_of(steps, at) for at in places]
    return any(call is None or call.argument != -1 or _is_shown(steps, call.at + 1) for call in calls)


def _is_shown(steps: Sequence[Step], at: int) -> bool:
    use = use_of(steps, at)
    # To see whether a thing has a hash, as the last of these does, is to see nothing of that.
    return (use is None or use.step.name not in _KEEPING) and steps[at].name != "POP_TOP"


def items_hashed(fn: Any, items: Iterable[Any]) -> str:
    """How calls show hashes, of the items that they are given; empty where nothing is seen."""
    return next((how for item in items if (how := given_hashed(fn, (item,), {}))), "")


def given_hashed(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The same of the arguments of one call."""
    if not any(map(_holds_set, (*args, *kwargs.values()))) or hashes_are_set():
        return ""
    function, own, args, kwargs = taken_apart(fn, args, kwargs)
    if not is_own_function(function) or not lists_given(function, own, args, kwargs):
        return ""
    return "calls go through sets that they are given, and each process has those in another order"


def _holds_set(item: Any) -> bool:
    return type(item) not in ATOMS and any(has_own_order(each) for _, _, each in held_within([("", item)]))
