"""The interpreter that others like this one can be started with."""

from __future__ import annotations

import sys

__all__ = ["interpreter"]


def interpreter() -> str:
    """The path of this interpreter.

    Raises:
        OSError: There is none, as in an application that is frozen or embeds Python.
    """
    if not sys.executable or getattr(sys, "frozen", False):
        msg = "there is no interpreter to start: sys.executable is empty, or the application itself"
        raise OSError(msg)
    return sys.executable
