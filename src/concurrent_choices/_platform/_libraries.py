"""Where code is that the user did not write."""

from __future__ import annotations

import os
import site

__all__ = ["is_of_libraries", "package_of", "programs", "take_for_program", "take_programs"]

_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep  # noqa: PTH120 - pathlib costs more than all the rest

_LIBRARIES = (os.path.dirname(os.__file__), *site.getsitepackages(), site.getusersitepackages(), _OURS)  # noqa: PTH120 - as above
"""Folders of the standard library, of what is installed, and of this library, which may stand elsewhere;
asking sysconfig takes 2 ms of a first run."""

_INSTALLED = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))
"""Within which stands what another environment has, and `PYTHONPATH` or a container's layer brings."""


_programs: list[str] = []
"""Where installed packages are that were found to be the program: their code is the user's own."""


def is_of_libraries(file: str) -> bool:
    """Whether it is a file that the user did not write."""
    found = file.startswith(_LIBRARIES) or any(each in file for each in _INSTALLED)
    return found and (file.startswith(_OURS) or not file.startswith(tuple(_programs)))


def package_of(file: str) -> str:
    """The folder of the installed package in which a file is, or the file if that is all; else empty."""
    for each in _INSTALLED:
        before, found, inside = file.rpartition(each)
        if found and not file.startswith(_OURS):
            name, folder, _ = inside.partition(os.sep)
            return before + found + name + folder
    return ""


def take_for_program(package: str) -> None:
    """From now on, what is in an installed package is the user's own."""
    if package not in _programs:
        _programs.append(package)


def programs() -> list[str]:
    """The installed packages that are."""
    return list(_programs)


def take_programs(packages: list[str]) -> None:
    """In a worker: these are."""
    _programs[:] = packages
