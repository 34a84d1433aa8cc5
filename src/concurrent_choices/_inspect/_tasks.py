"""What a callable comes to by what it is given: functions that items are or hold, and their own methods.

What these hold is changed by calls as much as what the callable itself does.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache, partial
from itertools import chain
from operator import attrgetter, methodcaller
from types import FunctionType, MethodType

from .._facts._lean import TYPE_CHECKING, NamedTuple
from ._asking import ATOMS, Seen, inside_of, of_type, told_by
from ._callables import taken_apart
from ._captured import beneath, data_among, functions_of, is_data, reached_from
from ._code import KEPT, codes_in, globals_in, imports_in, names_in
from ._ownership import is_own_class, is_own_function
from ._steps import steps_of, use_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from types import CodeType
    from typing import Any

__all__ = ["Methods", "functions_among", "methods_among", "tasks_among", "tasks_in"]

WIDEST = 20
"""Elements and attributes of an item that are looked at (guessed: a task has its function and arguments)."""

FARTHEST = 100
"""Things in all that are looked at for objects with methods, nearest first (guessed, too)."""

MOST = 20
"""Different functions, or classes that things are of, that are looked at (guessed: a millisecond)."""

_CALLED = (FunctionType, MethodType, partial)
_GROUPS = (dict, list, set, tuple)

_BY_NAME = (attrgetter, methodcaller)
_ANY = "getattr"
"""A name of code that may come to methods of any other name, as these classes do."""

_KIND = ("__class__", "type")
"""Names by which code comes to the class of what it has."""

_MAKING = frozenset({"__class_getitem__", "__init__", "__init_subclass__", "__new__", "__set_name__"})
"""Methods with reserved names that make objects and classes; Python may call others at any time."""


def tasks_in(item: object) -> Iterator[Any]:
    """What may be called of an item: itself, or what a container or an object of the user's own has."""
    if type(item) in ATOMS:
        return
    if of_type(item, *_CALLED):
        yield item
    else:
        yield from (each for each in _held_by(item) if of_type(each, *_CALLED))


def functions_among(items: Iterable[Any]) -> list[Any]:
    """The same of several items, but one alone of those that run the same code."""
    found: dict[object, Any] = {}
    for each in chain.from_iterable(map(tasks_in, items)):
        function = beneath(taken_apart(each, (), {})[0])
        found.setdefault(told_by(function, "__code__") or id(function), each)
        if len(found) == MOST:
            break
    return [*found.values()]


def tasks_among(fn: Any, items: Iterable[Any]) -> list[Any]:
    """All that a callable may call of items, and methods of what it holds itself."""
    some = [*items]
    functions = functions_among(some)
    return [*functions, *methods_among(list(reached_from(fn)), functions, some).functions]


class Methods(NamedTuple):
    """What calls may come to by classes.

    Attributes:
        functions: Of methods and properties, and others that are found inside things.
        kinds: Classes that have data of which code has the name.
    """

    functions: list[FunctionType]
    kinds: list[type]


def methods_among(
    reached: Sequence[tuple[str, Any]], functions: Sequence[Any], items: Iterable[Any]
) -> Methods:
    """What calls may come to by the user's own classes of data that is reached, and of items.

    These are methods that the code names, of what is reached from a callable and from functions among its
    items and of methods that it comes to, and those that Python itself calls; of these, those that hold or
    name anything beside what they are called with. Further, other functions that such things have inside.
    What all objects of a class share is such a thing, too, if the code names it. Items may be classes.
    """
    met = _Met()
    met.look_into([*items, *(each for _, each in data_among(reached))])
    own = [
        *chain((each for _, each in reached), (each for one in functions for _, each in reached_from(one)))
    ]
    names = frozenset[str]().union(*map(_names_of, own))
    while True:
        found = [each for kind in met.kinds.values() for each in _named_in(kind, names)]
        before = len(met.kinds)
        met.look_into(each for each in found if not of_type(each, FunctionType))
        more = names.union(*map(_names_of, chain(found, met.functions.values())))
        if met.makes or any(map(_makes_another, (*own, *found, *met.functions.values()))):
            more |= _MAKING
        if more == names and before == len(met.kinds):
            break
        names = more
    known = [told_by(each, "__code__") for each in functions]
    others = [each for code, each in met.functions.items() if code not in known]
    methods = [each for each in (*others, *found) if of_type(each, FunctionType) and _holds_something(each)]
    return Methods(methods, [each for each in met.kinds.values() if _has_data(each, names)])


