"""What a worker process does for the executor: one call, or a look at a callable."""

from __future__ import annotations

from ..._facts._batch import Claim
from ..._facts._lean import TYPE_CHECKING, NamedTuple
from ..._inspect._asking import is_frozen
from ..._inspect._callables import show_call, taken_apart
from ..._inspect._words import reason_of, text_of
from ..._measure._clock import SystemClock
from ..._platform._interpreter import gil_enabled
from ..._strategies._workers._between._loading import read
from ..._strategies._workers._between._portable_errors import Carried, portable
from .._accounting._held import Held, held_by

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._dear_look import DearLook
    from ._gil_monitor import GilMonitor

__all__ = ["Call", "Look", "Report", "serve"]

REPAID = 1.0
"""Seconds of calls in a worker from which what they are given is looked at: to import what looks takes 20 ms,
which is 2 % of that."""


class Call(NamedTuple):
    """A call on its way to a worker.

    Attributes:
        token: The callable's number; 0 where it is not to be remembered.
        frames: The callable itself, where this worker has not been sent it before.
        forget: Whether the worker is to forget all callables it was sent.
        number: Which call of the executor it is.
        args: Its positional arguments.
        kwargs: Its other arguments.
        look: Whether to tell if the callable changed what it holds.
        trial: The number under which to find out whether it holds the GIL; 0 where that is known.
    """

    token: int
    frames: tuple[bytes, ...]
    forget: bool
    number: int
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    look: bool
    trial: int

    def __repr__(self) -> str:
        """Not the callable's frames, which may be long; who reads what comes of it knows the call."""
        return f"call {self.number}"


class _Called(NamedTuple):
    """A call as the item that errors name; it is spelled only where one does."""

    fn: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __repr__(self) -> str:
        return show_call(*self)


class Look(NamedTuple):
    """A callable that a worker is to load and look at.

    Attributes:
        frames: The callable.
        marks: What it uses of modules, which raises as it is read where that is not the same; or nothing.
    """

    frames: tuple[bytes, ...]
    marks: tuple[bytes, ...] = ()


class Report(NamedTuple):
    """What came of a call.

    Attributes:
        value: What it returned.
        error: What it raised, in its envelope, or None.
        wall: Seconds it took.
        cpu: Seconds it computed.
        queued: Seconds it was ready to run and had no core.
        changed: What it was seen to change that stays here; empty where nothing is known to be.
        gil: The share of the callable's computing that holds the GIL; None where it was not tried, or is not
            sure yet.
        unloadable: Why the callable could not be loaded here, and was not called; or empty.
    """

    value: Any = None
    error: Carried | None = None
    wall: float = 0.0
    cpu: float = 0.0
    queued: float = 0.0
    changed: str = ""
    gil: float | None = None
    unloadable: str = ""


_known: dict[int, Any] = {}
_monitors: list[GilMonitor] = []
_clock = SystemClock()
_worked = [0.0]
"""Seconds of all calls here."""


def serve(message: Call | Look) -> Report | Held | str:
    """Do what a message asks for; a string says why a callable cannot be loaded."""
    if isinstance(message, Look):
        return _look(message)
    try:
        fn = _loaded(message)
    except BaseException as error:  # noqa: BLE001 - whatever importing it raised is the reason
        return Report(unloadable=_words(error))
    holds_other = _to_be_compared(fn) if message.look else None
    given = _look_at_given(fn, message) if _worked[0] >= REPAID else None
    report = _made(fn, message)
    _worked[0] += report.wall
    if holds_other and holds_other():
        return report._replace(changed="what it holds")
    if given and given.finds_change():
        return report._replace(changed="what it was given")
    return report


def _look_at_given(fn: Any, call: Call) -> DearLook | None:
    """Look at what is sent anew with each call, its own object too; None where nothing of it can change."""
    try:
        _, _, args, kwargs = taken_apart(fn, call.args, call.kwargs)
    except Exception:  # noqa: BLE001 - a callable's own hooks raise anything
        return None
    given = [each for each in (*args, *kwargs.values()) if not is_frozen(each)]
    if not given:
        return None
    from ._dear_look import DearLook  # noqa: PLC0415 - see `REPAID`

    return DearLook(len, given)  # which holds nothing


def _to_be_compared(fn: Any) -> Callable[[], bool]:
    """Look at what a callable holds before a call; what comes back says after it whether that has changed."""
    before = held_by(fn)
    if not before.obstacle:
        return lambda: held_by(fn).differs(before)
    # In here nothing of a class that came by value has a pickle: then by its attributes.
    from ._dear_look import DearLook  # noqa: PLC0415 - as above, and seldom needed

    return DearLook(fn).finds_change


def _made(fn: Any, call: Call) -> Report:
    """Make a call and note what it took."""
    monitor = _monitor_of(call.trial)
    if monitor is not None:
        monitor.begin()
    value, failure = None, None
    queued, cpu, began = _clock.run_queue(), _clock.thread_cpu(), _clock.wall()
    try:
        value = fn(*call.args, **call.kwargs)
    except BaseException as error:  # noqa: BLE001 - whatever it raised belongs to whoever waits for it
        failure = error
    ended, cpu = _clock.wall(), _clock.thread_cpu() - cpu
    queued = _clock.run_queue() - queued
    gil = None if monitor is None else monitor.end(call.trial, (began, ended), cpu, queued)
    claim = Claim(call.number, [_Called(fn, call.args, call.kwargs)])
    carried = None if failure is None else portable(failure, claim, call.number)
    return Report(value, carried, (ended - began) / 1e9, cpu / 1e9, queued / 1e9, gil=gil)


def _monitor_of(trial: int) -> GilMonitor | None:
    """Who finds out whether a call holds the GIL: nobody for one of which that is known.

    Nor where there is none, though the caller may have imported what turns it on.
    """
    if not gil_enabled():
        return None
    if trial and not _monitors:
        from ._gil_monitor import GilMonitor  # noqa: PLC0415 - seldom needed, and a worker must start fast

        try:
            _monitors.append(GilMonitor(_clock))
        except RuntimeError:  # there can be no more threads: nobody watches this call
            return None
    elif not trial and _monitors and not _monitors[0].undecided:
        _monitors.pop().close()
    return _monitors[0] if trial else None


def _look(message: Look) -> Held | str:
    try:
        fn = read(list(message.frames))
    except BaseException as error:  # noqa: BLE001 - as in serve
        return _words(error)
    try:
        if message.marks:
            read(list(message.marks))
    except BaseException as error:  # noqa: BLE001 - as in serve
        return f"a worker process finds other things in modules ({text_of(error)})"
    return held_by(fn)


def _loaded(call: Call) -> Any:
    if call.forget:
        _known.clear()
    if not call.frames:
        return _known[call.token]
    fn = read(list(call.frames))
    if call.token:
        _known[call.token] = fn
    return fn


def _words(error: BaseException) -> str:
    return f"a worker process cannot load it: {reason_of(error)}"
