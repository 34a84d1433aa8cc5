"""All cores of this process: finished at the interpreter's end, and begun afresh in a fork."""

from __future__ import annotations

import weakref

from .._runtime._at_exit import call_at_exit
from .._runtime._forks import tell_in_forks
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


call_at_exit(_finish_all)
tell_in_forks(_cores, Core.orphan)
