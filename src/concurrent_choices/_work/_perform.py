"""Performing a claim: calling the callable on each item under the failure contract.

Each item runs in a fresh copy of the caller's context, so it sees the caller's context variables and
leaks none of its own into the next. A function that provably touches nothing needs no copy.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from types import BuiltinFunctionType, CoroutineType

from .._errors import UnawaitedError
from .._facts._batch import Batch, Claim, new_batch
from .._facts._lean import TYPE_CHECKING
from .._inspect._words import show
from ._notes import annotate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextvars import Context
    from typing import Any

__all__ = ["Mark", "Performer", "call_each", "unawaited_among"]

Mark = Callable[[], bool]
"""Asked before each item whether it may start."""


class Performer:
    """Calls one `def` callable on claims; each item has a copy of the context.

    One that touches nothing may be `quick`: a claim is performed as a whole, with a mark for its first item.

    Attributes:
        context: What each item of the next claims has a copy of; it may be replaced, but not changed.
    """

    def __init__(
        self, fn: Callable[[Any], Any], context: Context, *, return_exceptions: bool, quick: bool
    ) -> None:
        self._fn = fn
        self.context = context
        self._tolerant = return_exceptions
        self.quick = quick

    def __call__(self, claim: Claim, mark: Mark | None = None, due: list[Any] | None = None) -> Batch:
        """Perform a claim. `mark` is asked before each item; where it says no, the batch ends.

        It also ends where somebody, in any thread, empties `due`, a list of the same items: a way to stop it
        that costs no item anything. It is not for a callable that touches nothing.
        """
        values: list[Any] = []
        items = claim.items if due is None else due
        perform = self._all_at_once if self.quick else self._one_by_one  # kept, it would be a cycle
        while True:
            try:
                perform(items, values, mark)
            except BaseException as error:  # noqa: BLE001 - even sys.exit() in an item is that item's error, raised to the caller
                place = len(values)
                follows = place < len(claim.items)  # else a signal's handler raised after the last
                if follows:
                    annotate(error, claim.start + place, claim.items[place])
                if not (follows and self._tolerant and isinstance(error, Exception)):
                    return self._examined(claim, Batch(claim.start, values, error))
                values.append(error)
            else:
                break
        batch = new_batch((claim[0], values, None))
        return batch if self.quick else self._examined(claim, batch)

    def _examined(self, claim: Claim, batch: Batch) -> Batch:
        # What calls nothing makes no coroutine either, so its values need no second look.
        return batch if self.quick else unawaited_among(batch, claim.items, tolerant=self._tolerant)

    def _all_at_once(self, items: Sequence[Any], values: list[Any], mark: Mark | None) -> None:
        if mark is not None and not mark():
            return
        call_each(self._fn, items[len(values) :] if values else items, values)

    def _one_by_one(self, items: Sequence[Any], values: list[Any], mark: Mark | None) -> None:
        fn, fresh = self._fn, self.context.copy
        for item in _after(values, items):
            if mark is not None and not mark():
                return
            values.append(fresh().run(fn, item))


def call_each(fn: Callable[[Any], Any], items: Sequence[Any], values: list[Any]) -> None:
    """Call what touches nothing on each item, and append its values; those before an error are kept.

    By map(), what is written in C costs a fifth less than in a loop, what is written in Python a tenth more.
    """
    if not isinstance(fn, BuiltinFunctionType):
        for item in items:
            values.append(fn(item))  # noqa: PERF401 - as just said
        return
    wanted = len(values) + len(items)
    values.extend(map(fn, items))
    if len(values) < wanted:
        # map() takes a StopIteration for the end of the items and swallows it.
        msg = "the callable raised StopIteration"
        raise RuntimeError(msg)


def _after(values: list[Any], items: Sequence[Any]) -> Iterable[Any]:
    """The items that have no value yet."""
    return islice(items, len(values), None) if values else items


def unawaited_among(batch: Batch, items: Sequence[Any], *, tolerant: bool) -> Batch:
    """The batch without coroutines among its values: nobody would ever await them.

    An error stands in each one's place where that is tolerated; otherwise the first ends the batch.
    """
    try:
        found = CoroutineType in set(map(type, batch.values))
    except TypeError:  # the class of one has no hash
        found = any(type(value) is CoroutineType for value in batch.values)
    if not found:
        return batch
    values = list(batch.values)
    errors: list[UnawaitedError] = []
    for place, value in enumerate(batch.values):
        if type(value) is CoroutineType:
            value.close()
            error = UnawaitedError(batch.start + place, show(items[place]))
            errors.append(error)
            values[place] = error
    if tolerant:
        return Batch(batch.start, values, batch.error)
    return Batch(batch.start, values[: errors[0].index - batch.start], errors[0])
