"""Which items to call first: of a sequence some from everywhere, of an iterator the next.

The first few items of a sorted or grouped sequence say nothing of the rest. So each look into a
sequence is at the golden ratio's next multiple: any number of such places is spread evenly over
the whole, whatever the period of the items (the additive recurrence of quasi-Monte-Carlo methods).
"""

from __future__ import annotations

import time
from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from .._facts._batch import Claim
from .._facts._lengths import count_of
from .._work._source import SLICEABLE

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Feed", "Places", "SourcePace"]

_GOLDEN = 0.6180339887498949


class Places:
    """The places of a sequence that nobody has taken yet."""

    def __init__(self, count: int) -> None:
        self._gaps: list[tuple[int, int]] = [(0, count)] if count else []
        self._count = count
        self._looks = 0

    @property
    def gaps(self) -> tuple[range, ...]:
        """The runs that are left, in order."""
        return tuple(range(start, stop) for start, stop in self._gaps)

    def take(self, limit: int) -> range:
        """A run of at most `limit` free places; empty if none is free. The first starts at 0."""
        if not self._gaps:
            return range(0)
        place = _place(self._looks, self._count)
        self._looks += 1
        at = max(0, bisect_right(self._gaps, (place, self._count)) - 1)
        start, stop = self._gaps[at]
        if place >= stop:
            at = (at + 1) % len(self._gaps)
            start, stop = self._gaps[at]
        first = max(start, place) if place < stop else start
        last = min(stop, first + limit)
        rest = [gap for gap in ((start, first), (last, stop)) if gap[0] < gap[1]]
        self._gaps[at : at + 1] = rest
        return range(first, last)

    def put_back(self, run: range) -> None:
        """Free places that were taken."""
        if len(run):
            insort(self._gaps, (run.start, run.stop))


class SourcePace:
    """How long an iterable takes to give an item.

    What it gives first is left out where it gives more: for that it may have opened a file, or sent a query.

    Attributes:
        now: The time, ns.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self.now = now
        self._given = 0
        self._spent = 0
        self._first = 0, 0

    def add(self, began: int, given: int) -> None:
        """Since `began`, ns, it has given so many items."""
        spent = self.now() - began
        if not self._given:
            self._first = spent, given
        self._spent += spent
        self._given += given

    @property
    def seconds(self) -> float:
        """What an item took."""
        spent, given = self._first
        if given < self._given:
            return (self._spent - spent) / (self._given - given) / 1e9
        return spent / max(1, given) / 1e9


class Feed:
    """Hands out items, each once.

    An iterator is advanced only here, in the thread that asks.

    Args:
        items: Where they come from.
        now: The time, ns.

    Attributes:
        items: As given.
        count: How many items there are; None where nobody can say yet.
        places: Those of a sequence that nobody has taken; None where items come from an iterator.
        error: What the iterable raised; nothing more is taken from it.
        pace: How long it takes to give an item.
    """

    def __init__(self, items: Iterable[Any], now: Callable[[], int] = time.perf_counter_ns) -> None:
        self.items = items
        self.pace = SourcePace(now)
        self.count = count_of(items)
        self.error: BaseException | None = None
        self.places: Places | None = None
        self._iterator: Iterator[Any] = iter(())
        self._returned: list[Claim] = []
        self._next = 0
        if self.count is not None and _has_places(items):
            self.places = Places(self.count)
        else:
            self._iterator = iter(items)

    def peek(self, count: int) -> list[Any]:
        """At most so many of the items that are handed out first, and still will be."""
        if self.places is None:
            pulled = [claim for _ in range(count) for claim in self._pull(1)]
            self.give_back(pulled)
            return [item for claim in pulled for item in claim.items]
        items: Any = self.items
        there = self.count or 0
        seen: list[Any] = []
        with suppress(Exception):  # who takes that item meets it again
            for place in sorted({_place(look, there) for look in range(min(count, there))}):
                seen.append(items[place])  # noqa: PERF401 - what came before an error is kept
        return seen

    def take(self, count: int, run: int) -> list[Claim]:
        """At most `count` items, in runs of at most `run` consecutive ones; none if none are left.

        An iterator's items always stand side by side.
        """
        if self.places is None:
            return self._pull(count)
        claims: list[Claim] = []
        while count > 0 and self.error is None and (indices := self.places.take(min(run, count))):
            try:
                claims.append(self._claim(indices))
            except Exception as error:  # noqa: BLE001 - the sequence's error is raised in its place, by the rest
                self.error = error
                self.places.put_back(indices)
            count -= len(indices)
        return claims

    def give_back(self, claims: Iterable[Claim]) -> None:
        """Return items whose calls were not started."""
        for claim in claims:
            if self.places is not None:
                self.places.put_back(range(claim.start, claim.start + len(claim.items)))
            else:
                self._returned.append(claim)

    def rest(self) -> Iterator[tuple[int, Any]]:
        """The items nobody took, with their indices, lazily; raises what the iterable raised."""
        if self.places is not None:
            items: Any = self.items
            for gap in self.places.gaps:
                yield from ((index, items[index]) for index in gap)
            return
        returned = sorted(self._returned, key=lambda claim: claim.start)
        yield from chain.from_iterable(enumerate(each.items, each.start) for each in returned)
        if self.error is not None:
            raise self.error
        yield from enumerate(self._iterator, self._next)

    def _claim(self, indices: range) -> Claim:
        items: Any = self.items
        if isinstance(items, SLICEABLE):
            return Claim(indices.start, items[indices.start : indices.stop])
        began = self.pace.now()
        taken = [items[index] for index in indices]
        self.pace.add(began, len(taken))
        return Claim(indices.start, taken)

    def _pull(self, count: int) -> list[Claim]:
        claims: list[Claim] = []
        while count > 0 and self._returned:
            claims.append(self._returned.pop(0))
            count -= len(claims[-1].items)
        return claims + self._advance(count) if count > 0 else claims

    def _advance(self, count: int) -> list[Claim]:
        pulled: list[Any] = []
        began = self.pace.now()
        try:
            pulled.extend(islice(self._iterator, count))
        except Exception as error:  # noqa: BLE001 - the iterable's error is raised in its place, after the results already due
            self.error = error
        self.pace.add(began, len(pulled))
        start, self._next = self._next, self._next + len(pulled)
        if len(pulled) < count:  # also after an error there are no more
            self.count, self._iterator = self._next, iter(())  # some would go on, as a log that has grown
        return [Claim(start, pulled)] if pulled else []


def _place(look: int, count: int) -> int:
    """Where the so many-th look into a sequence goes, from 0."""
    return int(count * (look * _GOLDEN % 1.0))


def _has_places(items: object) -> bool:
    """Whether the item at an index is the one that a loop comes to there: sequences, arrays, data sets.

    What has a loop of its own may mean something else by an index, as a table of pandas means labels, or a
    list whose subclass has another `__iter__`.
    """
    kind = type(items)  # not the items themselves: a user's own `__getattr__` may raise anything
    if hasattr(kind, "__array_interface__"):
        return True
    if isinstance(items, Sequence):
        homes = {_home(kind, way) for way in ("__getitem__", "__iter__", "__len__")}
        return len(homes) == 1 or _home(kind, "__iter__") is Sequence
    return hasattr(kind, "__getitem__") and hasattr(kind, "__len__") and not isinstance(items, Iterable)


def _home(kind: type, name: str) -> type | None:
    """The class that a class has a method from."""
    return next((each for each in kind.__mro__ if name in vars(each)), None)
