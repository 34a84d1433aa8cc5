"""What came of a claim: packed so that it is sure to arrive, and unpacked there.

A worker imports this when it starts, so nothing slow may be imported here.
"""

from __future__ import annotations

from ...._errors import NotPicklableError, RemoteError
from ...._facts._batch import Batch, Claim
from ...._facts._lean import TYPE_CHECKING
from ...._inspect._words import reason_of, show
from ...._transfer._pickling import dump, load
from ._portable_errors import Carried, opened, portable

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ...._transfer._markers import Markers
    from ._wire import Message

__all__ = ["Scrutiny", "pack_outcome", "unpack_outcome"]


class _Mixed(list["Any"]):
    """Values, some of which are errors on their way."""


class Scrutiny:
    """Which kinds of results can be read at the other end: the first of each kind is tried here.

    Trying all would cost a worker as much again as packing them. Markers, those within reach of the job's
    callable, may be in all but plain ones.
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        self._fn = fn
        self._markers: Markers | None = None
        self._sound: set[type[Any]] = {bool, bytes, float, int, str, type(None)}
        self._unsound: set[type[Any]] = set()

    def doubts(self, values: Any) -> bool:
        """Whether one of the values is of a kind that did not come back."""
        kinds: set[type[Any]] = set(map(type, values))
        for kind in kinds - self._sound - self._unsound:
            self._markers = self._markers or _markers_of(self._fn)
            first = next(value for value in values if type(value) is kind)
            try:
                load(self.dump(first))
            except Exception:  # noqa: BLE001 - whatever its own methods raise
                self._unsound.add(kind)
            else:
                self._sound.add(kind)
        return not self._unsound.isdisjoint(kinds)

    def dump(self, outcome: Any) -> list[Any]:
        """As frames, what has values in it that are not doubted."""
        return dump(outcome) if self._markers is None else self._markers.dump(outcome)


def _markers_of(fn: Callable[..., Any]) -> Markers:
    from ...._transfer._markers import Markers  # noqa: PLC0415 - plain results need none, and a worker must start fast

    return Markers(fn)


def pack_outcome(claim: Claim, batch: Batch, *, tolerant: bool, scrutiny: Scrutiny | None) -> list[Any]:
    """What came of a claim, as frames that are sure to be readable at the other end.

    Without `scrutiny`, values are taken to be plain.
    """
    values, error = batch.values, batch.error
    if error is not None:
        error = portable(error, claim, batch.start + len(values))
    if scrutiny is None and not tolerant:
        return dump((values, error))
    if any(issubclass(kind, BaseException) for kind in set(map(type, values))):
        values = _Mixed(
            _carried(value, claim, index, tolerant=tolerant) if isinstance(value, BaseException) else value
            for index, value in enumerate(values, batch.start)
        )
    if scrutiny is None:
        return dump((values, error))
    try:
        if not scrutiny.doubts(values):
            return scrutiny.dump((values, error))
    except Exception:  # noqa: BLE001, S110 - some value cannot be pickled: find it
        pass
    return scrutiny.dump(
        _without_obstacles(claim, batch._replace(values=values, error=error), scrutiny, tolerant=tolerant)
    )


def _carried(error: BaseException, claim: Claim, index: int, *, tolerant: bool) -> BaseException:
    """An exception in an item's place, on its way; itself if that is a result which cannot arrive whole."""
    carried = portable(error, claim, index)
    return carried if tolerant or type(carried.error) is not RemoteError else error


def _without_obstacles(
    claim: Claim, batch: Batch, scrutiny: Scrutiny, *, tolerant: bool
) -> tuple[list[Any], BaseException | None]:
    start, values, error = batch
    kept: list[Any] = _Mixed() if type(values) is _Mixed else []
    for index, value in enumerate(values, start):
        try:
            load(scrutiny.dump(value))
        except Exception as obstacle:  # noqa: BLE001 - named in the error
            item = show(claim.items[index - claim.start])
            stand_in = NotPicklableError(index, item, "result", reason_of(obstacle))
            if not tolerant:
                return kept, stand_in
            kept.append(stand_in)
        else:
            kept.append(value)
    return kept, error


def unpack_outcome(message: Message) -> Batch:
    """The batch in a worker's message.

    Raises:
        Exception: Whatever a result's own methods raise when it is unpickled.
    """
    values, error = load(message.frames)
    if type(values) is _Mixed:
        values = [_unwrap(value) for value in values]
    return Batch(message.start, values, _unwrap(error))


def _unwrap(value: Any) -> Any:
    return opened(value) if type(value) is Carried else value
