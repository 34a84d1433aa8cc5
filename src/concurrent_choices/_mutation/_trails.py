"""What becomes of a value in code that loads it: whether it is changed, or anything inside it.

It is followed through attributes, elements, variables that are given to it and methods that are called, until
something is changed or the trail is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType

from .._facts._lean import TYPE_CHECKING
from .._inspect._asking import ATOMS, of_type
from .._inspect._captured import loaded_as
from .._inspect._code import parameters_of
from .._inspect._ownership import is_own_function
from .._inspect._steps import NAMING, NO_ARGUMENT, UNPACKING, UPDATES, Step, steps_of, times_bound, use_of
from ._places import loads_of
from ._searches import ITEM, Held, is_short, taken_from
from ._stores import CHANGING, INDEXING, is_changer
from ._within import (
    FIRST_CHANGERS,
    LOOPED,
    Attributes,
    Giving,
    attribute,
    changes_its_first,
    element,
    getter_of,
    given_by,
    gone_through,
    has_array,
    has_attribute,
    has_method,
    inherited,
    is_container,
    is_filled,
    is_kind_of_container,
    is_view,
    unpacked,
)

if TYPE_CHECKING:
    from typing import Any

    from .._inspect._steps import Use
    from ._searches import Search

__all__ = ["OPERATORS", "OUT", "TELLTALE", "Reading"]

_FILLING = frozenset({"divide", "maximum", "minimum", "multiply"})
"""NumPy's functions that people give the array to fill as a last argument, where it is no `out=`; and `add`
and `subtract`, which are above (guessed: the others are seldom used so)."""

TELLTALE = CHANGING | FIRST_CHANGERS | _FILLING
"""What code names that changes a container by a method or a function."""

OUT = "out"
"""By what name NumPy's functions are given the array that they fill."""

_SETTING_ATTRIBUTES = frozenset({"DELETE_ATTR", "STORE_ATTR"})
_BUILT_IN: dict[str, Any] = {
    each.__name__: each
    for each in (bytearray, delattr, dict, getattr, next, set, setattr, type, vars, *LOOPED)
}
"""Functions of Python's own that change what they are given, or give what it is, or what stands in it."""

_IMPORTING = frozenset({"IMPORT_FROM", "IMPORT_NAME"})
_UNCALLED = (type, type(None), BuiltinFunctionType)
"""What has no code of the user's own to be read where it is called."""

_LOADED = _IMPORTING | {"LOAD_CONST", "LOAD_DEREF", "LOAD_FAST", "LOAD_GLOBAL"}
_FINDING = frozenset({"LOAD_ATTR", "LOAD_SUPER_ATTR"})
_GATHERING = frozenset({"BUILD_LIST", "BUILD_TUPLE"})
_CONSTANTS = frozenset({"LOAD_CONST", "LOAD_SMALL_INT"})
_OPERATORS = {
    "BINARY_SUBSCR": ("__getitem__", 1),
    "CONTAINS_OP": ("__contains__", 0),
    "DELETE_SUBSCR": ("__delitem__", 1),
    "STORE_SUBSCR": ("__setitem__", 1),
}
"""The methods that instructions come to, and how many values are above the object."""

OPERATORS = frozenset(name for name, _ in _OPERATORS.values())
"""Their names."""

_UNKNOWN = Held(None, "")


