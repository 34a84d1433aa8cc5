"""The instructions of code, the same in every version of the interpreter, and what uses what they load."""

from __future__ import annotations

import sys
from functools import lru_cache
from itertools import accumulate
from opcode import EXTENDED_ARG, hasconst, hasfree, hasjrel, haslocal, hasname, opmap, opname

from .._facts._lean import TYPE_CHECKING, NamedTuple
from ._code import LAZY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType
    from typing import Any

__all__ = [
    "ENDING",
    "JUMPS",
    "LEAVING",
    "NAMING",
    "NO_ARGUMENT",
    "SIMPLE",
    "UNPACKING",
    "UPDATES",
    "Step",
    "Use",
    "parts_of_call",
    "steps_of",
    "times_bound",
    "use_of",
]

SIMPLE = frozenset(
    {"LOAD_COMMON_CONSTANT", "LOAD_CONST", "LOAD_DEREF", "LOAD_FAST", "LOAD_GLOBAL", "LOAD_SMALL_INT"}
)
"""Instructions that load a value, and do no more."""

NAMING = frozenset({"STORE_DEREF", "STORE_FAST"})
"""Instructions that give a variable a value."""

_TEST = "POP_JUMP_IF"
"""What jumps are called that take what they ask, whatever that is."""

_PASSING = "JUMP_OR_POP"
"""The same of those that, where they lead, leave it: up to 3.11 those of `and` and `or`."""

ENDING = NAMING.union(
    ("DELETE_ATTR", "DELETE_SUBSCR", "STORE_ATTR", "STORE_GLOBAL", "STORE_SLICE", "STORE_SUBSCR"),
    ("POP_TOP", "RETURN_VALUE", _PASSING, _TEST),
)
"""Instructions that leave nothing of what they take on the stack."""

UPDATES = range(13, 26)
"""What BINARY_OP is told where it is one of the likes of `+=`."""

_KEPT = 64
"""Pieces of code of which the instructions are remembered: who asks whether one changes this asks the same of
that (guessed: a megabyte)."""

_SILENT = frozenset({"CACHE", "EXTENDED_ARG", "NOP", "NOT_TAKEN", "PRECALL", "PUSH_NULL", "RESUME"})
_SUBSCRIPT = 26
"""What 3.14 gives BINARY_OP for an index; in earlier ones that is an instruction of its own."""

_SPARE = {
    opmap[name]: bits
    for name, bits in {
        "IMPORT_NAME": LAZY,
        "LOAD_ATTR": int(sys.version_info >= (3, 12)),
        "LOAD_GLOBAL": 1,
        "LOAD_SUPER_ATTR": 2,
    }.items()
    if name in opmap
}
"""How many low bits of an instruction's argument are not the place of its name."""

_NAMED, _CONSTANT = frozenset(hasname), frozenset(hasconst)
_VARIABLE, _JUMPS = frozenset([*haslocal, *hasfree]), frozenset(hasjrel)
_BACKWARD = frozenset(
    number for name, number in opmap.items() if "BACKWARD" in name or name == "END_ASYNC_FOR"
)


def _plain(name: str) -> list[str]:
    """What an instruction does, whichever of its forms it has; two things, or nothing, where that is so."""
    if "JUMP" in name:
        return [_PASSING if "OR_POP" in name else _TEST if "POP" in name else "JUMP"]
    name = name.replace("_BORROW", "").replace("_CHECK", "").replace("LOAD_METHOD", "LOAD_ATTR")
    both = name.replace("FAST_LOAD", "FAST LOAD").replace("FAST_STORE", "FAST STORE")
    return [] if name in _SILENT else both.split()


_PLAIN = [_plain(name) for name in opname]
_LENGTHS = [*map(len, _PLAIN)]

JUMPS = frozenset(name for number in _JUMPS for name in _PLAIN[number])
"""Instructions that may go on elsewhere, at the place that is their value."""

LEAVING = frozenset({"JUMP", "RAISE_VARARGS", "RERAISE", "RETURN_CONST", "RETURN_VALUE"})
"""Instructions after which the next one does not follow."""

