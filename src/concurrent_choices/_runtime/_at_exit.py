"""What is called before the interpreter ends, while all threads still run."""

from __future__ import annotations

import atexit
import threading

from .._facts._lean import TYPE_CHECKING
from ._new_thread import new_thread

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["call_at_exit"]


def call_at_exit(end: Callable[[], object]) -> None:
    """Have `end` called at the interpreter's end; it may be called twice."""
    atexit.register(end)
    if not new_thread(end, "").daemon:  # a subinterpreter waits for all threads first: tell them before
        tell_before = threading._register_atexit  # type: ignore[attr-defined]  # noqa: SLF001 - as concurrent.futures does
        tell_before(end)
