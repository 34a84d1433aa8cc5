"""What this interpreter allows: whether threads compute side by side, and how processes can be started."""

from __future__ import annotations

import os
import sys

__all__ = ["gil_enabled", "interpreter", "start_methods"]


def gil_enabled() -> bool:
    """Whether only one thread at a time runs Python code: as of now, an import may change it."""
    ask = getattr(sys, "_is_gil_enabled", None)
    return True if ask is None else bool(ask())


def interpreter() -> str:
    """The path of this interpreter.

    Raises:
        OSError: There is none, as in an application that is frozen or embeds Python.
    """
    if not sys.executable or getattr(sys, "frozen", False):
        msg = "there is no interpreter to start: sys.executable is empty, or the application itself"
        raise OSError(msg)
    return sys.executable


def start_methods() -> tuple[str, ...]:
    """How worker processes can be started: ``"fresh"`` and ``"fork"``, where the system has them."""
    fork = ("fork",) if hasattr(os, "fork") else ()
    try:
        interpreter()
    except OSError:
        return fork
    return ("fresh", *fork)
