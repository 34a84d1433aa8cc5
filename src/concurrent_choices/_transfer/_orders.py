"""Whether code lists a set that it holds or is given, so that results show in what order that is.

In one process that order is always the same, and rows whose columns follow it fit together. In another
process it is another one.
"""

from __future__ import annotations

from types import CodeType

from .._facts._lean import TYPE_CHECKING
from .._inspect._hashes import has_own_order
from .._inspect._ownership import is_own_function
from .._inspect._steps import NAMING, use_of
from .._mutation._callees import bound_to
from .._mutation._searches import Held, Search
from .._mutation._trails import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import FunctionType
    from typing import Any

    from .._inspect._steps import Step, Use

__all__ = ["listed_by", "lists_given"]

_LISTING = frozenset(
    {"array", "chain", "combinations", "cycle", "deque", "extend", "filter", "from_iterable", "fromiter"}
    | {"islice", "iter", "join", "list", "map", "next", "permutations", "product", "starmap", "tuple"}
)
"""What gives things in the order in which it is given them, by its name."""

_NUMBERING = frozenset({"enumerate", "zip", "zip_longest"})
"""What gives a thing its number, or what belongs to that."""

_INDIFFERENT = frozenset(
    {"Counter", "all", "any", "difference", "endswith", "frozenset", "fsum", "intersection", "isdisjoint"}
    | {"issubset", "issuperset", "len", "max", "min", "prod", "set", "sorted", "startswith", "sum", "union"}
    | {"update"}
)
"""What gives the same in whatever order it is given things; of sums of fractions not the last digit."""

_ADDING = frozenset({"append", "appendleft", "extend", "insert", "write"})
_CONSTANT = frozenset({"LOAD_COMMON_CONSTANT", "LOAD_CONST", "LOAD_SMALL_INT"})
_EXTREME = frozenset({"max", "min"})
_UNORDERED = frozenset({"BUILD_MAP", "BUILD_SET"})
_AFTER_LOOP = frozenset({"END_FOR", "POP_ITER", "POP_TOP", "STORE_FAST", "SWAP"})
"""By which a list is left on the stack when the loop of its comprehension is over."""

_FAR = 40
"""Instructions before a call that are looked at for what is called (guessed: as many as are for its use)."""


def listed_by(fn: Any, called: Sequence[FunctionType]) -> str:
    """What holds a set that calls list, in words; empty for nothing. `called` is what calls come to."""
    function, held, by_name = bound_to(fn)
    search = _search(of_given=False)
    given = {id(function): (held, by_name)}
    found = (search.changed_by(each, *given.get(id(each), ([], {}))) for each in called)
    return next((words for each in found for words in each if words), "")


