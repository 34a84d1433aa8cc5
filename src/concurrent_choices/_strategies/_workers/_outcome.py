"""What a worker reads, and what came of it: packed so that it is sure to arrive, and unpacked there.

A worker imports this when it starts, so nothing slow may be imported here.
"""

from __future__ import annotations

import sys

from ..._errors import NotPicklableError, RemoteError
from ..._facts._batch import Batch, Claim
from ..._facts._lean import TYPE_CHECKING
from ..._work._notes import add_to, notes_of
from ..._work._pickling import dump, load
from ..._work._words import reason_of, show, text_of

if TYPE_CHECKING:
    from contextvars import Context
    from typing import Any

    from ..._work._job import Job
    from ._wire import Message

__all__ = [
    "Carried",
    "Loading",
    "RemoteTraceback",
    "Scrutiny",
    "flush_output",
    "hand_on",
    "opened",
    "pack_outcome",
    "portable",
    "read",
    "unpack_outcome",
]


class Scrutiny:
    """Which kinds of results can be read at the other end: the first of each kind is tried here.

    Trying all would cost a worker as much again as packing them.
    """

    def __init__(self) -> None:
        self._sound: set[type[Any]] = {bool, bytes, float, int, str, type(None)}
        self._unsound: set[type[Any]] = set()

    def doubts(self, values: Any) -> bool:
        """Whether one of the values is of a kind that did not come back."""
        kinds: set[type[Any]] = set(map(type, values))
        for kind in kinds - self._sound - self._unsound:
            first = next(value for value in values if type(value) is kind)
            try:
                load(dump(first))
            except Exception:  # noqa: BLE001 - whatever its own methods raise
                self._unsound.add(kind)
            else:
                self._sound.add(kind)
        return not self._unsound.isdisjoint(kinds)


def pack_outcome(
    claim: Claim, batch: Batch, *, tolerant: bool, scrutiny: Scrutiny | None = None
) -> list[Any]:
    """What came of a claim, as frames that are sure to be readable at the other end.

    Where the values can only be plain, nobody need scrutinize them.
    """
    values, error = batch.values, batch.error
    if error is not None:
        error = portable(error, claim, batch.start + len(values))
    if tolerant:
        values = [
            portable(value, claim, batch.start + place) if isinstance(value, BaseException) else value
            for place, value in enumerate(values)
        ]
    try:
        if scrutiny is None or not scrutiny.doubts(values):
            return dump((values, error))
    except Exception:  # noqa: BLE001, S110 - some value cannot be pickled: find it
        pass
    return dump(_without_obstacles(claim, batch.start, values, error, tolerant=tolerant))


def _without_obstacles(
    claim: Claim, start: int, values: Any, error: BaseException | None, *, tolerant: bool
) -> tuple[list[Any], BaseException | None]:
    kept: list[Any] = []
    for index, value in enumerate(values, start):
        try:
            load(dump(value))
        except Exception as obstacle:  # noqa: BLE001 - named in the error
            item = show(claim.items[index - claim.start])
            stand_in = NotPicklableError(index, item, "result", reason_of(obstacle))
            if not tolerant:
                return kept, stand_in
            kept.append(stand_in)
        else:
            kept.append(value)
    return kept, error


def portable(error: BaseException, claim: Claim, index: int) -> Carried:
    """What an item of a claim raised, sure to arrive, with the text of its traceback."""
    text = _traceback_of(error)
    try:
        form = _form_of(error)
    except RecursionError:  # groups in groups in groups
        form = None
    if form is None:
        item = show(claim.items[index - claim.start])
        kind = f"{type(error).__module__}.{type(error).__qualname__}"
        return Carried(RemoteError(index, item, kind, text_of(error), text), "")
    return Carried(form, text, notes_of(error))


def _traceback_of(error: BaseException) -> str:
    import traceback  # noqa: PLC0415 - 3 ms of a worker's start, for errors only

    try:
        return "".join(traceback.format_exception(error))
    except Exception:  # noqa: BLE001 - up to CPython 3.12 it asks the error for its notes, which may raise anything
        return "".join([*traceback.format_tb(error.__traceback__), reason_of(error)])


