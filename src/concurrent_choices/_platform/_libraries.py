"""Where code is that the user did not write."""

from __future__ import annotations

import os
import site

__all__ = ["LIBRARIES"]

_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep  # noqa: PTH120 - pathlib costs more than all the rest

LIBRARIES = (os.path.dirname(os.__file__), *site.getsitepackages(), site.getusersitepackages(), _OURS)  # noqa: PTH120 - as above
"""Folders of the standard library, of what is installed, and of this library, which may stand elsewhere;
asking sysconfig takes 2 ms of a first run."""
