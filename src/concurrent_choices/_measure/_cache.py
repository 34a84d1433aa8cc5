"""Keeping a calibration between runs: a small JSON file, the user's own, one a kind of machine.

Another user could put a file where ours is looked for, so a file or a folder that is not ours, or
that others may write to, is passed over. It is JSON: reading it runs nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import secrets
import stat
import sys
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from .._platform._interpreter import gil_enabled
from .._platform._processors import usable_cpus
from .._platform._this_machine import cpu_model

__all__ = ["CACHE_VARIABLE", "Place", "fingerprint", "load", "place", "store"]

CACHE_VARIABLE = "CONCURRENT_CHOICES_CACHE"
"""The environment variable that names another folder, or says "off"."""

_PACKAGE = "concurrent_choices"
_LARGEST = 64 * 1024  # bytes; a calibration has three thousand
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


class Place(NamedTuple):
    """Where a calibration is kept.

    Attributes:
        folder: The folder; None where nothing is kept.
        name: The file's name, which stands for everything that the figures depend on.
        reason: Why nothing is kept, where nothing is.
    """

    folder: Path | None
    name: str
    reason: str = ""

    @property
    def file(self) -> Path | None:
        """The file; None where nothing is kept."""
        return None if self.folder is None else self.folder / self.name


def place() -> Place:
    """Where this machine's calibration for this interpreter is kept, as the environment has it."""
    wish = os.environ.get(CACHE_VARIABLE, "").strip()
    name = f"costs-{fingerprint()}.json"
    if wish.lower() == "off":
        return Place(None, name, f"{CACHE_VARIABLE}=off")
    try:
        if wish:
            return Place(Path(wish).expanduser(), name)
        platformdirs: Any = import_module("platformdirs")
        return Place(Path(platformdirs.user_cache_dir(_PACKAGE, appauthor=False)), name)
    except ImportError:
        return Place(None, name, f"pip install '{_PACKAGE}[cache]' to keep it between runs")
    except RuntimeError as error:  # "~somebody", whom this system does not know
        return Place(None, name, f"{CACHE_VARIABLE}={wish}: {error}")


def fingerprint() -> str:
    """A short name for everything that the figures depend on."""
    parts = {
        "python": [sys.implementation.name, sys.version, sys.executable, gil_enabled()],
        "machine": [sys.platform, platform.machine(), cpu_model(), usable_cpus()],
        "package": _version(),
    }
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def load(place: Place) -> str | None:
    """The text kept there; None where there is none, or none of ours."""
    if place.file is None:
        return None
    try:
        with open(place.file, "rb", opener=_warily) as file:
            about = os.fstat(file.fileno())
            sound = stat.S_ISREG(about.st_mode) and about.st_size <= _LARGEST and _ours(about)
            return file.read(_LARGEST).decode() if sound else None
    except (OSError, UnicodeDecodeError):
        return None


def store(place: Place, text: str) -> str:
    """Keep a text; answers why it could not be kept, empty where it was.

    It is written aside and then renamed, so a reader sees the old or the new one, and of two that
    write at once the later stays.
    """
    if place.folder is None:
        return place.reason
    try:
        return _write(place.folder, place.name, text)
    except (OSError, ValueError) as error:
        return f"{place.folder}: {getattr(error, 'strerror', None) or error}"


def _write(folder: Path, name: str, text: str) -> str:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _ours(folder.stat()):
        return f"{folder} belongs to another user, or others may write to it"
    aside = folder / f".{name}.{os.getpid()}.{secrets.token_hex(4)}"
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - made with its mode, so that it is never anybody else's
            file.write(text)
        aside.replace(folder / name)
    except BaseException:
        with suppress(OSError):
            aside.unlink()
        raise
    return ""


def _warily(file: str, flags: int) -> int:
    """Open no link, and wait for no pipe."""
    return os.open(file, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _ours(about: os.stat_result) -> bool:
    """Whether a file or folder is this user's, and nobody else may change it."""
    if not hasattr(os, "geteuid"):
        return True
    return about.st_uid == os.geteuid() and not about.st_mode & _OTHERS_MAY_WRITE


def _version() -> str:
    try:
        return version(_PACKAGE)
    except PackageNotFoundError:
        return "unknown"
