"""What this interpreter allows: whether threads compute side by side, and how processes can be started."""

from __future__ import annotations

import os
import sys

__all__ = ["gil_enabled", "interpreter", "start_methods"]


def gil_enabled() -> bool:
    """Whether only one thread at a time runs Python code: as of now, an import may change it."""
    ask = getattr(sys, "_is_gil_enabled", None)
    return True if ask is None else bool(ask())


_INTERPRETERS = ("python", "pypy")
"""What interpreters have in their names. Under uWSGI, and others that embed Python, `sys.executable` may be
that program: it would be started once more, and so would each that it starts."""


def interpreter() -> str:
    """The path of this interpreter.

    Raises:
        OSError: There is none, as in an application that is frozen or embeds Python.
    """
    path = sys.executable or ""
    name = os.path.basename(path).lower()  # noqa: PTH119 - pathlib costs a first run 5 ms
    if getattr(sys, "frozen", False):
        why = "this application is frozen"
    elif not any(word in name for word in _INTERPRETERS):
        why = f"sys.executable is {path or 'empty'}; set it to the path of a python, if there is one"
    else:
        return path
    msg = f"there is no interpreter to start workers with: {why}"
    raise OSError(msg)


def start_methods() -> tuple[str, ...]:
    """How worker processes can be started: ``"fresh"`` and ``"fork"``, where the system has them."""
    fork = ("fork",) if hasattr(os, "fork") else ()
    return ("fresh", *fork) if _may_run_interpreter() else fork


def _may_run_interpreter() -> bool:
    """Whether there is an interpreter that this process may start.

    A service that was root as it began may have become a user who cannot reach what it was started from, and
    an upgrade may have taken that away.
    """
    try:
        return os.access(interpreter(), os.X_OK, effective_ids=os.access in os.supports_effective_ids)
    except OSError:
        return False
