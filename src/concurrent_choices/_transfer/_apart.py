"""Modules that only this process has, such as those that pytest's `importlib` mode loads from where they lie.

Elsewhere they cannot be imported, so what is defined in them travels by value, as from `__main__`.
"""

from __future__ import annotations

import os
import sys
from _pickle import Pickler
from collections.abc import Iterable
from functools import lru_cache
from importlib import _bootstrap
from io import BytesIO
from types import FunctionType, ModuleType
from typing import Any

from .._inspect._callables import called
from .._inspect._ownership import MAINS
from .._runtime._interrupted import raise_handlers
from ._pickling import APART

__all__ = ["being_imported", "keep_apart"]


def keep_apart(fn: Any) -> None:
    """See to it that a callable travels by value if no worker could import its module."""
    name = _module_of(fn)
    if name in sys.modules and name not in MAINS:
        missing = _missing(name, tuple(sys.path))
        module = sys.modules.get(missing)
        if isinstance(module, ModuleType):  # anything else cloudpickle would refuse, in all later runs too
            APART[missing.encode()] = module


def being_imported(value: Any) -> bool:
    """Whether a callable, or something that a value refers to, is of a module that is still being imported.

    Another thread that pickles by name waits until it is imported, and the import may wait for that thread.
    """
    if not getattr(_bootstrap, "_module_locks", True):  # nothing is being imported, which is told at no cost
        return False
    try:
        _Wary(BytesIO()).dump(value)
    except _BeingImportedError:
        return True
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it has no such pickle, as whoever needs one finds out again
        raise_handlers(error)
        return False
    return False


class _BeingImportedError(Exception):
    """Something is of a module that is being imported. Internal."""


class _Wary(Pickler):
    """Looks at all that would be pickled by name, or by the name of its class."""

    def reducer_override(self, obj: Any, /) -> Any:
        named = obj if isinstance(obj, (type, FunctionType)) else type(obj)
        module = sys.modules.get(_module_of(named))
        if getattr(getattr(module, "__spec__", None), "_initializing", False):
            raise _BeingImportedError
        # No name is looked up: one that is not found would end this before the rest is looked at.
        return (len, ((),)) if named is obj else NotImplemented


def _module_of(fn: Any) -> str:
    name = getattr(called(fn), "__module__", None)
    return name if isinstance(name, str) else ""


@lru_cache
def _missing(name: str, top: tuple[str, ...]) -> str:
    """The outermost of a module's packages, or the module itself, that no finder knows; else nothing.

    `top` is `sys.path`, with which the answer may change.
    """
    path, within = None, ""
    for part in name.split("."):
        within = f"{within}.{part}" if within else part
        module = sys.modules.get(within)
        if _lies_on(top if path is None else path, module, part):
            path = getattr(module, "__path__", None)
        else:
            spec = _spec(within, path)
            if spec is None:
                return within
            path = spec.submodule_search_locations
        if path is None:  # a module; what seems to be inside of it is of its own making
            break
    return ""


def _lies_on(path: Iterable[Any], module: ModuleType | None, part: str) -> bool:
    """Whether a module's file still is where an import would look for it, as far as its name tells.

    Asking the finders takes a dozen looks at the disk, each of which gives the GIL away to lanes that work;
    this takes one.
    """
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return False
    folder, _, leaf = file.rpartition(os.sep)
    if leaf.startswith("__init__."):
        folder, _, leaf = folder.rpartition(os.sep)
    return leaf.partition(".")[0] == part and folder in path and os.path.exists(file)  # noqa: PTH110 - pathlib costs a first run 5 ms


def _spec(name: str, path: Any) -> Any:
    """What an import would find. Not `importlib.util.find_spec`, which is content with what is loaded."""
    for finder in sys.meta_path:
        try:
            spec = finder.find_spec(name, path)
        except Exception as error:  # noqa: BLE001 - an old one has no such method, another keeps it out, a third has a fault
            raise_handlers(error)
            continue
        if spec is not None:
            return spec
    return None
