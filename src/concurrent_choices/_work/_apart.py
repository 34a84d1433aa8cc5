"""Modules that only this process has, such as those that pytest's `importlib` mode loads from where they lie.

Elsewhere they cannot be imported, so what is defined in them travels by value, as from `__main__`.
"""

from __future__ import annotations

import sys
from functools import lru_cache, partial
from typing import Any

from ._pickling import APART, MAINS

__all__ = ["keep_apart"]


def keep_apart(fn: Any) -> None:
    """See to it that a callable travels by value if no worker could import its module."""
    while isinstance(fn, partial):
        fn = fn.func
    name = getattr(fn, "__module__", None)
    if isinstance(name, str) and name in sys.modules and name not in MAINS:
        missing = _missing(name)
        if missing in sys.modules:
            APART[missing.encode()] = sys.modules[missing]


@lru_cache
def _missing(name: str) -> str:
    """The outermost of a module's packages, or the module itself, that no finder knows; else nothing."""
    path, within = None, ""
    for part in name.split("."):
        within = f"{within}.{part}" if within else part
        spec = _spec(within, path)
        if spec is None:
            return within
        path = spec.submodule_search_locations
        if path is None:  # a module; what seems to be inside of it is of its own making
            break
    return ""


def _spec(name: str, path: Any) -> Any:
    """What an import would find. Not `importlib.util.find_spec`, which is content with what is loaded."""
    for finder in sys.meta_path:
        spec = finder.find_spec(name, path) if hasattr(finder, "find_spec") else None
        if spec is not None:
            return spec
    return None
