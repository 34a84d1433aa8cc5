"""Pickling for the trip: pickle, and cloudpickle where pickle would fail or point at `__main__`.

A worker never imports the caller's `__main__`, so what is defined there travels by value; cloudpickle
recognises such a class when it comes back, and its instances keep their class.
"""

from __future__ import annotations

from _pickle import dumps as pickled
from _pickle import loads

from .._facts._lean import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pickle import PickleBuffer
    from types import ModuleType
    from typing import Any

__all__ = [
    "APART",
    "Performed",
    "dump",
    "held_in",
    "load",
    "names_what_stays",
    "size_of",
    "travels_by_name",
]

OUT_OF_BAND_FROM = 1 << 20
"""Bytes from which a buffer travels beside the pickle instead of in it."""

_MAIN = b"_main__"
"""How the names of the module that was started end, in its own process and in children of multiprocessing."""

APART: dict[bytes, ModuleType] = {}
"""Other modules that workers cannot import, by their names as a pickle has them; see `_apart`."""


class Performed:
    """What a worker performs."""

    fn: Callable[..., Any] | None = None


def dump(
    value: Any, pickled: Callable[..., bytes] = pickled, table: dict[type, Any] | None = None
) -> list[Any]:
    """A value as frames: its pickle, then the large buffers beside it.

    `pickled` makes that where nothing goes by value; where something does, `table` says how objects of
    classes are pickled for which nothing else does.

    Raises:
        Exception: Whatever cloudpickle raises for what cannot be pickled, or a handler of signals meanwhile.
    """
    frames: list[Any] = [b""]

    def beside(buffer: PickleBuffer) -> bool:
        try:
            raw = buffer.raw()
        except BufferError:  # not contiguous
            return True
        if raw.nbytes < OUT_OF_BAND_FROM:
            return True
        frames.append(raw)
        return False

    try:
        frames[0] = pickled(value, 5, buffer_callback=beside)
        if not names_what_stays(frames[0]):
            return frames
    except Exception as error:  # noqa: BLE001 - whatever pickle cannot do, cloudpickle is asked
        from .._runtime._interrupted import raise_handlers  # noqa: PLC0415 - as below

        raise_handlers(error)
    from ._by_value import dumps  # noqa: PLC0415 - seldom needed, and a worker must start fast

    del frames[1:]
    apart = tuple(APART.values())  # another thread may add one meanwhile
    frames[0] = dumps(value, beside, apart, table)
    return frames


def held_in(state: Any) -> Iterator[tuple[str, Any]]:
    """What the state of an object holds, as a pickle has it, by name: in its dictionary, and in its slots."""
    parts: list[dict[str, Any] | None] = [*state] if isinstance(state, tuple) else [state]
    for part in parts:
        yield from (part or {}).items()


def size_of(frames: Iterable[Any]) -> int:
    """Bytes of frames, all together."""
    return sum(memoryview(frame).nbytes for frame in frames)


def names_what_stays(frame: bytes) -> bool:
    """Whether a pickle names something of a module that no worker can import."""
    return _MAIN in frame or (bool(APART) and any(name in frame for name in tuple(APART)))


def travels_by_name(fn: Any) -> bool:
    """Whether another process would import the callable, instead of being sent it."""
    try:
        return not names_what_stays(pickled(fn, 5))
    except Exception as error:  # noqa: BLE001 - picklers raise anything; cloudpickle will be asked later
        from .._runtime._interrupted import raise_handlers  # noqa: PLC0415 - as above

        raise_handlers(error)
        return False


def load(frames: list[Any]) -> Any:
    """The value behind frames."""
    return loads(frames[0], buffers=frames[1:])
