"""Where code is that the user did not write."""

from __future__ import annotations

import os
import site

__all__ = ["LIBRARIES"]

LIBRARIES = (os.path.dirname(os.__file__), *site.getsitepackages(), site.getusersitepackages())  # noqa: PTH120 - pathlib costs more than all the rest
"""Folders of the standard library and of what is installed; asking sysconfig takes 2 ms of a first run."""