def _form_of(error: BaseException) -> Any:
    """What arrives as this error: itself where it does so whole; None where nothing does."""
    words = _words_of(error)
    plain = _copied(error)
    if plain is not None and _words_of(plain) == words:
        return error
    part = _Parts(error)
    rebuilt = _copied(part)
    if rebuilt is not None and _words_of(rebuilt) == words:
        return part
    return error if plain is not None else None


def _words_of(error: BaseException) -> list[Any]:
    """Its text, and those of its members."""
    return [text_of(error), *map(_words_of, _members_of(error))]


def _members_of(error: BaseException) -> tuple[BaseException, ...]:
    group: Any = error
    return group.exceptions if isinstance(error, BaseExceptionGroup) else ()


def _copied(form: Any) -> Any:
    try:
        return load(dump(form))
    except Exception:  # noqa: BLE001 - any failure on the way there or back
        return None


class _Parts:
    """Is read as an exception whose class cannot be called with its `args`, which is how exceptions are read.

    As pickle reads other objects: made without `__init__`, and then given what it held.
    """

    def __init__(self, error: BaseException) -> None:
        self._error = error
        self._members = [_form_of(member) for member in _members_of(error)]

    def __reduce__(self) -> tuple[Any, ...]:
        kind = type(self._error)
        own = kind.__reduce__, kind.__reduce_ex__
        if own != (BaseException.__reduce__, object.__reduce_ex__) or not issubclass(kind, Exception):
            msg = f"{kind.__name__} holds more than can be seen"
            raise TypeError(msg)
        args = self._error.args
        if self._members:
            args = (args[0], self._members)
        return _rebuilt, (kind, args, object.__getstate__(self._error))


def _rebuilt(kind: type[BaseException], args: tuple[Any, ...], state: Any) -> BaseException:
    error = kind.__new__(kind, *args)
    parts: list[dict[str, Any] | None] = [*state] if isinstance(state, tuple) else [state]  # and from slots
    for part in parts:
        for name, value in (part or {}).items():
            BaseException.__setattr__(error, name, value)  # also where its own refuses, being frozen
    return error


def flush_output() -> None:
    """Let out what was printed: a caller that has its results may end, and its workers are killed with it."""
    for output in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105 - contextlib would cost a worker's start 1 ms
            output.flush()
        except Exception:  # noqa: BLE001, S110 - there is none, or nobody is left to be told
            pass


class Loading:
    """Whether this process is a worker that reads what it was sent.

    A module that is imported for that and starts workers as it is imported would do so in each of them again,
    without an end.
    """

    now = False


def read(frames: Any) -> Any:
    """What was sent; whatever is imported for it starts no workers."""
    Loading.now = True
    try:
        return load(frames)
    finally:
        Loading.now = False


class Carried(Exception):  # noqa: N818 - an envelope, never raised
    """An exception and the text of its traceback, on their way to the caller."""

    def __init__(self, error: BaseException, text: str, notes: list[str] | None = None) -> None:
        super().__init__(error, text, notes)
        self.error = error
        self.text = text
        self.notes = notes  # some classes pickle without


class RemoteTraceback(Exception):  # noqa: N818 - shown as the cause of an error, never raised
    """The traceback an exception had in its worker process."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"


def unpack_outcome(message: Message, job: Job) -> Batch:
    """The batch in a worker's message.

    Raises:
        Exception: Whatever a result's own methods raise when it is unpickled.
    """
    values, error = load(message.frames)
    if job.return_exceptions:
        values = [_unwrap(value) for value in values]
    return Batch(message.start, values, _unwrap(error))


def _unwrap(value: Any) -> Any:
    return opened(value) if type(value) is Carried else value


def opened(carried: Carried) -> BaseException:
    """The exception, with its traceback in words as its cause."""
    error = carried.error
    if carried.text:
        add_to(error, "__cause__", RemoteTraceback(carried.text))
    if carried.notes:
        add_to(error, "__notes__", carried.notes)
    return error


def hand_on(message: Message, context: Context) -> None:
    """Have what was logged in a worker handled here, in the context of what was called."""
    import logging  # noqa: PLC0415 - who is told of records has it already

    try:
        record = logging.makeLogRecord(load(message.frames))
        try:
            context.copy().run(logging.getLogger(record.name).handle, record)
        except Exception:  # noqa: BLE001 - a filter's or a handler's own
            logging.NullHandler().handleError(record)
    except Exception:  # noqa: BLE001 - it cannot be read here, or nobody is left to complain to
        return
