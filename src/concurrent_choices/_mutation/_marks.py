"""Marks of what values hold, the same in every process: whether a module is elsewhere what it is here.

Workers import this, so it imports next to nothing: `pickle` and what finds the values here would cost each
of them 15 ms.
"""

from __future__ import annotations

import copyreg
import sys
from _contextvars import ContextVar
from _pickle import Pickler, dumps
from collections import Counter, OrderedDict, defaultdict, deque
from functools import partial
from types import FunctionType, SimpleNamespace
from zlib import crc32

from .._facts._lean import TYPE_CHECKING
from .._inspect._asking import ATOMS, CACHED, attributes_of, loaded_class, of_type, written_in
from .._inspect._code import parameters_of
from .._inspect._generators import dump_to
from .._runtime._interrupted import raise_handlers
from ._picklers import Ordered, Piecewise, is_opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pickle import PickleBuffer
    from typing import Any

__all__ = ["CONTAINERS", "MOST", "compare", "is_compared", "keeps_one", "mark_of", "summed", "value_at"]

MOST = 1 << 18
"""Bytes of one value's pickle that are looked at (guessed: half a millisecond)."""

_MANY = MOST >> 4
"""Elements of a set that hold others and are each looked at: 4 microseconds or more (measured)."""

_DEEP = 8
"""Sets within one another that are looked at (guessed)."""

UNSET = -1
"""The mark of a context variable without a value."""

CONTAINERS = (Counter, OrderedDict, SimpleNamespace, bytearray, defaultdict, deque, dict, list, set)
"""Classes of data that can be changed."""

_DEFAULTS = frozenset({dict, float, int, list, set, str})
"""Classes that are the defaults of dictionaries: empty, or zero."""

_UNTOLD = {"_cookies_lock", "_now", "_policy"}
"""Attributes of a jar of cookies that tell nothing of them: its policy notes the time of a request, too."""

_SETS = (b"\x8f", b"\x91", b"\x85\x94R")
"""The pickler's codes for sets, which order strings differently in each process; what is derived from them is
made of one list, as are other things."""


def compare(marks: dict[tuple[str, str], int]) -> None:
    """Make sure that the values of modules hold here what they held where they were marked.

    Raises:
        ValueError: One does not.
    """
    for (module, path), mark in marks.items():
        if mark_of(value_at(module, path)) != mark:
            msg = f"{module}.{path} has another value there than here"
            raise ValueError(msg)


def value_at(module: str, path: str) -> Any:
    """What a name in a module stands for. Both sides ask for it here: a class binds its class methods.

    One with "()" stands for what a function gives that keeps it.
    """
    __import__(module)
    value: Any = sys.modules[module]
    for name in path.split("."):
        value = getattr(value, name.removesuffix("()"))
    return value() if path.endswith("()") else value


def keeps_one(value: Any) -> bool:
    """Whether a function under `functools.cache` takes nothing, and was called: it gives what it keeps."""
    function = attributes_of(value).get("__wrapped__") if type(value) is CACHED else None
    code = getattr(function, "__code__", None)
    return code is not None and not parameters_of(code) and bool(value.cache_info().currsize)


def mark_of(value: Any) -> int:
    """A sum of what a value holds, the same in every process.

    Of what has no pickle it is that of its pieces, and of a library's objects of what their class is called.

    Of a context variable it is that of what was set in the present context, of which a worker knows nothing.
    """
    if type(value) is ContextVar:
        return _mark_of_set(value)  # pyright: ignore[reportUnknownArgumentType] - of whatever it is a variable
    attributes_of(value)  # some have others in their pickle once they were asked for any
    file = summed(value)
    # The code of a frozen set comes after its elements: of what is too large it may not have been seen.
    if file is None:
        file = summed(value, _Within(_piecewise).pickler)
    elif (file.may_hold_sets or file.full) and type(value) not in ATOMS:
        file = summed(value, _Within(Ordered).pickler)
    return _mark_of_name(value) if file is None else file.total


def summed(
    value: Any, kind: Callable[..., Pickler] = Pickler, most: int = MOST, *, literal: bool = False
) -> Sum | None:
    """A sum of what a value holds, the same while this process leaves it alone; None without a pickle.

    So many bytes of that are looked at, at the `most`. What a dictionary has made of its default counts if
    it is to be `literal`.
    """
    file = Sum(most)

    def pickler(*to: Any, **more: Any) -> Pickler:
        return _steady(kind(*to, **more), literal=literal)

    try:
        dump_to(file, value, file.buffer, kind=pickler)
    except _FullError:
        pass
    except Exception as error:  # noqa: BLE001 - picklers raise anything
        raise_handlers(error)
        return None
    return file


def _steady(pickler: Pickler, *, literal: bool) -> Pickler:
    """One for which some objects are the same whenever they are looked at.

    A partial is another one, by its pickle, once somebody has asked for its attributes; a dictionary with a
    default, once it was asked for what it has not; and a jar of cookies with each second in which somebody
    asked for some. A session of requests has one, and its calls had to stay.
    """
    own: dict[type, Callable[[Any], Any]] = {partial: _reduce_partial}
    if not literal:
        own[defaultdict] = _reduce_defaults
    table = {**copyreg.dispatch_table, **own}
    if (jar := loaded_class("http.cookiejar", "CookieJar")) is not None:
        table.update(dict.fromkeys(_derived(jar), _reduce_jar))
    pickler.dispatch_table = table
    return pickler


