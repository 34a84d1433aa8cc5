"""All cores of this process: finished at the interpreter's end, and begun afresh in a fork."""

from __future__ import annotations

import atexit
import threading
import weakref

from .._runtime._forks import tell_in_forks
from .._runtime._new_thread import new_thread
from ._core import Core
from ._settings import Settings

__all__ = ["new_core"]

_cores: weakref.WeakSet[Core] = weakref.WeakSet()


def new_core(settings: Settings) -> Core:
    """A core whose calls are done before the interpreter ends."""
    core = Core(settings)
    _cores.add(core)
    return core


def _finish_all() -> None:
    """At the interpreter's end: do what was submitted, as `concurrent.futures` does."""
    for core in list(_cores):
        core.close()
    for core in list(_cores):
        core.join()


atexit.register(_finish_all)
if not new_thread(_finish_all, "").daemon:  # a subinterpreter waits for all threads first: tell them before
    tell_before = threading._register_atexit  # type: ignore[attr-defined]  # noqa: SLF001 - as concurrent.futures does
    tell_before(_finish_all)
tell_in_forks(_cores, Core.start_afresh)
