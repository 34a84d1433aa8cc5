"""What a search for changes goes through: functions, each with what it gets hold of."""

from __future__ import annotations

from functools import partial
from types import FunctionType, MethodType

from .._facts._lean import TYPE_CHECKING, NamedTuple
from .._inspect._asking import of_type
from .._inspect._callables import defaults_of, enclosed, taken_apart
from .._inspect._captured import beneath, wrapped_by
from .._inspect._code import parameters_of
from .._inspect._ownership import is_own_function
from .._inspect._steps import steps_of, times_bound
from ._within import attribute, is_container

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import CodeType
    from typing import Any

    _Reading = Callable[["Search", CodeType, dict[tuple[str, Any], "Held"], dict[str, Any], int], Any]
    """Makes of a piece of code, and of what it gets hold of, what tells its `changes`."""

__all__ = ["GIVEN", "ITEM", "Held", "Search", "is_short", "taken_from"]

ITEM: Any = object()
"""What stands for the item, of which the value does not matter: only what is kept of it counts."""

GIVEN = "GIVEN"
"""Stands for an instruction that loads the item, where it is told by what name code gets hold of that."""

_SHORT = 400
"""Bytes of the code of a function that is read for what it gives (guessed: ten lines, without loops)."""

_DEPTH = 6
"""Methods that are followed from one to the next (guessed: what is told of by a dozen hands is not plain)."""


class Held(NamedTuple):
    """A value that code has got hold of.

    Attributes:
        value: The value; None where it is not known.
        words: What it hangs on, for people; empty for what was not asked for.
        goes_first: Whether it goes to a function that changes the container it is given first.
    """

    value: Any
    words: str
    goes_first: bool = False


class Search:
    """For what functions change of what they hold; or, where that is asked for, of what they are given.

    Args:
        is_worth: Tells at a glance whether to read a function's code.
        of_given: Whether only what they are given counts, and then also what is bound anew in it.
        of_containers: Whether only containers that they hold themselves count, and no other objects.
        reading: How code is read.
    """

    def __init__(
        self,
        is_worth: Callable[[CodeType], bool],
        *,
        of_given: bool = False,
        of_containers: bool = False,
        reading: _Reading,
    ) -> None:
        self.of_given = of_given
        self._of_containers = of_containers
        self._is_worth = is_worth
        self._reading = reading
        self._seen: set[tuple[int, ...]] = set()
        self._given: dict[tuple[int, ...], Held | None] = {}

    def changed_by(
        self,
        function: FunctionType,
        args: Sequence[Held] = (),
        by_name: Mapping[str, Held] | None = None,
        depth: int = 0,
        *,
        is_asked: bool = False,
    ) -> Iterator[str]:
        """Words for what a function changes, and empty ones, if it is called with these.

        What it gives is noted, which may be asked of code that is not worth to be read for changes.
        """
        held_by = [*args, *(by_name or {}).values()]
        key = _key_of(function, held_by)
        layers = [function, *wrapped_by(function)] if args else [function]
        worth = [each for each in layers if (is_asked and is_short(each)) or self._is_worth(each.__code__)]
        if depth > _DEPTH or key in self._seen or not worth:
            return
        is_read = key[:1] in self._seen and all(held.value is ITEM or not held.words for held in held_by)
        self._seen |= {key, key[:1]}  # whoever has read it for an object has read it
        for layer in worth:
            known = self._known_to(layer, args, by_name or {})
            reading = self._reading(self, layer.__code__, known, layer.__globals__, depth)
            yield from reading.kept() if is_read else reading.changes()
            self._given[key] = self._given.get(key) or reading.given

    def followed(
        self,
        called: Held,
        depth: int,
        more: Sequence[Held] = (),
        named: Mapping[str, Held] | None = None,
        *,
        is_asked: bool = False,
    ) -> tuple[str, Held | None]:
        """What a call of a value with more arguments changes, in words, and what it gives that it holds."""
        function, args, by_name = taken_from(called)
        if not is_own_function(function):
            return "", None
        args, by_name = [*args, *more], {**by_name, **(named or {})}
        changes = self.changed_by(function, args, by_name, depth + 1, is_asked=is_asked)
        words = next((words for words in changes if words), "")
        return words, self._given.get(_key_of(function, [*args, *by_name.values()]))

    def held(self, value: Any, words: str) -> Held | None:
        """A value that nobody has passed in; None where such a one does not count."""
        if value is None or (self._of_containers and not is_container(value)):
            return None
        return Held(value, "" if self.of_given else words)

    def _known_to(
        self, function: FunctionType, args: Sequence[Held], by_name: Mapping[str, Held]
    ) -> dict[tuple[str, Any], Held]:
        """What a function gets hold of beside globals, by the instructions that load it."""
        code = function.__code__
        known = {("STORE_DEREF", name): Held(None, f"the enclosing {name!r}") for name in code.co_freevars}
        around = {name: self.held(value, f"the enclosing {name!r}") for name, value in enclosed(function)}
        known |= {("LOAD_DEREF", name): held for name, held in around.items() if held is not None}
        given = {name: self.held(value, "its defaults") for name, value in defaults_of(function)}
        given |= {**dict(zip(code.co_varnames[: code.co_argcount], args, strict=False)), **by_name}
        if any(held.value is ITEM for held in args[code.co_argcount :]):
            rest = parameters_of(code)[code.co_argcount + code.co_kwonlyargcount :]
            given |= dict.fromkeys(rest[:1], args[-1])
        for name, held in given.items():
            if held and held.value is ITEM:
                known[GIVEN, name] = held
            elif held and held.words and not self._is_replaced(code, name, held):
                known["LOAD_FAST", name] = known["LOAD_DEREF", name] = held
        return known

    @staticmethod
    def _is_replaced(code: CodeType, name: str, held: Held) -> bool:
        """Whether code gives a parameter another value: by `+=` a container stays the one that it was."""
        return times_bound(steps_of(code), name, anew=is_container(held.value)) > 0


def is_short(function: FunctionType) -> bool:
    """Whether a function is read for what it gives."""
    return len(function.__code__.co_code) <= _SHORT


def _key_of(function: FunctionType, held_by: Sequence[Held]) -> tuple[int, ...]:
    return (id(function), *(id(held.value) for held in held_by))


def taken_from(held: Held) -> tuple[Any, list[Held], dict[str, Held]]:
    """The function that a call of a value runs, and what the value itself passes to it."""
    is_plain = of_type(held.value, FunctionType, MethodType, partial)
    fn = held.value if is_plain else attribute(held.value, "__call__")
    if fn is None:
        return None, [], {}
    function, _, args, kwargs = taken_apart(fn, (), {})
    function = beneath(function)
    by_name = {name: Held(each, held.words) for name, each in kwargs.items()}
    return function, [Held(each, held.words) for each in args], by_name
