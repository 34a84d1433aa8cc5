"""What a callable holds beside its arguments: all that hangs on it, found without calling it.

In a thread a call may change what its callable holds: a closed-over list, a global counter, its own
`self`. In another process the change would be lost without a word. So callables are looked at before
they are moved.
"""

from __future__ import annotations

import builtins
import sys
from collections import deque
from collections.abc import Iterator
from functools import cached_property, partial, partialmethod, singledispatchmethod
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

from .._facts._lean import TYPE_CHECKING
from ._asking import ATOMS, Seen, answers, attributes_of, elements_of, is_a, of_type, some_of
from ._callables import enclosed
from ._code import globals_in, imports_in, names_in
from ._generators import draws, is_shared
from ._ownership import is_own_class, is_own_function, is_own_module, of_libraries
from ._strangers import strangers_in

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = [
    "beneath",
    "builtins_of",
    "classes_of",
    "data_among",
    "functions_of",
    "is_data",
    "loaded_as",
    "modules_of",
    "parts_of_class",
    "parts_of_module",
    "reached_from",
    "unloaded_among",
    "wrapped_by",
]

WIDEST = 200
"""Things looked at (guessed: a millisecond)."""

SOME = 4
"""Elements of a container that are looked at for functions (guessed: the others are like those)."""

_CALLED = (FunctionType, MethodType, partial)

_MADE_OF = {
    **dict.fromkeys((classmethod, staticmethod), ("__func__",)),
    cached_property: ("func",),
    partialmethod: ("func",),
    property: ("fget", "fset", "fdel"),
}
"""What stands for functions in a class, and the names by which they have those."""

_ANNOTATING = frozenset({"__annotate__", "__annotate_func__"})
"""What makes a class's annotations, from Python 3.14 on, and holds all that is in the class a second time: of
one that attrs has made anew, with slots, that is empty once garbage has been collected."""

_DATA = (int, float, str, bytes, bytearray, deque, list, dict, set, tuple)


