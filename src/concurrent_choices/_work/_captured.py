"""What a callable holds beside its arguments, and whether that has changed.

In a thread a call may change what its callable holds: a closed-over list, a global counter, its own
`self`. In another process the change would be lost without a word. So callables are looked at
before they are moved, and a digest of what they hold tells whether anything changed.
"""

from __future__ import annotations

import sys
from functools import partial
from itertools import islice
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType

from .._facts._lean import TYPE_CHECKING, NamedTuple
from .._platform._libraries import LIBRARIES
from ._callables import enclosed
from ._pickling import MAINS, names_what_stays
from ._words import reason_of

if TYPE_CHECKING:
    import pickle
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = [
    "Held",
    "answers",
    "attributes_of",
    "codes_in",
    "digest_of",
    "held_by",
    "is_own",
    "names_in",
    "of_libraries",
    "of_type",
    "parts_of",
    "parts_of_class",
    "parts_of_module",
    "reached_from",
    "travels_by_name",
]

WIDEST = 200
"""Things looked at (guessed: a millisecond)."""

_ATOMS = (int, float, complex, str, bytes, type(None))

_CALLED = (FunctionType, MethodType, partial)


class Held(NamedTuple):
    """What a callable holds.

    Attributes:
        digest: Of all values it holds; equal where nothing changed.
        obstacle: Why what it holds belongs to this process; empty where nothing does.
    """

    digest: bytes
    obstacle: str


def travels_by_name(fn: Any) -> bool:
    """Whether another process would import the callable, instead of being sent it."""
    import pickle  # noqa: PLC0415 - 2 ms, and hashlib 3: most callables hold nothing that needs them

    try:
        return not names_what_stays(pickle.dumps(fn, 5))
    except Exception:  # noqa: BLE001 - picklers raise anything; cloudpickle will be asked later
        return False


def held_by(fn: Any) -> Held:
    """Look at what a callable holds: closure cells, defaults, its own object, the globals it names."""
    import hashlib  # noqa: PLC0415 - as above

    total = hashlib.blake2b(digest_size=16)
    for name, value in parts_of(fn):
        try:
            total.update(name.encode())
            total.update(digest_of(value))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - picklers, and a value's own hooks, raise anything
            return Held(b"", f"{name} is a {type(value).__qualname__} ({reason_of(error)})")
    return Held(total.digest(), "")


def digest_of(value: Any) -> bytes:
    """A digest of a value's pickle, the same in every process of this interpreter.

    Raises:
        Exception: Whatever the pickler raises for what cannot be pickled.
    """
    import hashlib  # noqa: PLC0415 - as above
    import pickle  # noqa: PLC0415 - as above

    if _is(value, set, frozenset):
        value = sorted(map(digest_of, value))  # strings hash differently in each process
    digest = hashlib.blake2b(digest_size=16)
    beside: list[pickle.PickleBuffer] = []
    digest.update(pickle.dumps(value, 5, buffer_callback=beside.append))
    for buffer in beside:
        digest.update(buffer.raw())
    return digest.digest()


def parts_of(fn: Any) -> Iterator[tuple[str, Any]]:
    """Data that hangs on a callable, each with a name for people, functions followed."""
    return (part for part in reached_from(fn) if not of_type(part[1], FunctionType, type))


def reached_from(fn: Any) -> Iterator[tuple[str, Any]]:
    """The same, and the functions and classes that are followed."""
    ahead: list[tuple[str, Any]] = [("it", fn)]
    seen: dict[int, Any] = {}  # holds what it has seen, so that no number is used twice
    while ahead and len(seen) < WIDEST:
        name, thing = ahead.pop()
        if _is(thing, *_ATOMS):
            yield name, thing  # equal ones may be one object under two names
        elif id(thing) not in seen:
            seen[id(thing)] = thing
            inside = _followed(thing) if answers(thing) else ()
            if inside is None:
                ahead += _classes(thing) if callable(thing) else ()
                ahead += _given_to_call(thing)
                yield name, thing
            else:
                ahead.extend(inside)
                if of_type(thing, FunctionType, type):
                    yield name, thing


def _followed(thing: Any) -> Iterable[tuple[str, Any]] | None:
    """What hangs on a thing that is not data itself; None where it is."""
    if isinstance(thing, FunctionType):
        return _given_to_call(thing) if of_libraries(thing.__code__) else _function_parts(thing)
    if isinstance(thing, MethodType):
        held = thing.__self__
        return [*_classes(held), ("its function", thing.__func__), ("its object", held)]
    if _is(thing, partial):
        return [("its function", thing.func), *_bound(thing)]
    if isinstance(thing, type):
        return ((f"{thing.__name__}.{name}", part) for name, part in parts_of_class(thing))
    return () if isinstance(thing, ModuleType) or _is_plain_callable(thing) else None


