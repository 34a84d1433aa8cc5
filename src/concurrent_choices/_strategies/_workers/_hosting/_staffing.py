"""Where a strategy's workers come from: kept inside `with`, resting between calls, or new."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any

from ...._inspect._asking import of_type
from ...._runtime._mutex import freed_in_forks
from ...._runtime._new_thread import make_room_by
from ..._lanes._keeper import Keeper
from ._host import Host

__all__ = ["Staffing", "dismiss_resting", "resting"]

REST = 2.0
"""Seconds that workers wait for another call before they end by themselves (guessed: a person at a
prompt, or a loop around `run`)."""

_lock = freed_in_forks()
_resting: dict[Any, tuple[Host, threading.Timer, dict[str, object]]] = {}


class Staffing(Keeper[Host]):
    """Hosts of one kind."""

    def __init__(
        self,
        name: str,
        start_method: str = "fresh",
        initializer: Callable[..., object] | None = None,
        initargs: tuple[Any, ...] = (),
    ) -> None:
        make = partial(Host, name, start_method, initializer, initargs)
        super().__init__(name, make)
        self._rests = start_method == "fresh" and initializer is None

    @contextmanager
    def lend(self) -> Generator[Host, None, None]:
        """A host for one job. One whose job is given up is not used again, except inside `with`.

        Raises:
            ClosedStrategyError: Its block is over, or ended while the job went on.
        """
        self.check()
        kept = self._kept
        if kept is not None and kept.claimed.acquire(blocking=False):
            try:
                yield kept
            finally:
                kept.claimed.release()
                if kept.closed:  # meanwhile, by another thread or who makes the items
                    kept.close()
            return
        host = (_wake() if self._rests else None) or self._make()
        given_up = True
        try:
            yield host
            given_up = False
        finally:
            if self._rests and (host.parted or not given_up):
                _put_to_rest(host)
            else:
                host.close()


def _kind() -> Any:
    """What must be the same for resting workers to serve."""
    try:
        folder = os.getcwd()  # noqa: PTH109 - pathlib costs a first run 5 ms
    except OSError:  # it is gone
        folder = None
    return os.getpid(), folder, tuple(sys.path)


def resting() -> bool:
    """Whether workers rest that could serve now."""
    return _kind() in _resting


def dismiss_resting() -> bool:
    """Send all workers home that rest; whether there were any.

    Each counts in what the system allows of processes, and one with lanes as often as it had lanes.
    """
    with _lock:
        at_rest = [*_resting.values()]
        _resting.clear()
    for host, closing, _ in at_rest:
        closing.cancel()
        host.close()
    return bool(at_rest)


make_room_by(dismiss_resting)


def _wake() -> Host | None:
    with _lock:
        found = _resting.pop(_kind(), None)
    if found is None:
        return None
    host, closing, before = found
    closing.cancel()
    now = _specs()
    if any(now.get(name, spec) is not spec for name, spec in before.items()):
        host.close()
        return None
    host.dismiss_lost()
    return host


def _specs() -> dict[str, object]:
    """What each module was loaded by: something else after a reload, and workers have the old module."""
    return {
        name: ModuleType.__getattribute__(module, "__dict__").get("__spec__")  # else a lazy one loads itself
        for name, module in sys.modules.copy().items()
        if of_type(module, ModuleType)
    }


def _put_to_rest(host: Host) -> None:
    """Keep a host for the next call, and have it closed if none comes."""
    kind = _kind()
    closing = threading.Timer(REST, _retire, (kind, host))
    closing.name = "concurrent_choices-retire"
    with _lock:
        spare = kind in _resting
        if not spare:
            _resting[kind] = (host, closing, _specs())
    if spare:
        host.close()
        return
    try:
        closing.daemon = True
        closing.start()
    except RuntimeError:  # there can be no more threads, or no daemons, as in a subinterpreter
        _retire(kind, host)


def _retire(kind: Any, host: Host) -> None:
    with _lock:
        if _resting.get(kind, (None,))[0] is not host:
            return
        del _resting[kind]
    host.close()
