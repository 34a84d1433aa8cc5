"""Whether calls change what their callable holds: looked at before the first call, and again later.

Results must not depend on which strategy was picked. A call that appends to a closed-over list or
counts in a global changes this process; in another process that would be lost without a word.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import cached_property
from itertools import takewhile
from time import monotonic
from types import FunctionType, ModuleType
from zlib import crc32

from .._facts._lean import TYPE_CHECKING, NamedTuple
from .._inspect._asking import (
    ATOMS,
    Seen,
    attributes_of,
    inside_of,
    is_frozen,
    is_logger,
    is_proxy,
    length_of,
    of_type,
)
from .._inspect._captured import data_among, reached_from, unloaded_among
from .._inspect._generators import draws
from .._inspect._ownership import is_own_class
from .._inspect._tasks import functions_among, methods_among, tasks_in
from .._runtime._interrupted import raise_handlers
from ._alterations import altered_by, alters_items
from ._filled import without_filled
from ._kept_by_caches import data_kept
from ._marks import MOST, summed
from ._parts import parts_of
from ._picklers import bytes_of
from ._stores import may_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

__all__ = ["FIRST", "MORE", "State"]

WIDEST = 50
"""Attributes of a value that cannot be pickled that are looked at (guessed: a millisecond)."""

LARGE = 1 << 23
"""Bytes of one value's pickle that are looked at where the code might change it, once the job is known to be
worth that (guessed: 5 ms for an array and 80 for small objects, which to send them takes as well)."""

FIRST = 2
"""Items that are looked at: the first is called before there is a plan (guessed: one may be no example)."""

MORE = 32
"""Items that are looked at once workers are to come up, which are called here meanwhile (guessed)."""

_LONGEST = 1e-3
"""Seconds that this takes at most (guessed: a hundredth of what workers take to come up)."""

_TEXT = (str, bytes)
_CODE = (ModuleType, type)
_CONSTANT = (*ATOMS, *_CODE)


class _Part(NamedTuple):
    """One value that hangs on a callable.

    Attributes:
        value: The value itself, kept so that its `id` is not used again.
        digest: What tells its contents from others.
        whole: Whether the digest covers all of it.
        opaque: Whether to use it is to change it, as an iterator that tells nothing, or a random generator.
        names: Those of its attributes.
        kept: Whether a function under `functools.cache` keeps it, from its first call on.
    """

    value: Any
    digest: object
    whole: bool
    opaque: bool = False
    names: tuple[str, ...] = ()
    kept: bool = False

    def differs(self, earlier: _Part) -> bool:
        """Whether it is not what it was."""
        text = type(self.value) in _TEXT  # of the same digest, so both are
        return self.digest != earlier.digest or (text and self.value != earlier.value)


class State:
    """What a callable held when this was made, and some items that it is to be called with.

    What methods of items and of what it holds name counts as held, if the callable may come to them.

    What is too large to be looked at before there is need is looked at if `whole`, or when that is asked for.

    Attributes:
        tasks: What calls may call of these items: functions that they are or hold, and methods.
    """

    def __init__(self, fn: Callable[..., Any], items: Sequence[Any] = (), *, whole: bool = False) -> None:
        self._fn = fn
        functions, reached = functions_among(items), list(reached_from(fn))
        met = methods_among(reached, functions, items)
        self._come_to: list[Any] = [*met.functions, *met.kinds]
        self.tasks = [*functions, *met.functions]
        self._most = LARGE if whole and self.may_change else MOST
        self._told_from: int | None = None
        self._closer: dict[str, _Part] | None = None  # where that was asked for
        self._items = [(item, _print_of(item)) for item in items if _is_changeable(item)]
        self._more: list[tuple[Any, object]] = []
        if self._come_to:
            reached = list(self._reached())
        self._parts: dict[str, _Part] = dict(_looked_at(reached, self._most))
        self._unloaded = unloaded_among(reached)

    @cached_property
    def may_change(self) -> bool:
        """Whether the callable's own code stores anything outside its variables."""
        return any(map(may_store, (self._fn, *self._functions)))

    @cached_property
    def is_held(self) -> bool:
        """Whether there is anything that calls could change: a value, or a name that the code stores to."""
        return self.may_change or any(not of_type(part.value, *_CODE) for part in self._parts.values())

    @property
    def is_exposed(self) -> bool:
        """The same, or an item that calls could change."""
        return bool(self._items or self._more) or self.is_held

    def look_also(self, items: Iterable[Any]) -> None:
        """Look at more items, for a moment at most: the first may be no examples of the others."""
        until, some = monotonic() + _LONGEST, [*items]
        looked = ((item, _print_of(item)) for item in some if _is_changeable(item))
        self._more = list(takewhile(lambda _: monotonic() < until, looked))
        met = methods_among(list(reached_from(self._fn)), functions_among(some), some)
        new = [each for each in (*met.functions, *met.kinds) if not any(each is one for one in self._come_to)]
        if new:  # in front, so that what was met before keeps its names, which may have numbers
            self._come_to[:0] = new
            self._parts = {**self._now(), **self._parts}

    def is_doubtful(self, done: int) -> bool:
        """Whether calls have yet to show if they change what was too large to be looked at before the first.

        All of that is looked at when this is first asked, with so many `done`. The call that ends next has
        begun before, and the one after it tells.
        """
        if self._told_from is None:
            self._told_from = done + 2 if self._looks_closer() else 0
        return done < self._told_from

    def _looks_closer(self) -> bool:
        """Look at all of what is large, if the code might change it and no call has; whether there is any."""
        large = self._large
        if not large or self._differing(self._now()):
            return False
        self._closer = {name: _looked(self._parts[name].value, LARGE) for name in large}
        return True

    def changed(self) -> str:
        """Which part has changed since, in words; empty where none has.

        A part too large to be looked at whole counts as changed if the callable's code might change it, and
        an iterator that cannot be looked into in any case, as does a random generator: to use it is to change
        it, though no call may have come that far.
        """
        now = self._now()
        if differing := self._differing(now):
            return differing
        if closed := [name for name, part in self._parts.items() if part.opaque]:
            return closed[0]
        return self._differing_far_inside(self._large, now)

    @property
    def _large(self) -> list[str]:
        """What is too large to be looked at whole, if the code might change it."""
        large = [name for name, part in self._parts.items() if not part.whole]
        return large if large and self.may_change else []

    def _now(self) -> dict[str, _Part]:
        return dict(_looked_at(self._reached(), self._most))

    @property
    def _functions(self) -> list[FunctionType]:
        return [each for each in self._come_to if of_type(each, FunctionType)]

    def _reached(self) -> Iterator[tuple[str, Any]]:
        return reached_from(self._fn, *self._come_to)

    def _differing(self, now: dict[str, _Part]) -> str:
        """Which part is not what it was, as far as it is looked at."""
        for name, part in self._parts.items():
            here = now.get(name, part if part.kept else None)  # a cache that was emptied is filled anew
            if here is None:
                return f"{name}, which is gone"
            if here.differs(part) and not self._has_filled(name, here):
                return name
        self._parts.update((name, part) for name, part in now.items() if part.kept)
        new = now.keys() - self._parts.keys()
        if new and self._unloaded <= unloaded_among(self._reached()):  # else a call has imported it
            return min(new)
        return ""

    def _differing_far_inside(self, large: list[str], now: dict[str, _Part]) -> str:
        """Which of the large parts is not what it was when all of it was looked at, or may not be.

        They are compared once: that takes as long as to send them, and workers go on.
        """
        if not large:
            return ""
        closer = self._closer
        if closer is None or not all(part.whole for part in closer.values()):
            return f"perhaps {large[0]} (too large to be compared)"
        for name, part in closer.items():
            if now[name].value is not part.value or _looked(part.value, LARGE).differs(part):
                return name
        self._closer = {}
        return ""

    def _has_filled(self, name: str, now: _Part) -> bool:
        """Whether an object has only computed something and keeps it, which is part of it from now on."""
        earlier = self._parts[name]
        bare = without_filled(now.value, earlier.names) if now.value is earlier.value else None
        if bare is None or _looked(bare, self._most).differs(earlier):
            return False
        self._parts[name] = now
        return True

    def altered(self) -> str:
        """The same, or what the callable's code plainly changes, where no call has got there yet."""
        told = (altered_by(each) for each in (self._fn, *self._functions))
        return self.changed() or next(filter(None, told), "")

    def lost_elsewhere(self) -> str:
        """What calls change here, or may come to, and would lose in another process; empty for nothing."""
        if altered := self.altered():
            return altered
        items = [item for item, _ in self._items]
        functions = functions_among(item for item, _ in (*self._items, *self._more))
        if self.items_changed() or alters_items(self._fn, items) or any(map(altered_by, functions)):
            return "their items"
        return ""

    def items_changed(self) -> bool:
        """Whether calls have changed what they were called with, which would be lost in another process."""
        return any(_print_of(item) != before for item, before in (*self._items, *self._more))