def _holds_something(method: FunctionType) -> bool:
    code = method.__code__
    return bool(method.__closure__ or method.__defaults__ or globals_in(code) or imports_in(code))


def _has_data(kind: type, names: AbstractSet[str]) -> bool:
    """Whether code with such names may find data in a class, or put other data in its place."""
    named = (part for name, part in [*vars(kind).items()] if name[:2] != "__" and _is_named(name, names))
    return any(type(part) in ATOMS or is_data(part) for part in named)


def _is_named(name: str, names: AbstractSet[str]) -> bool:
    return name in names or _ANY in names


def _held_by(item: object) -> list[Any]:
    """What a container or an object of the user's own has, nearest first, and can be something of note."""
    if not (of_type(item, *_GROUPS) or is_own_class(type(item))):
        return []
    return [each for each in inside_of(item, WIDEST)[:WIDEST] if type(each) not in ATOMS]


class _Met:
    """What is met in things.

    Attributes:
        kinds: The user's own classes, each once, that things are of, or what they hold, or that they are.
        functions: The user's own functions, one of each code.
        makes: Whether there are classes themselves, of which calls may make objects.
    """

    def __init__(self) -> None:
        self.kinds: dict[int, type] = {}
        self.functions: dict[CodeType, FunctionType] = {}
        self.makes = False
        self._seen, self._classes = Seen(), Seen()

    def look_into(self, things: Iterable[Any]) -> None:
        """Look at things and what is inside, nearest first."""
        ahead = deque(each for each in things if type(each) not in ATOMS)
        while ahead and len(self._seen) < FARTHEST and len(self.kinds) < MOST:
            each = ahead.popleft()
            if self._seen.is_new(each):
                self._note(each)
                ahead.extend(_held_by(each))

    def _note(self, thing: Any) -> None:
        if of_type(thing, type):
            self.makes = True
            self._note_class(thing)
        itself: object = thing
        self._note_class(type(itself))
        function: Any = beneath(taken_apart(thing, (), {})[0]) if of_type(thing, *_CALLED) else None
        if is_own_function(function):
            self.functions.setdefault(function.__code__, function)

    def _note_class(self, kind: type) -> None:
        if self._classes.is_new(kind):  # to ask whose it is takes a microsecond or two
            self.kinds.update((id(base), base) for base in kind.__mro__ if is_own_class(base))


def _names_of(part: Any) -> frozenset[str]:
    """The names that code of the user's own uses to come to something."""
    if of_type(part, *_BY_NAME):
        return frozenset({_ANY})
    return names_in(part.__code__) if is_own_function(part) else frozenset()


def _makes_another(part: Any) -> bool:
    """Whether code of the user's own calls the class of what it has, or what it is given first."""
    return is_own_function(part) and any(map(_calls_class, codes_in(part.__code__)))


@lru_cache(KEPT)
def _calls_class(code: CodeType) -> bool:
    names = {*_KIND, *code.co_varnames[:1]}
    steps = steps_of(code)
    uses = [(step.value, use_of(steps, at)) for at, step in enumerate(steps, 1) if step.value in names]
    called = [(name, use.at) for name, use in uses if use is not None and use.argument == -1]
    following = (use_of(steps, at + 1) for name, at in called if name == "type")
    return any(name != "type" for name, _ in called) or any(use and use.argument == -1 for use in following)


def _named_in(kind: type, names: AbstractSet[str]) -> Iterator[Any]:
    """What a class has by such names, or Python's: functions of methods and properties, and data."""
    for name, part in [*vars(kind).items()]:
        is_pythons = name[:2] == "__"
        if _is_named(name, names):
            functions = functions_of(part)
            yield from filter(is_own_function, functions)
            if not (functions or is_pythons or type(part) in ATOMS):
                yield part
        elif is_pythons and name not in _MAKING and is_own_function(part):
            yield part
