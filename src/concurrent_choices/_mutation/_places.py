"""Where code loads something from and where it keeps something, in whatever way that is written.

`self.count`, `getattr(self, "count", 0)`, `vars(self)["count"]` and `self.__dict__["count"]` are one place.
"""

from __future__ import annotations

from .._facts._lean import TYPE_CHECKING, NamedTuple
from .._inspect._steps import ENDING, JUMPS, LEAVING, NAMING, SIMPLE, UNPACKING, Use, parts_of_call, use_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .._inspect._steps import Step

    _Path = list[tuple[str, Any]]
    """What loads something, and an attribute of it, and one of that: instructions with what they name."""

__all__ = ["CALLING", "Flow", "Start", "flows", "loads_of", "path_of", "target_of"]

CALLING = frozenset({"CALL", "CALL_KW"})
"""Instructions that call something."""

_KEPT_IN = {"STORE_DEREF": "LOAD_DEREF", "STORE_GLOBAL": "LOAD_GLOBAL"}
"""What loads a variable around the code again that these bind."""

_LOADING = frozenset({"LOAD_CLOSURE", "LOAD_DEREF", "LOAD_FAST"})
_OF_VARIABLES = NAMING | _LOADING
_GLOBALS = ("CALL", "globals")
_CALL = ("CALL", 0)
_TABLE_AND_KEY = 2
_TABLE = ("LOAD_ATTR", "__dict__")


def path_of(steps: Sequence[Step], end: int) -> _Path:
    """By what the step before a place loads something; empty where that is not plain."""
    if not end:
        return []
    name, value, _ = steps[end - 1]
    if name in SIMPLE:
        return [(name, value)]
    if name == "LOAD_ATTR":
        return _beyond(path_of(steps, end - 1), value)
    if name == "BINARY_SUBSCR":
        return _entry_of(steps, end - 1)
    return _given_by(steps, end - 1) if name == "CALL" else []


def target_of(steps: Sequence[Step], use: Use) -> _Path:
    """By what one would load again what a step keeps somewhere; empty where one could not."""
    name, value, _ = use.step
    if name in _KEPT_IN:
        return [(_KEPT_IN[name], value)]
    if name == "STORE_ATTR" and use.above == 1:
        return _beyond(path_of(steps, use.at), value)
    if name == "STORE_SUBSCR" and use.above == _TABLE_AND_KEY:
        return _entry_of(steps, use.at)
    is_last = name == "CALL" and use.argument == value - 1 > 0
    return _set_by(steps, use.at) if is_last else []


def _beyond(path: _Path, name: Any) -> _Path:
    """The path to an attribute of what a path leads to; empty where that is, or it has no such name."""
    return [*path, ("LOAD_ATTR", name)] if path and name and type(name) is str else []


def _entry_of(steps: Sequence[Step], end: int) -> _Path:
    """The path to what a table of attributes, or of globals, has under a name, both loaded before a place."""
    name, table = _constant(steps, end), path_of(steps, end - 1)
    if table == [_GLOBALS] and name:
        return [("LOAD_GLOBAL", name)]
    return _beyond(table[:-1], name) if table[-1:] == [_TABLE] else []


def _given_by(steps: Sequence[Step], at: int) -> _Path:
    """The path to what a call gives, where that is an attribute, or all of them."""
    match _call_at(steps, at):
        case [("LOAD_GLOBAL", "globals")], []:
            return [_GLOBALS]
        case [("LOAD_GLOBAL", "type")], [first]:
            return _beyond(path_of(steps, first), "__class__")
        case [("LOAD_GLOBAL", "vars")], [first]:
            return _beyond(path_of(steps, first), "__dict__")
        case [("LOAD_GLOBAL", "getattr")], [first, second, *_]:
            return _beyond(path_of(steps, first), _constant(steps, second))
        case [*owner, ("LOAD_ATTR", "__dict__"), ("LOAD_ATTR", "get")], [first, *_]:
            return _beyond(owner, _constant(steps, first))
        case called, arguments:
            return [*called, _CALL] if called and not arguments else []


