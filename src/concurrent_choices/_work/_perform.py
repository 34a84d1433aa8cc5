"""Performing a claim: calling the callable on each item under the failure contract.

Each item runs in a fresh copy of the caller's context, so it sees the caller's context variables and
leaks none of its own into the next. A function that provably touches nothing needs no copy.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from types import BuiltinFunctionType, CoroutineType

from .._errors import UnawaitedError
from .._facts._batch import Batch, Claim
from .._facts._lean import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextvars import Context
    from typing import Any

__all__ = [
    "Mark",
    "Performer",
    "add_note",
    "add_to",
    "annotate",
    "call_each",
    "notes_of",
    "safe_repr",
    "shortened",
    "show",
    "text_of",
    "unawaited_among",
]

Mark = Callable[[], bool]
"""Asked before each item whether it may start."""

_new_tuple = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - typeshed leaves the iterable's type open
"""Makes a named tuple without its Python-level constructor, which costs as much as a small item."""

_AWAIT = "pass the async function itself, or an `async def` that awaits it"

_ELSEWHERE = ("bound to a different event loop", "attached to a different loop", "Event loop is closed")
_ONE_LOOP = (
    "it uses what serves one event loop on another: each run has its own, and so has recommend(). Make it "
    "inside the coroutine function, or around `await arun(fn, items)`, which uses the loop that is running"
)

_SHOWN = 120
_NOTES = 8  # an exception object raised again and again must not grow for ever (guessed)


class Performer:
    """Calls one `def` callable on claims; each item has a copy of the context.

    One that touches nothing may be `quick`: a claim is performed as a whole, with a mark for its first item.
    """

    def __init__(
        self, fn: Callable[[Any], Any], context: Context, *, return_exceptions: bool, quick: bool
    ) -> None:
        self._fn = fn
        self._context = context
        self._tolerant = return_exceptions
        self.quick = quick

    def __call__(self, claim: Claim, mark: Mark | None = None, due: list[Any] | None = None) -> Batch:
        """Perform a claim. `mark` is asked before each item; where it says no, the batch ends.

        So it does where somebody, in any thread, empties `due`: the items once more, in a list, which costs
        none of them anything. Not for a callable that touches nothing.
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
        batch = _new_tuple(Batch, (claim[0], values, None))
        return batch if self.quick else self._examined(claim, batch)

    def _examined(self, claim: Claim, batch: Batch) -> Batch:
        # What calls nothing makes no coroutine either, so its values need no second look.
        return batch if self.quick else unawaited_among(batch, claim.items, tolerant=self._tolerant)

    def _all_at_once(self, items: Sequence[Any], values: list[Any], mark: Mark | None) -> None:
        if mark is not None and not mark():
            return
        call_each(self._fn, items[len(values) :] if values else items, values)

    def _one_by_one(self, items: Sequence[Any], values: list[Any], mark: Mark | None) -> None:
        fn, fresh = self._fn, self._context.copy
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
    if CoroutineType not in set(map(type, batch.values)):
        return batch
    values = list(batch.values)
    errors: list[UnawaitedError] = []
    for place, value in enumerate(batch.values):
        if type(value) is CoroutineType:
            value.close()
            error = UnawaitedError(batch.start + place, show(items[place]), "coroutine", _AWAIT)
            errors.append(error)
            values[place] = error
    if tolerant:
        return Batch(batch.start, values, batch.error)
    return Batch(batch.start, values[: errors[0].index - batch.start], errors[0])


def annotate(error: BaseException, index: int, item: object) -> None:
    """Note on an exception which item raised it, and what to do where it came from another event loop."""
    add_note(error, f"raised by item {index}: {show(item)}")
    if isinstance(error, RuntimeError) and any(words in text_of(error) for words in _ELSEWHERE):
        add_note(error, _ONE_LOOP)


def add_note(error: BaseException, text: str) -> None:
    """As its own `add_note`, also on one of a frozen class, and not for ever."""
    notes = notes_of(error)
    if len(notes) < _NOTES:
        add_to(error, "__notes__", [*notes, text])


def notes_of(error: BaseException) -> list[str]:
    """The notes on an exception, not asked of itself: its own `__getattr__` may give or raise anything."""
    notes: Any = BaseException.__getattribute__(error, "__dict__").get("__notes__")
    return notes if type(notes) is list else []  # pyright: ignore[reportUnknownVariableType] - its type says not of what


def add_to(error: BaseException, name: str, value: object) -> None:
    """Set what Python itself keeps on an exception, such as its notes, also on one of a frozen class."""
    BaseException.__setattr__(error, name, value)


def show(item: object) -> str:
    """A repr for messages: short, and safe even where the item's own repr raises."""
    return shortened(safe_repr(item))


def shortened(text: str) -> str:
    """A text for messages, cut off where it is long."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def safe_repr(item: object) -> str:
    """A repr at its full length, safe even where the item's own raises."""
    try:
        return repr(item)
    except Exception as error:  # noqa: BLE001 - a broken repr must not hide the error it should explain
        return f"<{type(item).__name__} whose repr raises {type(error).__name__}>"


def text_of(error: BaseException) -> str:
    """An exception's own words; empty where its `__str__` raises."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a broken text must not hide the exception
        return ""