def lists_given(function: FunctionType, own: int, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a function lists sets that it is called with; so many arguments are its own object."""
    given = [Held(each, "" if at < own else "its arguments") for at, each in enumerate(args)]
    by_name = {name: Held(each, "its arguments") for name, each in kwargs.items()}
    return any(_search(of_given=True).changed_by(function, given, by_name))


def _search(*, of_given: bool) -> Search:
    return Search(lambda _: True, of_given=of_given, reading=_Listing)


class _Listing(Reading):
    """Code that is read for what lists a set."""

    def _loaded(self, step: Step) -> Held | None:
        if step.name == "LOAD_CONST" and has_own_order(step.value):
            return self._search.held(step.value, "in its code")
        return super()._loaded(step)

    def _inside(self, held: Held, at: int, use: Use) -> Held | None:
        if use.step.name == "SET_UPDATE" and not use.above:  # as a set that is written out is made
            return held
        return super()._inside(held, at, use)

    def _updated(self, step: Step) -> str:  # noqa: ARG002 - that is a change
        return ""

    def _fills(self, held: Held) -> bool:  # noqa: ARG002 - that is one, too
        return False

    def _is_change(self, held: Held, use: Use) -> bool:
        if not has_own_order(held.value):
            return False
        if use.step.name == "GET_ITER":
            return self._is_shown_by_loop(use.at)
        if use.step.name == "LIST_EXTEND" and not use.above:
            return self._is_shown(use.at + 1)
        name = self._called_by_name(use.at) if use.argument >= 0 else ""
        return name in _NUMBERING or (name in _LISTING and self._is_shown(use.at + 1))

    def _is_shown(self, at: int) -> bool:
        """Whether the order of what has been listed before this place comes to anything but a message."""
        return not self._is_raised(at) and self._is_used(at)

    def _is_used(self, at: int) -> bool:
        """Whether what follows a place uses what has been listed before it."""
        following = self._steps[at]
        if following.name == "FOR_ITER":
            return self._is_shown_in(at)
        if following.name in NAMING:
            return not self._is_sorted(following)
        use = use_of(self._steps, at)
        if use is None:
            return True  # it is returned, or the like
        if use.step.name == "GET_ITER":
            return self._is_shown_by_loop(use.at)
        if use.argument < 0:
            return use.step.name != "CONTAINS_OP"
        name = self._called_by_name(use.at)  # that of a second way that Python has for `any` is not plain
        return (
            bool(name) and name not in _INDIFFERENT and (name not in _LISTING or self._is_shown(use.at + 1))
        )

    def _is_raised(self, at: int) -> bool:
        """Whether what follows a place is there to raise an error, with a message of what would be valid."""
        for name, _, joined in self._steps[at : at + _FAR]:
            if joined or "JUMP" in name or "RETURN" in name or "YIELD" in name:
                return False
            if name == "RAISE_VARARGS":
                return True
        return False

    def _is_sorted(self, naming: Step) -> bool:
        """Whether what a variable is given to is sorted in its place."""
        load = naming.name.replace("STORE", "LOAD")
        return any(
            step[:2] == (load, naming.value) and following[:2] == ("LOAD_ATTR", "sort")
            for step, following in zip(self._steps, self._steps[1:], strict=False)
        )

    def _is_shown_by_loop(self, at: int) -> bool:
        """Whether a loop or a comprehension shows in which order it goes; here it takes its iterator."""
        following = self._steps[at + 1]
        if following.name == "CALL":  # a comprehension in a function of its own
            codes = (step.value for step in reversed(self._steps[:at]) if isinstance(step.value, CodeType))
            name = next((code.co_name for code in codes), "")
            return name not in {"<dictcomp>", "<setcomp>"} and self._is_shown(at + 2)
        place = next((place for place, step in self._ahead(at) if step.name == "FOR_ITER"), None)
        if place is None or place == at + 1:
            return place is not None and self._is_shown_in(place)
        if any(step.name in _UNORDERED for step in self._steps[at:place]):
            return False
        end: int = self._steps[place].value
        while self._steps[end].name in _AFTER_LOOP:
            end += 1
        return self._is_shown(end)

    def _ahead(self, at: int) -> Iterator[tuple[int, Step]]:
        yield from enumerate(self._steps[at + 1 : at + _FAR], at + 1)

    def _is_shown_in(self, at: int) -> bool:
        """Whether what a loop does with one thing after another shows their order; here it takes them."""
        places = range(at + 1, self._steps[at].value)
        return any(self._is_ordered(place, places) for place in places)

    def _is_ordered(self, at: int, places: range) -> bool:
        """Whether a step of a loop adds to a list, returns what it came to or makes a new thing of an old."""
        name, value, _ = self._steps[at]
        if name == "LOAD_ATTR":
            return value in _ADDING
        if name == "RETURN_VALUE":
            return self._steps[at - 1].name not in _CONSTANT
        if name == "LOAD_FAST":
            return self._is_renewed(at, places)
        # What a generator gives is looked at where it is made, and most serve `any` and the like.
        return name == "LIST_APPEND" or (name == "YIELD_VALUE" and self._code.co_name != "<genexpr>")

    def _is_renewed(self, at: int, places: range) -> bool:
        """Whether a variable is bound to what a call makes of it, as in `text = text.replace(word, "")`."""
        use = use_of(self._steps, at + 1)
        if use is not None and use.step.name == "LOAD_ATTR":
            use = use_of(self._steps, use.at + 1)
        if use is None or use.argument < -1 or use.at + 1 not in places:
            return False
        is_bound = self._steps[use.at + 1][:2] == ("STORE_FAST", self._steps[at].value)
        return is_bound and self._called_by_name(use.at) not in _EXTREME

    def _called_by_name(self, call: int) -> str:
        """By what name something is called, a function or a method; empty where that is not plain."""
        for at in range(call - 1, max(0, call - _FAR), -1):
            use = use_of(self._steps, at)
            if use is not None and use.at == call and use.argument == -1:
                step = self._steps[at - 1]
                is_global = step.name == "LOAD_GLOBAL"
                is_own = is_global and is_own_function(self._globals.get(step.value))
                return step.value if isinstance(step.value, str) and not is_own else ""
        return ""
