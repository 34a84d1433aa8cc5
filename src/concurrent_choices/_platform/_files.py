"""Reading small files of the system, under a root that a test may choose."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["lines", "read", "standard_streams_are_open"]


def lines(root: Path, name: str) -> list[str]:
    """The lines of a file; none where it cannot be read."""
    return read(root, name).splitlines()


def read(root: Path, name: str) -> str:
    """The text of a file; empty where it cannot be read."""
    try:
        with open(f"{root}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - asked on every run; half the time of Path.read_text
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def standard_streams_are_open() -> bool:
    """Whether nothing else can be opened under the numbers of the standard streams."""
    try:
        for descriptor in range(3):
            os.fstat(descriptor)
    except OSError:
        return False
    return True