def _classes(thing: object) -> list[tuple[str, Any]]:
    return [("its class", kind) for kind in type(thing).__mro__]


def _bound(thing: partial[Any]) -> Iterator[tuple[str, Any]]:
    given = [*thing.args, *thing.keywords.values()]
    yield "its bound arguments", tuple(each for each in given if not _is(each, *_CALLED))
    yield from (("its bound function", each) for each in given if _is(each, *_CALLED))


def _given_to_call(thing: object) -> list[tuple[str, Any]]:
    """What an object was given to call: a step of its work, or what a library's decorator stands around."""
    some = list(islice(attributes_of(thing).items(), WIDEST))  # at once: other threads may add to it
    return [(f"its {name!r}", each) for name, each in some if name == "__wrapped__" or _is(each, *_CALLED)]


def attributes_of(thing: object) -> dict[str, Any]:
    """An object's own dictionary; empty where it has none to show."""
    try:
        held: Any = getattr(thing, "__dict__", None)
    except Exception:  # noqa: BLE001 - a value's own hook raises anything
        held = None
    return held if _is(held, dict) else {}


def answers(thing: object) -> bool:
    """Whether it says what it is: a proxy of what is gone, or is not there yet, raises instead."""
    try:
        for each in ("__class__", "__dict__"):
            getattr(thing, each, None)
    except Exception:  # noqa: BLE001 - a value's own hook raises anything
        return False
    return True


def _is_plain_callable(thing: Any) -> bool:
    """Whether it is a function written in C, which holds nothing."""
    return _is(thing, BuiltinFunctionType) and _is(thing.__self__, ModuleType, type(None))


def _is(thing: object, *kinds: type) -> bool:
    """As `isinstance`, but False where that raises; and type checkers would ask that for type arguments."""
    try:
        return isinstance(thing, kinds)
    except Exception:  # noqa: BLE001 - a value's own hook raises anything
        return False


def of_type(thing: object, *kinds: type) -> bool:
    """As `isinstance`, by its own type alone: a proxy of what is gone raises when asked for another's."""
    return issubclass(type(thing), kinds)


def of_libraries(code: CodeType) -> bool:
    """Whether it was not the user who wrote it."""
    return code.co_filename.startswith(LIBRARIES) or code.co_filename.startswith("<frozen")


def _function_parts(fn: FunctionType) -> Iterator[tuple[str, Any]]:
    yield from ((f"the enclosing {name!r}", value) for name, value in enclosed(fn))
    if fn.__defaults__ or fn.__kwdefaults__:
        yield "its defaults", (fn.__defaults__, fn.__kwdefaults__)
    names = names_in(fn.__code__)
    for name in sorted(names):
        if name in fn.__globals__:
            value = fn.__globals__[name]
            yield f"the global {name!r}", value
            if _is(value, ModuleType):
                yield from ((f"{name}.{each}", held) for each, held in parts_of_module(value, names))


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """The code of a function, and of the functions it makes."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def names_in(code: CodeType) -> set[str]:
    """The names a function uses, inside the functions it makes too."""
    return {name for each in codes_in(code) for name in each.co_names}


def parts_of_module(module: ModuleType, names: set[str]) -> Iterator[tuple[str, Any]]:
    """What is named of a module that is the user's own."""
    file = getattr(module, "__file__", None)
    if not file or file.startswith(LIBRARIES) or module.__name__ in sys.builtin_module_names:
        return
    held = vars(module)
    yield from ((each, held[each]) for each in sorted(names & held.keys()))


def is_own(kind: type) -> bool:
    """Whether a class is the user's own."""
    if kind.__module__ in MAINS:
        return True
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return file is not None and not file.startswith(LIBRARIES)


def parts_of_class(kind: type) -> Iterator[tuple[str, Any]]:
    """Methods and data of a class that is the user's own."""
    if not is_own(kind):
        return
    for name, value in sorted(vars(kind).items()):
        if _is(value, staticmethod, classmethod):
            yield name, value.__func__
        elif isinstance(value, FunctionType) or (
            not _is_reserved(name) and isinstance(value, (int, float, str, bytes, list, dict, set, tuple))
        ):
            yield name, value


def _is_reserved(name: str) -> bool:
    """Whether it is Python's own, or that of `enum`, which keeps the combinations of flags it has met."""
    return name.startswith("_") and name.endswith("_")