def _set_by(steps: Sequence[Step], at: int) -> _Path:
    """The path to what a call sets to its last argument."""
    match _call_at(steps, at):
        case (
            [("LOAD_GLOBAL", "setattr")] | [("LOAD_GLOBAL", "object"), ("LOAD_ATTR", "__setattr__")],
            [first, second, _],
        ):
            return _beyond(path_of(steps, first), _constant(steps, second))
        case [*owner, ("LOAD_ATTR", "__setattr__")], [first, _]:
            return _beyond(owner, _constant(steps, first))
        case _:
            return []


def _call_at(steps: Sequence[Step], at: int) -> tuple[_Path, list[int]]:
    """The path to what a call at a place calls, and where each of its arguments ends."""
    _, *ends = parts_of_call(steps, at) or [0, 0]
    return path_of(steps, ends[0]), ends[1:]


def _constant(steps: Sequence[Step], end: int) -> str:
    """The text that is loaded before a place; empty where there is none."""
    name, value, _ = steps[end - 1]
    return value if name == "LOAD_CONST" and type(value) is str else ""


class Flow(NamedTuple):
    """What uses something that has been loaded, or what was made of it.

    Attributes:
        use: What uses it.
        is_made: Whether something else had been made of it before.
        by_call: Whether a call had a part in that.
    """

    use: Use
    is_made: bool
    by_call: bool


class Start(NamedTuple):
    """Where something has been loaded, and how it came there.

    Attributes:
        at: Before which place.
        above: How many values are above it.
        is_made: Whether it has been made of what is looked for.
        by_call: Whether a call had a part in that.
    """

    at: int
    above: int = 0
    is_made: bool = False
    by_call: bool = False


def flows(steps: Sequence[Step], start: Start, seen: set[Start]) -> Iterator[Flow]:
    """What becomes of what has been loaded, through the variables that are given to it.

    What was `seen` leads nowhere new.
    """
    at, above, is_made, by_call = start
    use = None if start in seen else use_of(steps, at, above)
    seen.add(start)
    while use is not None:
        yield Flow(use, is_made, by_call)
        if use.step.name in ENDING:
            break
        if use.step.name in UNPACKING:
            for part in range(_parts_in(use.step)):
                yield from flows(steps, Start(use.at + 1, part, is_made=True, by_call=by_call), seen)
            return
        if use.step.name == "BUILD_TUPLE" and steps[use.at + 1][:2] == ("UNPACK_SEQUENCE", use.step.value):
            use = use_of(steps, use.at + 2, use.step.value - 1 - use.above)  # as of `a, b = b, a`
            continue
        is_made = is_made or use.step.name != "COPY"
        by_call = by_call or use.step.name in CALLING
        is_looped = use.step.name == "GET_ITER" and steps[use.at + 1].name == "FOR_ITER"
        use = use_of(steps, use.at + 1 + is_looped)
    if use is not None and use.step.name in NAMING:
        for place in loads_of(steps, use.step.value, use.at):
            yield from flows(steps, Start(place, 0, is_made, by_call), seen)


def _parts_in(step: Step) -> int:
    """How many values a step takes one apart into; with a star it is told of those before and behind that."""
    before, after = step.value & 0xFF, step.value >> 8
    return int(step.value if step.name == "UNPACK_SEQUENCE" else before + 1 + after)


def loads_of(steps: Sequence[Step], name: str, given: int = -1) -> list[int]:
    """The places after the loads of a variable that may find in it what it is given at a place.

    Without one, what a caller has given it.
    """
    named = [at for at, step in enumerate(steps) if step.name in _OF_VARIABLES and step.value == name]
    stores = [at for at in named if steps[at].name in NAMING]
    loads = [at + 1 for at in named if at not in stores]
    if stores == named[: given >= 0]:  # that alone, before all else
        return loads
    reached = _reached_from(steps, given, {*stores})
    return [at for at in loads if at - 1 in reached]


def _reached_from(steps: Sequence[Step], at: int, ends: set[int]) -> set[int]:
    """The places that code may come to after one, up to some ends; errors may lead to any handler."""
    reached = set[int]()
    ahead = [place for place, step in enumerate(steps) if step.name == "PUSH_EXC_INFO" and place > at]
    ahead.append(at + 1)
    while ahead:
        at = ahead.pop()
        while at not in reached:
            reached.add(at)
            name, value, _ = steps[at]
            if name in JUMPS:
                ahead.append(value)
            if name in LEAVING or at in ends:
                break
            at += 1
    return reached