def data_among(reached: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """What is data of all that is reached from a callable."""
    return (part for part in reached if not of_type(part[1], FunctionType, type))


def reached_from(fn: Any, *others: Any) -> Iterator[tuple[str, Any]]:
    """All that hangs on a callable, with names for people: data, and the functions and classes followed.

    Then what hangs on others, which its calls come to by their items; of classes their data alone.
    """
    ahead = [*(part for each in others for part in _come_to(each)), ("it", fn)]
    seen = Seen()
    while ahead and len(seen) < WIDEST:
        name, thing = ahead.pop()
        if is_a(thing, *ATOMS):
            yield name, thing  # equal ones may be one object under two names
        elif seen.is_new(thing):
            inside = _followed(thing, name) if answers(thing) else ()
            if inside is None:
                ahead += _classes(thing) if callable(thing) else ()
                ahead += _given_to_call(thing)
                yield name, thing
            else:
                ahead.extend(inside)
                if of_type(thing, FunctionType, type):
                    yield name, thing


def _come_to(thing: Any) -> list[tuple[str, Any]]:
    """A method; or of a class, all that is data."""
    if not of_type(thing, type):
        return [("a method of its items", thing)]
    shared = ((f"{thing.__name__}.{name}", part) for name, part in parts_of_class(thing))
    return [*data_among([*shared])]


def _followed(thing: Any, name: str) -> Iterable[tuple[str, Any]] | None:
    """What hangs on a thing of that name that is not data itself; None where it is."""
    if is_shared(thing):
        return ()
    if isinstance(thing, FunctionType):
        return _library_parts(thing) if of_libraries(thing.__code__) else _function_parts(thing, name)
    if isinstance(thing, MethodType):
        held = thing.__self__
        return [*_classes(held), (_part("function", name), thing.__func__), (_part("object", name), held)]
    if is_a(thing, partial):
        return [(_part("function", name), thing.func), *_bound(thing, name)]
    if isinstance(thing, type):
        bases = [(f"a base of {name}", base) for base in thing.__mro__[1:] if is_own_class(base)]
        kinds = (thing, *classes_of(thing))
        parts = ((f"{kind.__name__}.{each}", part) for kind in kinds for each, part in parts_of_class(kind))
        return [*bases, *parts]
    return () if isinstance(thing, ModuleType) or _is_plain_callable(thing) else None


def _classes(thing: object) -> list[tuple[str, Any]]:
    return [("its class", kind) for kind in type(thing).__mro__]


def _part(what: str, whole: str) -> str:
    """What to call a part of something: the callable itself is "it"."""
    return f"its {what}" if whole == "it" else f"the {what} of {whole}"


def _bound(thing: partial[Any], name: str) -> Iterator[tuple[str, Any]]:
    given = [*thing.args, *thing.keywords.values()]
    yield _part("bound arguments", name), tuple(each for each in given if not is_a(each, *_CALLED))
    yield from (("its bound function", each) for each in given if is_a(each, *_CALLED))


def _given_to_call(thing: object) -> Iterator[tuple[str, Any]]:
    """What an object was given to call: a step of its work, or the function that a library's decorator wraps.

    So are functions in a table or a list, whether the object is one or has one.
    """
    some = some_of(attributes_of(thing).items, WIDEST)
    if of_type(thing, FunctionType):
        some = [(name, each) for name, each in some if not _is_upkeep(each)]
    yield from (
        (f"its {name!r}", each) for name, each in some if name == "__wrapped__" or is_a(each, *_CALLED)
    )
    for each in (thing, *(held for _, held in some if type(held) not in ATOMS)):
        yield from (("its element", found) for found in _called_in(each))


def _library_parts(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a library's function was given to call, such as a decorator's, and so what it encloses."""
    yield from _given_to_call(function)
    for name, value in enclosed(function):
        held: object = value
        if is_own_function(held) or is_own_class(type(held)):
            yield f"the enclosing {name!r}", value
        elif not is_a(value, FunctionType):
            yield from _given_to_call(value)


def _is_upkeep(each: Any) -> bool:
    """Whether it is a library's method of a library's object: by such, `singledispatch` empties its cache."""
    if not (of_type(each, MethodType) and of_type(each.__func__, FunctionType)):
        return False
    held: object = each.__self__
    return not (is_own_function(each.__func__) or is_own_class(type(held)))


def _called_in(container: object, depth: int = 2) -> Iterator[Any]:
    """Functions in a container, and in containers that it holds; of other elements a few are looked at."""
    some = some_of(partial(elements_of, container), WIDEST)
    for each in some if some and is_a(some[0], *_CALLED) else some[:SOME]:
        if is_a(each, *_CALLED):
            yield each
        elif depth and type(each) not in ATOMS:
            yield from _called_in(each, depth - 1)


def _is_plain_callable(thing: Any) -> bool:
    """Whether it is a function written in C, which holds nothing."""
    return is_a(thing, BuiltinFunctionType) and is_a(thing.__self__, ModuleType, type(None))


def _function_parts(fn: FunctionType, called: str) -> Iterator[tuple[str, Any]]:
    yield from ((f"the enclosing {name!r}", value) for name, value in enclosed(fn))
    yield from ((f"its {name!r}", value) for name, value in _plain(attributes_of(fn)))
    if fn.__defaults__ or fn.__kwdefaults__:
        yield _part("defaults", called), (fn.__defaults__, fn.__kwdefaults__)
    names = names_in(fn.__code__)
    for name, module in modules_of(fn):
        yield from ((f"{name}.{each}", held) for each, held in parts_of_module(module, names))
    for name in globals_in(fn.__code__):
        if name in fn.__globals__:
            yield f"the global {name!r}", fn.__globals__[name]
    yield from ((f"builtins.{name}", value) for name, value in builtins_of(fn))


def builtins_of(fn: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function names of `builtins` that Python has not put there.

    So do `gettext.install`, notebooks and tests: another process may not have it.
    """
    around, held = fn.__globals__, vars(builtins)
    for name in globals_in(fn.__code__):
        if name in held and name not in around and not _is_pythons(value := held[name]):
            yield name, value


def _is_pythons(value: Any) -> bool:
    """Whether it is a function or class of Python's own; what else there is, is as it is in any process."""
    return is_a(value, BuiltinFunctionType) or (is_a(value, type) and value.__module__ == "builtins")


def modules_of(fn: FunctionType) -> Iterator[tuple[str, ModuleType]]:
    """The modules that a function may use, each by what it calls it.

    Those that it imports itself are among them once they are loaded, and modules of the user's own in others.
    """
    names, around = names_in(fn.__code__), fn.__globals__
    found: list[tuple[str, Any]] = [
        *enclosed(fn),
        *((name, around.get(name)) for name in globals_in(fn.__code__)),
        *_imported_by(fn),
    ]
    seen = Seen()
    for name, module in found:
        if is_a(module, ModuleType) and seen.is_new(module):
            yield name, module
            if is_own_module(module):
                found += [(f"{name}.{each}", held) for each, held in parts_of_module(module, names)]


def unloaded_among(reached: Iterable[tuple[str, Any]]) -> frozenset[str]:
    """The modules that functions import when they are called, and that are not there yet."""
    imports = [each for _, fn in reached if is_own_function(fn) for each in _imported_by(fn)]
    there = {name for name, module in imports if module is not None}
    return frozenset(name for name, _ in imports if name not in there)


def _imported_by(fn: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function imports, as far as it is loaded: by the name itself, or from its own package."""
    for name in imports_in(fn.__code__):
        yield from ((name, module) for module in loaded_as(name, fn.__globals__))


def loaded_as(name: str, around: dict[str, Any]) -> tuple[Any, Any]:
    """What a function with these globals may import by a name, if that is there: by itself, or beside it."""
    package = around.get("__package__")
    return sys.modules.get(name), sys.modules.get(f"{package}.{name}" if name else str(package))


def _plain(held: dict[str, Any]) -> list[tuple[str, Any]]:
    """What is data, such as a function's own count of its calls; at once: other threads may add to it."""
    return [(name, value) for name, value in list(held.items()) if is_data(value)]


def parts_of_module(module: ModuleType, names: frozenset[str]) -> Iterator[tuple[str, Any]]:
    """What is named of a module that is the user's own; of a library's, what was put into it from outside."""
    if not is_own_module(module):
        yield from strangers_in(module, names)
        return
    held = vars(module)
    # By `__getattr__` it gives what it does not hold.
    yield from ((each, held[each]) for each in sorted(filter(held.__contains__, {*names, "__getattr__"})))


def beneath(function: Any) -> Any:
    """A function; or the user's own that a library's has wrapped, which hands on what it is given."""
    is_wrapper = of_type(function, FunctionType) and not is_own_function(function)
    return next(iter(wrapped_by(function)), function) if is_wrapper else function


def wrapped_by(function: FunctionType) -> list[FunctionType]:
    """The functions that decorators have wrapped, one around the other: they are given what it is given."""
    found: list[FunctionType] = []
    inner: Any = function.__dict__.get("__wrapped__")
    while is_own_function(inner) and inner not in found:
        found.append(inner)
        inner = inner.__dict__.get("__wrapped__")
    return found


def parts_of_class(kind: type) -> Iterator[tuple[str, Any]]:
    """Methods and data of a class that is the user's own, and other classes of theirs that it names."""
    if not is_own_class(kind):
        return
    for name, value in sorted(vars(kind).items()):
        if name in _ANNOTATING:
            continue
        if functions := functions_of(value):
            yield from ((name, each) for each in functions)
        elif kinds := _classes_of_descriptor(value):
            yield from ((name, each) for each in kinds)  # whose methods Python calls for that name
        elif not _is_reserved(name) and (is_own_class(value) if isinstance(value, type) else is_data(value)):
            yield name, value


def classes_of(kind: type) -> Iterator[type]:
    """The user's own of a class's own classes, which may keep its objects, as of a singleton."""
    meta: Any = type(kind)
    yield from filter(is_own_class, meta.__mro__)


def functions_of(part: Any) -> list[Any]:
    """The functions that a part of a class is made of; empty where it is none."""
    if isinstance(part, FunctionType):
        return [part]
    if is_a(part, singledispatchmethod):
        return [*part.dispatcher.registry.values()]
    names = next((names for kind, names in _MADE_OF.items() if is_a(part, kind)), ())
    return [each for name in names if (each := getattr(part, name)) is not None]


def is_data(value: Any) -> bool:
    """Whether it is something that calls may change: plain data, an iterator, an object of the user's own.

    Of such objects, descriptors are how a class works, and members of an `enum` are as fixed as their class.
    """
    if is_a(value, *_DATA) or of_type(value, Iterator) or draws(value):
        return True
    kinds = type(value).__mro__
    return is_own_class(kinds[0]) and not any(
        "__get__" in vars(each) or "_member_map_" in vars(each) for each in kinds
    )


def _classes_of_descriptor(value: object) -> list[type]:
    """The user's own classes of a descriptor; empty where it is none."""
    kinds = type(value).__mro__
    return [*filter(is_own_class, kinds)] if any("__get__" in vars(each) for each in kinds) else []


def _is_reserved(name: str) -> bool:
    """Whether it is Python's own, or that of `enum`, which keeps the combinations of flags it has met."""
    return name.startswith("_") and name.endswith("_")