def _reduce_partial(made: partial[Any]) -> tuple[Any, ...]:
    return partial, (), (made.func, made.args, made.keywords, attributes_of(made))


def _reduce_defaults(held: defaultdict[Any, Any]) -> tuple[Any, ...]:
    """Without what may stand for nothing: it would be the same were it not there."""
    filled = ((key, value) for key, value in list(held.items()) if type(value) not in _DEFAULTS or value)
    return defaultdict, (held.default_factory,), None, None, filled


def _derived(kind: type[Any]) -> Iterator[type[Any]]:
    """A class and those that derive from it."""
    yield kind
    for each in kind.__subclasses__():
        yield from _derived(each)


def _reduce_jar(jar: Any) -> tuple[Any, ...]:
    return tuple, ([(name, held) for name, held in attributes_of(jar).items() if name not in _UNTOLD],)


def is_compared(value: Any) -> bool:
    """Whether the mark of a value tells what it holds, and not only of what class it is."""
    return is_opened(value) or summed(value) is not None


def _piecewise(*to: Any, **more: Any) -> Ordered:
    pickler = Piecewise(*to, **more)
    pickler.alone = _mark_alone
    return pickler


def _mark_alone(value: object) -> int:
    """The mark of what is not looked into any further than its pickle."""
    file = summed(value)
    return _mark_of_name(value) if file is None else file.total


def _mark_of_set(variable: ContextVar[Any]) -> int:
    try:
        return mark_of(variable.get())
    except LookupError:
        return UNSET


def _mark_of_name(value: object) -> int:
    """That of a class's own name, and of its class's for anything else.

    Of a function it is that of what it is called where it is written, and of what it stands around: what else
    it is called, as attrs calls its `evolve`, may differ from process to process.
    """
    if of_type(value, FunctionType):
        function: Any = value
        both = (function, function.__dict__.get("__wrapped__"))
        name = " ".join(_name_in_code(each) for each in both if of_type(each, FunctionType))
    else:
        kind: Any = value if of_type(value, type) else type(value)
        name = f"{kind.__module__}.{kind.__qualname__}"
    return crc32(name.encode())


def _name_in_code(function: FunctionType) -> str:
    return f"{written_in(function)}.{function.__code__.co_qualname}"


class _Within:
    """What is looked at in the sets of one value, each of which its pickle has as the sums of its elements.

    An element may hold the set that it is in, as nodes of a graph do. So there is a limit for all together,
    and of a set whose elements are more than is left, their number stands for them. Either comes to the same
    in whatever order the elements are looked at.
    """

    def __init__(self, kind: Callable[..., Ordered]) -> None:
        self._kind = kind
        self._left = MOST
        self._depth = 0

    def pickler(self, file: Sum, protocol: int, **more: Any) -> Pickler:
        """One that puts sets in order."""
        ordered = self._kind(file, protocol, **more)
        ordered.sums = self._sums
        return ordered

    def _sums(self, elements: set[Any] | frozenset[Any]) -> list[int]:
        """The sums of a set's elements, in order, or their number."""
        many = len(elements)
        if many <= MOST and _PLAIN.issuperset(map(type, elements)):
            return sorted(map(crc32, map(dumps, elements)))
        try:
            return sorted(map(self._sum, elements)) if many <= _MANY else [many]
        except _FullError:
            if self._depth:
                raise  # the outermost set as a whole is more than is left
            return [many]

    def _sum(self, element: Any) -> int:
        self._depth += 1
        if self._depth > _DEEP:
            self._left = 0
        try:
            file = summed(element, self.pickler) if self._left else None
        finally:
            self._depth -= 1
        if file is not None:
            self._left = max(0, self._left - file.size)
        if not self._left:
            raise _FullError
        return _mark_of_name(element) if file is None else file.total


_PLAIN = frozenset(ATOMS)


class _FullError(Exception):
    """Enough has been looked at."""


class Sum:
    """A file that sums up what is written, up to a limit.

    Attributes:
        total: The sum.
        full: Whether the limit was reached.
        may_hold_sets: Whether something in it looks like the pickle of a set.
    """

    def __init__(self, most: int) -> None:
        self.total = 0
        self.may_hold_sets = False
        self._most = self._left = most

    @property
    def full(self) -> bool:
        return not self._left

    @property
    def size(self) -> int:
        """Bytes that were looked at."""
        return self._most - self._left

    def write(self, data: Any) -> int:
        some = bytes(data[: self._left])
        self.may_hold_sets = self.may_hold_sets or any(code in some for code in _SETS)
        self._add(some)
        return len(data)

    def buffer(self, buffer: PickleBuffer) -> None:
        """Add what would come in the pickle, where it is large, as what cannot be sliced; it has no sets."""
        self._add(bytes(buffer.raw()[: self._left]))

    def _add(self, some: bytes) -> None:
        self.total = crc32(some, self.total)
        self._left -= len(some)
        if self.full:
            raise _FullError