class Reading:
    """One piece of code as it is read.

    Args:
        search: What for.
        code: The code.
        known: What it gets hold of beside globals, by the instructions that load it.
        around: The globals.
        depth: How many methods were followed to it.
    """

    def __init__(
        self,
        search: Search,
        code: CodeType,
        known: dict[tuple[str, Any], Held],
        around: dict[str, Any],
        depth: int,
    ) -> None:
        self._search = search
        self._code = code
        self._steps = steps_of(code)
        self._known = known
        self._globals = around
        self._depth = depth
        self._first: set[int] = set()
        """Places after loads of what goes to functions that change the container they are given first."""
        self._module: Any = None
        """What is being imported."""
        self._called: dict[int, Held] = {}
        """What is called, by the places of the calls."""
        self._passed: dict[tuple[int, int], Held] = {}
        """What is passed to it, by the places of the calls and among arguments."""
        self._pending = [*range(1, len(self._steps) + 1)]
        """Places to be looked at, and again where a variable comes round."""
        self._placed: dict[int, Held] = {}
        """What variables have that stand for more than one thing, by the places after their loads."""
        self.given: Held | None = None
        """What a call gives, of what it gets hold of."""

    def changes(self) -> Iterator[str]:
        """Words for what it changes, inside the functions it makes too; and empty ones."""
        for at in self._pending:
            step = self._steps[at - 1]
            name = step.name
            if name in _LOADED and (held := self._placed.get(at) or self._loaded(step)) is not None:
                yield self._changed(at, held._replace(goes_first=at in self._first))
            elif name == "BINARY_OP" and step.value in UPDATES:
                yield self._updated(self._steps[at])
        for code in self._code.co_consts:
            if isinstance(code, CodeType):
                known = {key: held for key, held in self._known.items() if key[1] in code.co_freevars}
                yield from type(self)(self._search, code, known, self._globals, self._depth).changes()

    def kept(self) -> Iterator[str]:
        """The same of what it keeps of the item alone: here that is nothing."""
        return iter(())

    def _loaded(self, step: Step) -> Held | None:
        if step[:2] == ("LOAD_GLOBAL", "super") and "super" not in self._globals:
            return self._super()
        if step.name == "LOAD_GLOBAL":
            value = self._globals.get(step.value, _BUILT_IN.get(step.value))
            return self._search.held(value, f"the global {step.value!r}")
        if step.name in _IMPORTING:
            return self._search.held(self._imported(step), f"the imported {step.value!r}")
        return self._known.get(step[:2]) if step.name in {"LOAD_DEREF", "LOAD_FAST"} else None

    def _imported(self, step: Step) -> Any:
        """What is imported on the spot: a module, if it is there, or what `from` takes of the last one."""
        if step.name == "IMPORT_FROM":
            return attribute(self._module, step.value)
        name, dot, _ = step.value.partition(".")
        found = loaded_as(step.value, self._globals)
        self._module = next((module for module in found if module is not None), None)
        return loaded_as(name, self._globals)[0] if dot else self._module  # `import a.b` gives `a`

    def _held_as(self, does: str, name: str) -> Held | None:
        """What a variable or a global stands for, or may."""
        placed = (held for at, held in self._placed.items() if self._steps[at - 1][:2] == (does, name))
        return self._loaded(Step(does, name, joined=False)) or next(placed, None)

    def _super(self) -> Held | None:
        """What `super()` stands for in a method; None where its object is not known."""
        itself = self._known.get(("LOAD_FAST", next(iter(self._code.co_varnames), "")))
        around = self._known.get(("LOAD_DEREF", "__class__"))
        if itself is None or around is None:
            return None
        kinds: Any = type(itself.value).__mro__  # of no other, which would be asked what it is
        above: list[Any] = [super(kind, itself.value) for kind in kinds if kind is around.value]
        return itself._replace(value=above[0]) if above else None

    def _updated(self, step: Step) -> str:
        """What a step binds anew to what an operator such as `+=` has made of it."""
        if step.name not in {"STORE_DEREF", "STORE_GLOBAL"}:
            return ""
        held = self._loaded(step._replace(name=step.name.replace("STORE", "LOAD")))
        return "" if held is None else held.words

    def _changed(self, at: int, held: Held | None) -> str:
        """What is changed by what follows the load of a value; empty where nothing is seen."""
        while held is not None and not self._is_noted(at, held):
            use = use_of(self._steps, at)
            if use is not None and use.argument == -1:
                self._called[use.at] = held
            is_given = use is None or use.step.name == "RETURN_VALUE"
            if is_changer(held.value) and (use is None or is_given or use.argument > NO_ARGUMENT):
                return held.words
            if use is None or is_given:
                self._give(held)
                return self._may_be_called(held)
            if self._is_change(held, use):
                return held.words
            changed, given = self._by_call(held, use)
            if changed:
                return changed
            following = given and given._replace(goes_first=held.goes_first)
            at, held = use.at + 1, following or self._inside(held, at, use)
        return ""

    def _may_be_called(self, held: Held) -> str:
        """What is changed by a method, or what a partial calls, that is handed on to who may call it."""
        is_called = held.words and of_type(held.value, MethodType, partial)
        return self._search.followed(held, self._depth)[0] if is_called else ""

    def _give(self, held: Held) -> None:
        """Note what a call gives, where anything can be done with that."""
        if held.words and not of_type(held.value, *ATOMS):
            self.given = self.given or held

    def _by_call(self, held: Held, use: Use) -> tuple[str, Held | None]:
        """What is changed by a call that has a part in what becomes of a value, and what that gives."""
        if use.step.name == "LOAD_ATTR":
            getter = held.words and getter_of(held.value, use.step.value)
            called, is_asked = held._replace(value=getter or None), True
        elif use.argument == NO_ARGUMENT:
            return self._by_operator(held, use), None
        elif use.argument >= 0:
            return self._handed_on(held, use)
        else:
            called, is_asked = held, self._steps[use.at + 1].name != "POP_TOP"
        # What functions change that are no methods is read for in any case.
        is_plain = of_type(called.value, FunctionType) and not (is_asked and is_short(called.value))
        if not called.words or is_plain or of_type(called.value, *_UNCALLED):
            return "", None
        return self._search.followed(called, self._depth, is_asked=is_asked)

    def _is_noted(self, at: int, held: Held) -> bool:
        """Note what is told by the step after a load: names for the parts, or what goes to a changer."""
        name, value, _ = self._steps[at]
        if name in UNPACKING:
            self._store(at, held)
        elif changes_its_first(held.value) and name not in NAMING:
            self._first.add(at + 1)
        elif name == "LOAD_ATTR" and value in CHANGING and is_kind_of_container(held.value):
            self._first.add(at + 2)  # as `list.append` does
        else:
            return False
        return True

    def _by_operator(self, held: Held, use: Use) -> str:
        """What is changed by a method of the user's own that an index, or the like, comes to."""
        name, above = _OPERATORS.get(use.step.name, ("", 0))
        method = attribute(held.value, name) if name and use.above == above else None
        return self._may_be_called(held._replace(value=method))

    def _handed_on(self, held: Held, use: Use) -> tuple[str, Held | None]:
        """What is changed by a function that a value is handed to, and what that gives."""
        called, place = self._called.get(use.at, _UNKNOWN), use.argument
        if place < 0 or not held.words or (held.value is not None and of_type(held.value, *ATOMS)):
            return "", None
        if changed := self._may_be_called(held):
            return changed, None
        names: Any = self._steps[use.at - 1].value if use.step.name == "CALL_KW" else ()
        unnamed = use.step.value - len(names)
        if not is_own_function(taken_from(called)[0]):
            is_out = names[place - unnamed] == OUT if place >= unnamed else is_filled(called.value, place)
            return held.words if is_out and self._fills(held) else "", None
        given, by_name = list[Held](), dict[str, Held]()
        if place < unnamed:
            self._passed[use.at, place] = held
            given = [self._passed.get((use.at, each), _UNKNOWN) for each in range(unnamed)]
        else:
            by_name[names[place - unnamed]] = held
        return self._search.followed(called, self._depth, given, by_name, is_asked=held.value is not ITEM)

    def _fills(self, held: Held) -> bool:
        """Whether that what is computed is put into a value is a change of it."""
        return has_array(held.value)

    def _is_change(self, held: Held, use: Use) -> bool:
        """Whether what uses a value changes it."""
        name, value, _ = use.step
        if name == "LOAD_ATTR":
            return value in CHANGING and is_container(held.value) and has_method(held.value, value)
        if use.argument == 0:
            return self._goes_to_a_changer(held, self._called.get(use.at, _UNKNOWN))
        if name == "COPY":
            return self._is_updated(held, use)
        if name == "BINARY_OP":  # of a variable, which has what was in it before
            return value in UPDATES and use.above == 1 and is_container(held.value)
        if name in _SETTING_ATTRIBUTES:
            return self._search.of_given and not use.above
        return INDEXING.get(name) == use.above and self._may_be_set(held)

    def _goes_to_a_changer(self, held: Held, called: Held) -> bool:
        """Whether what is called changes what it is given first."""
        if called.value is next:
            return of_type(held.value, Iterator)
        if called.value is setattr or called.value is delattr:
            return self._search.of_given
        return held.goes_first and is_container(held.value)

    def _is_updated(self, held: Held, use: Use) -> bool:
        """Whether what is copied is to be set to what an operator such as `+=` makes of it."""
        following = self._steps[use.at + 1]
        if use.above:
            return following.name == "COPY" and (self._may_be_set(held) or of_type(held.value, Attributes))
        known = self._search.of_given or has_attribute(held.value, following.value)
        return following.name == "LOAD_ATTR" and known

    def _may_be_set(self, held: Held) -> bool:
        """Whether to set an item is to change it: of what calls are given that is taken for granted."""
        return self._search.of_given or is_container(held.value)

    def _inside(self, held: Held, at: int, use: Use) -> Held | None:
        """What a step makes of what was loaded before a place; None where the trail is lost."""
        name, value = use.step.name, None
        if held.value is not None and (told := self._told_of(held, at, use)):
            return told
        if of_type(held.value, super):
            return self._of_super(held, use)
        if name == "LOAD_ATTR":
            value = attribute(held.value, use.step.value)
            if value is None and self._search.of_given:
                return held._replace(value=None)  # whatever it is, to set something in it is a change
        elif name == "BINARY_SUBSCR" and use.above == 1:
            value = self._element(held.value, at, use.at)
        elif name == "COPY" and not use.above:
            return held  # as of `:=`
        elif name in _GATHERING:
            value = (*[None] * (use.step.value - 1 - use.above), held.value)
        elif name == "GET_ITER":
            self._name_each(use.at, held)
        elif name in NAMING and held.value is not None:
            self._name(use.at, held)
        return None if value is None else held._replace(value=value)

    def _of_super(self, held: Held, use: Use) -> Held | None:
        """What a step makes of `super`: the same by a call, or a method that is found there."""
        if use.argument == -1:
            return held
        value = inherited(held.value, use.step.value) if use.step.name in _FINDING else None
        return None if value is None else held._replace(value=value)

    def _told_of(self, held: Held, at: int, use: Use) -> Held | None:
        """What a step tells of a value: its type, its attributes, its elements; None where it does not."""
        if use.argument == -1 and type(held.value) is Giving:
            return held._replace(value=held.value.value)
        if use.step.name == "BINARY_SLICE" and is_view(held.value):  # as of an index with such, from 3.12 on
            return held
        called = self._called.get(use.at, _UNKNOWN).value if use.argument >= 0 else None
        # Of what calls are given not: which of their items are changed so is seen in workers, where it is.
        if not self._search.of_given and (given := gone_through(held.value, called, use.argument)):
            return held._replace(value=given)
        if (called is type and use.step.value == 1) or use.step[:2] == ("LOAD_ATTR", "__class__"):
            return held._replace(value=type(held.value))
        name: Any = "__dict__" if called is vars else None
        if called is getattr and use.argument == 0:
            name = self._steps[at].value
        return held._replace(value=attribute(held.value, name)) if type(name) is str else None

    def _element(self, container: Any, at: int, end: int) -> Any:
        """What stands at the index that is loaded between two places."""
        last = self._steps[end - 1]
        if last.name == "BUILD_SLICE" or of_type(last.value, slice):
            return container if is_view(container) else None  # of other containers it is a copy
        constant = end == at + 1 and last.name in _CONSTANTS
        return element(container, last.value if constant else None)

    def _name_each(self, at: int, held: Held) -> None:
        """Note the variables of a `for` over a container, for one of what is in there."""
        if self._steps[at + 1].name == "FOR_ITER":
            self._store(at + 2, held._replace(value=given_by(held.value)))

    def _store(self, at: int, held: Held) -> int:
        """Note what steps from a place on name, a value or each of its parts; the place after them."""
        step = self._steps[at]
        if step.name in UNPACKING:
            at += 1
            whole = step.name == "UNPACK_SEQUENCE"
            after = None if whole else step.value >> 8
            for part in unpacked(held.value, step.value if whole else step.value & 0xFF, after):
                at = self._store(at, held._replace(value=part))
            return at
        if step.name in NAMING and held.value is not None:
            self._name(at, held)
        return at + 1

    def _name(self, at: int, held: Held) -> None:
        """Note a variable that is given to a value, where it stands for that."""
        name, variable, _ = self._steps[at]
        # By `+=` a container stays the one that it was.
        times = times_bound(self._steps, variable, anew=is_container(held.value))
        if times == 1 and variable not in parameters_of(self._code):
            self._known[name.replace("STORE", "LOAD"), variable] = held
        else:
            new = [place for place in loads_of(self._steps, variable, at) if place not in self._placed]
            self._placed |= dict.fromkeys(new, held)
            self._pending += [place for place in new if place < at]
