"""Callables on their way to workers: pickled once, and only while what they hold stays the same."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..._inspect._words import reason_of
from ..._transfer._apart import being_imported, keep_apart
from ..._transfer._imported import Imported
from ..._transfer._kept_here import mocked
from ..._transfer._markers import Markers, dump_callable
from ..._transfer._pickling import dump, travels_by_name
from ..._transfer._pretences import pretended, unseen
from .._accounting._held import Held, held_by
from .._accounting._identity import unwrapped
from .._accounting._looks import Looks
from .._calls._underlying_function import function_shared_by_calls
from ._remote import Call, Look

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._accounting._account import Account
    from .._calls._tasks import Task

__all__ = [
    "BelongsHereError",
    "Packer",
    "SentCallables",
    "StaysForNowError",
    "callable_frames",
    "look_frames",
]

KEPT = 64
"""Callables a worker remembers, and packed ones kept (guessed)."""


class BelongsHereError(Exception):
    """A call cannot go to a worker. Internal: it is made in a thread instead."""


class StaysForNowError(BelongsHereError):
    """Nor can others of its callable, until a test puts back what it has replaced."""


class SentCallables:
    """What one worker has been sent."""

    def __init__(self) -> None:
        self._known: set[int] = set()

    def frames_for(self, token: int, frames: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], bool]:
        """The frames to send with a call, none if it has them; and whether it must forget others.

        A callable whose token is 0 is not remembered there.
        """
        if not token:
            return frames, False
        if token in self._known:
            return (), False
        forget = len(self._known) >= KEPT
        if forget:
            self._known.clear()
        self._known.add(token)
        return frames, forget

    def lost(self, token: int) -> None:
        """A call was not sent after all."""
        self._known.discard(token)

    def lost_all(self) -> None:
        """A message was not read there: whatever it brought is sent again."""
        self._known.clear()


class _Packed:
    """A packed callable.

    Attributes:
        fn: It, as a weak reference, if it may be recognised; else None.
        token: Its number; 0 where it is packed for one call.
        frames: Its pickle.
        held: What it held then.
        markers: How what it is called with is pickled.
        named: Whether workers import it by its name.
        looks: When to look at what it holds.
        sent: How many calls of it were packed.
    """

    def __init__(self, fn: Any, token: int, frames: tuple[bytes, ...], held: Held) -> None:
        # What the executor was given must not outlive its call, so a callable is not kept alive here.
        self.fn = weakref.ref(fn) if type(fn) is FunctionType else None
        self.token = token
        self.frames = frames
        self.held = held
        self.markers = Markers(fn)
        self.named = travels_by_name(fn)
        self.looks = Looks()
        self.sent = 0


class Packer:
    """Packs calls."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, _Packed] = OrderedDict()
        self._tokens = 0

    def pack(self, task: Task, sent: SentCallables) -> list[Any]:
        """A call as frames for a worker.

        Raises:
            BelongsHereError: It cannot travel, or must not any more.
        """
        fn, args, kwargs = unwrapped(task.fn, task.args, task.kwargs)
        try:
            if being_imported((fn, args, kwargs)):
                raise BelongsHereError("a module that it needs is still being imported")  # noqa: EM101, TRY003, TRY301 - read once, inside
            packed = self._packed(fn, pinned=task.account.pinned)
            if not task.account.pinned:
                self._check(packed, fn, task)
        except BelongsHereError:
            raise
        except BaseException as error:  # a value's own hooks may call sys.exit()
            raise _refusal(fn, f"it cannot be pickled ({reason_of(error)})") from error
        packed.sent += 1
        frames, forget = sent.frames_for(packed.token, packed.frames)
        look = not packed.named and packed.sent == 1
        account = task.account
        trial = account.number if account.figures.gil is None and not account.pinned else 0
        call = Call(packed.token, frames, forget, task.number, args, kwargs, look, trial)
        try:
            return packed.markers.dump([call])
        except BaseException as error:  # as above
            sent.lost(packed.token)
            raise BelongsHereError(f"its arguments cannot be pickled ({reason_of(error)})") from error  # noqa: EM102, TRY003 - as above

    def _packed(self, fn: Any, *, pinned: bool) -> _Packed:
        packed = self._kept.get(id(fn))
        if packed is not None and packed.fn is not None and packed.fn() is fn:
            self._kept.move_to_end(id(fn))
            return packed
        frames = callable_frames(fn)
        held = held_by(fn)
        if held.obstacle and not pinned:
            raise _refusal(fn, f"{held.obstacle}, which belongs to this process")
        if type(fn) is not FunctionType:
            return _Packed(fn, 0, frames, held)
        self._tokens += 1
        packed = self._kept[id(fn)] = _Packed(fn, self._tokens, frames, held)
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return packed

    def _check(self, packed: _Packed, fn: Any, task: Task) -> None:
        """Refuse a callable that holds, or finds, something else than when it was packed, or examined."""
        if stays := unseen(pretended()):
            raise StaysForNowError(stays)
        if type(fn) is FunctionType:
            changed = _has_changed(packed, fn, task.account)
        else:
            changed = _has_changed_inside(fn, task.account)
        if changed:
            self._kept.pop(id(fn), None)
            raise _refusal(fn, "what it holds has changed here, which another process would not see")


def _refusal(fn: Any, reason: str) -> BelongsHereError:
    """Why a call is made here: what a test has replaced may be the cause of all other reasons."""
    stays = mocked(fn)
    return StaysForNowError(stays) if stays else BelongsHereError(reason)


def _has_changed(packed: _Packed, fn: FunctionType, account: Account) -> bool:
    held = packed.held
    if packed.sent:
        if not packed.looks.due(account.figures.wall):
            return False
        held = packed.looks.at(fn)
    examined = account.digest if function_shared_by_calls(fn) is fn else b""
    return held.digest != packed.held.digest or bool(examined and held.digest != examined)


def _has_changed_inside(fn: Any, account: Account) -> bool:
    """As `_has_changed`, for what is packed for each call: what its function names of modules is not."""
    function = function_shared_by_calls(fn)
    if function is None or not account.digest or not account.looks.due(account.figures.wall):
        return False
    return account.looks.at(function).digest != account.digest


def look_frames(fn: Any, marks: dict[tuple[str, str], int]) -> list[Any]:
    """A look at a callable, as frames for a worker, which also compares what it uses of modules.

    So it does with what has these `marks`, which its arguments use.

    Raises:
        BelongsHereError: It cannot travel, or must not now.
    """
    try:
        frames = callable_frames(fn)
        imported = Imported(fn)
        imported.marks.update(marks)
        packed = dump([Look(frames, _small(fn, imported) if imported else ())])
    except BaseException as error:  # a value's own hooks may call sys.exit()
        raise _refusal(fn, f"it cannot be pickled ({reason_of(error)})") from error
    if stays := mocked(fn):  # since it was asked for
        raise StaysForNowError(stays)
    return packed


def callable_frames(fn: Any) -> tuple[bytes, ...]:
    """A callable as frames that can stand inside a message.

    Raises:
        Exception: Whatever the pickler raises for what cannot be pickled.
    """
    keep_apart(fn)
    return _small(fn, fn)


def _small(fn: Callable[..., Any], value: Any) -> tuple[bytes, ...]:
    """A callable, or what belongs to it, as frames that can stand inside a message."""
    return tuple(bytes(frame) for frame in dump_callable(fn, value))
