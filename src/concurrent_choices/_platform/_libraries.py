"""Where code is that the user did not write."""

from __future__ import annotations

import os
import site

__all__ = ["is_of_libraries"]

_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep  # noqa: PTH120 - pathlib costs more than all the rest

_LIBRARIES = (os.path.dirname(os.__file__), *site.getsitepackages(), site.getusersitepackages(), _OURS)  # noqa: PTH120 - as above
"""Folders of the standard library, of what is installed, and of this library, which may stand elsewhere;
asking sysconfig takes 2 ms of a first run."""

_INSTALLED = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))
"""Within which stands what another environment has, and `PYTHONPATH` or a container's layer brings."""


def is_of_libraries(file: str) -> bool:
    """Whether it is a file that the user did not write."""
    return file.startswith(_LIBRARIES) or any(each in file for each in _INSTALLED)
