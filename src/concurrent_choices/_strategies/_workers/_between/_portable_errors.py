"""Errors on their trip from a worker to the caller: as they are where they arrive whole, else in words.

A worker imports this when it starts, so nothing slow may be imported here.
"""

from __future__ import annotations

from ...._errors import RemoteError
from ...._facts._lean import TYPE_CHECKING
from ...._inspect._words import reason_of, show, text_of
from ...._transfer._whole_errors import form_of
from ...._work._notes import add_to, notes_of

if TYPE_CHECKING:
    from typing import Any

    from ...._facts._batch import Claim

__all__ = ["Carried", "RemoteTraceback", "arrives", "opened", "portable"]


class Carried(Exception):  # noqa: N818 - an envelope, never raised
    """An exception and the text of its traceback, on their way to the caller."""

    def __init__(self, error: BaseException, text: str, notes: list[str] | None = None) -> None:
        super().__init__(error, text, notes)
        self.error = error
        self.text = text
        self.notes = notes  # some classes pickle without

    def __reduce__(self) -> tuple[Any, ...]:
        return Carried, self.args  # nothing is to be found out of an envelope


class RemoteTraceback(Exception):  # noqa: N818 - shown as the cause of an error, never raised
    """The traceback an exception had in its worker process."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"


def portable(error: BaseException, claim: Claim, index: int) -> Carried:
    """What came of an item of a claim, sure to arrive, with the text of its traceback if it was raised."""
    form = form_of(error)
    if form is None:
        item = show(claim.items[index - claim.start])
        kind = f"{type(error).__module__}.{type(error).__qualname__}"
        return Carried(RemoteError(index, item, kind, text_of(error), _traceback_of(error)), "")
    raised = BaseException.__getattribute__(error, "__traceback__") is not None
    return Carried(form, _traceback_of(error) if raised else "", notes_of(error))


def arrives(error: BaseException) -> bool:
    """Whether it arrives as itself, or nearly so."""
    return form_of(error) is not None


def _traceback_of(error: BaseException) -> str:
    try:
        import traceback  # noqa: PLC0415 - 3 ms of a worker's start, for errors only
    except Exception:  # noqa: BLE001 - there is no descriptor or no memory left, which may be the error itself
        return reason_of(error)
    try:
        return "".join(traceback.format_exception(error))
    except Exception:  # noqa: BLE001 - up to CPython 3.12 it asks the error for its notes, which may raise anything
        return "".join([*traceback.format_tb(error.__traceback__), reason_of(error)])


def opened(carried: Carried) -> BaseException:
    """The exception, with its traceback in words as its cause."""
    error = carried.error
    if carried.text:
        add_to(error, "__cause__", RemoteTraceback(carried.text))
    if carried.notes:
        add_to(error, "__notes__", carried.notes)
    return error