_TAKES = {
    **dict.fromkeys(SIMPLE, 0),
    **dict.fromkeys(
        ("CONVERT_VALUE", "DELETE_ATTR", "FORMAT_SIMPLE", "LOAD_ATTR", "STORE_DEREF", "STORE_FAST"), 1
    ),
    **dict.fromkeys(("CALL_INTRINSIC_1", "LIST_TO_TUPLE", "POP_TOP", "STORE_GLOBAL", _PASSING, _TEST), 1),
    **dict.fromkeys(("GET_ITER", "TO_BOOL", "UNARY_INVERT", "UNARY_NEGATIVE", "UNARY_NOT"), 1),
    **dict.fromkeys(("BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP", "CONTAINS_OP", "IS_OP"), 2),
    **dict.fromkeys(("DELETE_SUBSCR", "FORMAT_WITH_SPEC", "LIST_EXTEND", "SET_UPDATE", "STORE_ATTR"), 2),
    **dict.fromkeys(("DICT_UPDATE", "LIST_APPEND", "SET_ADD"), 2),
    "LOAD_CLOSURE": 0,
    "SET_FUNCTION_ATTRIBUTE": 2,
    **dict.fromkeys(("BINARY_SLICE", "LOAD_SUPER_ATTR", "STORE_SUBSCR"), 3),
    "STORE_SLICE": 4,
}
"""How many values instructions take from the stack; what they make of them is one value, or is stored."""

UNPACKING = frozenset({"UNPACK_EX", "UNPACK_SEQUENCE"})
"""Instructions that make of one value its parts, the first of them on top."""

_ALONE = UNPACKING | {"RETURN_VALUE"}
"""Instructions after which what is below their value is not looked for."""

_BRANCHING = frozenset({"COPY", "JUMP", _PASSING})
"""Instructions by which a value may be passed on to another place."""

_MOVING = ENDING | {"COPY", "SWAP"}
"""Instructions that do not make one value of those they take."""

_CALLS = {"CALL": 1, "CALL_KW": 2}
_TAKES_AS_TOLD = {
    **dict.fromkeys(("BUILD_LIST", "BUILD_SET", "BUILD_SLICE", "BUILD_STRING", "BUILD_TUPLE"), 0),
    "BUILD_CONST_KEY_MAP": 1,
    **_CALLS,
}
"""The same of those that are told how many, and how many more they take: what is called, and names."""

NO_ARGUMENT = -2
"""No place among arguments, nor that of what is called."""

_FAR = 40
"""Instructions that are looked at for the use of a value (guessed: an index is seldom as long)."""


class Step(NamedTuple):
    """An instruction.

    Attributes:
        name: What it does.
        value: With what; of a jump, to which place.
        joined: Whether it can be jumped to, so that what stands before it need not have come before it.
    """

    name: str
    value: Any
    joined: bool


class Use(NamedTuple):
    """What becomes of a value that has been loaded.

    Attributes:
        at: The place of the step that takes it, or copies it.
        step: That step.
        above: How many values have been loaded after it by then, and are taken too.
    """

    at: int
    step: Step
    above: int

    @property
    def argument(self) -> int:
        """Which argument of a call it is, -1 for what is called; `NO_ARGUMENT` where there is no call."""
        more = _CALLS.get(self.step.name)
        return NO_ARGUMENT if more is None else self.step.value + more - 2 - self.above


@lru_cache(_KEPT)
def steps_of(code: CodeType) -> tuple[Step, ...]:
    """The instructions of code, those that do two things at once taken apart.

    Read here rather than by `dis`, which takes three times as long, and 2 ms of a first run for its import.
    """
    return tuple(_steps(code))


def times_bound(steps: Sequence[Step], name: str, *, anew: bool = False) -> int:
    """How many instructions give a variable a value; if `anew`, without what `+=` and the like make of it."""
    places = (at for at, step in enumerate(steps) if step.name in NAMING and step.value == name)
    return sum(not (anew and _is_update(steps[at - 1])) for at in places)


def _is_update(step: Step) -> bool:
    return step.name == "BINARY_OP" and step.value in UPDATES


def use_of(steps: Sequence[Step], at: int, above: int = 0) -> Use | None:
    """What becomes of the value that the step before this place has loaded; None where that is not plain.

    Or of one that is below so many others there.
    """
    place = at
    for _ in range(_FAR):
        step = steps[place]
        name = step.name
        if name in _BRANCHING and (onward := _onward(steps, place, above)):
            place = onward
            continue
        if name == "SWAP":
            below = step.value - 1
            above = {0: below, below: 0}.get(above, above)
        elif name in _ALONE:
            return None if above else Use(place, step, above)
        else:
            takes = _TAKES.get(name)
            takes = _taken_at(steps, place) if takes is None else takes
            if takes is None:
                return None
            if takes > above or (name == "COPY" and step.value == above + 1):
                return Use(place, step, above)
            above += (name not in ENDING) - takes
        place += 1
    return None


def _onward(steps: Sequence[Step], at: int, above: int) -> int:
    """Where the value below so many others is at hand again, as behind a branch; 0 for the next place."""
    name, value, _ = steps[at]
    if name == "JUMP" or (name == _PASSING and not above):
        return int(value)
    if name == "COPY" and value == 1 and not above:  # as `and` and `or` have it from 3.12 on
        test = steps[at + 1 + (steps[at + 1].name == "TO_BOOL")]
        return test.value if test.name == _TEST else 0
    return 0