def _is_changeable(item: Any) -> bool:
    return not (type(item) in _CONSTANT or is_frozen(item))


def _looked_at(reached: Iterable[tuple[str, Any]], most: int) -> Iterator[tuple[str, _Part]]:
    things = list(reached)
    yield from ((name, _looked(value, most)) for name, value in _apart_by_name(data_among(things)))
    for name, cache in _apart_by_name(data_kept(things)):
        # What is large is kept so that each process makes it once: its beginning must do.
        yield f"what {name} keeps", _looked(cache(), most)._replace(whole=True, kept=True)


def _apart_by_name(things: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Things with numbers after the names that others have too."""
    seen: dict[str, int] = {}
    for name, value in things:
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})", value


def _print_of(item: Any) -> object:
    """What tells whether an item has changed: what it is made of, which one may look for afterwards.

    Of what it has to be called it is also what hangs on that, as on the callable itself.
    """
    file = summed(parts_of(item), literal=True)
    own = _looked(item).digest if file is None else (file.total, file.full and _outline(item))
    parts = (part for each in tasks_in(item) for part in _looked_at(reached_from(each), MOST))
    hanging = [(name, part.digest) for name, part in parts]
    return (own, hanging) if hanging else own


def _looked(value: Any, most: int = MOST) -> _Part:
    if type(value) in _TEXT:
        # Kept as it is: to put a quarter of a megabyte into words takes three milliseconds.
        return _Part(value, type(value), whole=True)
    if of_type(value, *_CONSTANT):
        return _Part(value, _glimpse(value) if type(value) in _CONSTANT else "", whole=True)
    if is_logger(value) or is_proxy(value):
        return _Part(value, "", whole=True)
    return (_pickled(value, most) or _apart(value, most))._replace(names=tuple(attributes_of(value)))


def _pickled(value: Any, most: int) -> _Part | None:
    """A value by its pickle; None where it has none."""
    file = summed(value, most=most)
    if file is None:
        return None
    # What a library's class leaves out of its pickle, as numba does what it has compiled, is no part of it.
    outline = _outline(value) if file.full or _is_own(value) else ""
    return _Part(value, (file.total, outline), not file.full, draws(value))


def _apart(value: Any, most: int) -> _Part:
    """A value that cannot be pickled, such as one that holds a lock: from outside, and what it holds.

    Of that the user's own objects and containers are gone into, nearest first: in a worker nothing of a
    class that came by value has a pickle.
    """
    digests: list[object] = []
    whole = True
    ahead: deque[Any] = deque([value])
    seen = Seen()
    while ahead and len(digests) <= WIDEST:
        each = ahead.popleft()
        if not seen.is_new(each):
            continue
        part = None if each is value else _pickled(each, most)
        if part is not None:
            digests.append(part.digest)
            whole = whole and part.whole
        elif (held := bytes_of(each)) is not None:
            digests.append(crc32(held))
        elif each is value or _is_gone_into(each):
            digests.append(_outline(each))
            ahead.extend(inside_of(each, WIDEST)[:WIDEST])
    return _Part(value, tuple(digests), whole, opaque=of_type(value, Iterator))


def _is_gone_into(value: object) -> bool:
    return of_type(value, dict, list, set, tuple) or _is_own(value)


def _is_own(value: object) -> bool:
    return is_own_class(type(value))


def _outline(value: Any) -> str:
    """What can be seen of a value from outside: its kind, its length, its attributes."""
    some = list(attributes_of(value).items())  # at once: other threads may add to it
    plain = {key: _glimpse(each) for key, each in some if of_type(each, int, float, str, bytes)}
    sizes = {key: length_of(each) for key, each in some if of_type(each, list, dict, set, tuple)}
    return f"{type(value).__qualname__} {length_of(value)} {plain} {sizes}"


def _glimpse(value: Any) -> str:
    """What tells a plain value from others. Of a text the repr takes long; a long integer has none."""
    tell = hash if of_type(value, *_TEXT) else hex if of_type(value, int) else repr
    try:
        told = tell(value)
    except Exception as error:  # noqa: BLE001 - a value's own hook raises anything
        raise_handlers(error)
        told = None
    return f"{type(value).__name__} {told}"