def parts_of_call(steps: Sequence[Step], at: int) -> list[int]:
    """Where what a call at this place calls begins, then each of its arguments, and where the last one ends.

    Empty where that is not plain.
    """
    starts = [at]
    for _ in range(_taken_at(steps, at) or 0):
        start = _start_of(steps, starts[0])
        if start is None:
            return []
        starts.insert(0, start)
    return starts


def _start_of(steps: Sequence[Step], end: int) -> int | None:
    """Where that begins which leaves one more value at a place; None where that is not plain."""
    at, missing = end, 1
    while missing:
        at -= 1
        takes = None if at < 0 or steps[at].name in _MOVING else _taken_at(steps, at)
        if takes is None:
            return None
        missing += takes - 1
    return at


def _taken_at(steps: Sequence[Step], at: int) -> int | None:
    """How many values a step takes from the stack; None where that is not told."""
    return 2 if _is_generated(steps, at) else _taken_by(steps[at])


def _is_generated(steps: Sequence[Step], at: int) -> bool:
    """Whether a step calls the function of a comprehension, with the iterator that was loaded for it."""
    return steps[at][:2] == ("CALL", 0) and at > 0 and steps[at - 1].name == "GET_ITER"


def _taken_by(step: Step) -> int | None:
    if step.name == "COPY":
        return 0
    if step.name == "BUILD_MAP":
        return 2 * int(step.value)
    if step.name == "MAKE_FUNCTION":  # up to 3.12 with flags for its defaults, closure and the like
        return 1 + int(step.value).bit_count()
    if step.name == "FORMAT_VALUE":  # up to 3.12; a form may stand above what is shown in it
        return 1 + bool(step.value & 4)
    more = _TAKES_AS_TOLD.get(step.name)
    return _TAKES.get(step.name) if more is None else step.value + more


def _steps(code: CodeType) -> Iterator[Step]:
    names, constants, variables = code.co_names, code.co_consts, _variables_of(code)
    instructions = list(_instructions(code.co_code))
    targets = _targets(instructions, len(code.co_code))
    joined, named, places = False, False, _places(instructions) if targets else {}
    landings = {*targets.values()}
    for at, number, argument in instructions:
        joined = joined or at in landings
        plain = _PLAIN[number]
        if not plain:
            continue
        if len(plain) > 1:
            yield Step(plain[0], variables[argument >> 4], joined)
            yield Step(plain[1], variables[argument & 15], joined)
        elif number in _NAMED:
            yield Step(plain[0], names[argument >> _SPARE.get(number, 0)], joined)
        elif number in _VARIABLE:
            yield Step(plain[0], variables[argument], joined)
        elif number in _JUMPS:
            yield Step(plain[0], places.get(targets[at], len(places)), joined)
        elif number in _CONSTANT:
            named = plain[0] == "KW_NAMES"
            yield Step("LOAD_CONST" if named else plain[0], constants[argument], joined)
        elif plain[0] == "CALL" and named:  # as from 3.13 on
            named = False
            yield Step("CALL_KW", argument, joined)
        else:
            is_index = plain[0] == "BINARY_OP" and argument == _SUBSCRIPT
            yield Step("BINARY_SUBSCR" if is_index else plain[0], argument, joined)
        joined = False


def _variables_of(code: CodeType) -> tuple[str, ...]:
    """By their places: a cell that holds an argument has the argument's."""
    cells = (name for name in code.co_cellvars if name not in code.co_varnames)
    return (*code.co_varnames, *cells, *code.co_freevars)


def _instructions(raw: bytes) -> Iterator[tuple[int, int, int]]:
    """Where instructions stand, their numbers and what they are told."""
    told, extended = raw[1::2], 0
    for at, number in enumerate(raw[::2]):
        if number:  # not room that the interpreter keeps for itself
            argument = told[at] | extended
            extended = argument << 8 if number == EXTENDED_ARG else 0
            yield 2 * at, number, argument


def _targets(instructions: Sequence[tuple[int, int, int]], end: int) -> dict[int, int]:
    """Where jumps lead to, by where they stand; they are told how far from the next instruction that is."""
    jumps = (place for place, (_, number, _) in enumerate(instructions, 1) if number in _JUMPS)
    targets = dict[int, int]()
    for place in jumps:
        at, number, argument = instructions[place - 1]
        after = instructions[place][0] if place < len(instructions) else end
        targets[at] = after + 2 * (-argument if number in _BACKWARD else argument)
    return targets


def _places(instructions: Sequence[tuple[int, int, int]]) -> dict[int, int]:
    """The places among steps of what begins at instructions."""
    offsets, numbers, _ = zip(*instructions, strict=True)
    return dict(zip(offsets, accumulate(map(_LENGTHS.__getitem__, numbers), initial=0), strict=False))
