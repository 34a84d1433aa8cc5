"""What workers will have to import for a callable, and one process may import for all of them."""

from __future__ import annotations

import os
import sys
from types import BuiltinFunctionType, FunctionType, ModuleType

from ..._work._pickling import goes_by_value

__all__ = ["preloadable"]

_LIBRARY = os.path.dirname(os.__file__) + os.sep  # noqa: PTH120 - compared with what modules call their files


def preloadable(fn: object) -> list[str]:
    """The names of modules that a worker is going to import with a callable, of those that all may share.

    These are the standard library's, and cloudpickle. What else a module imports is each worker's own: it
    may start threads, or hold a state, as NumPy's random numbers do, that is not to be the same in all.
    """
    if goes_by_value(fn):
        return ["cloudpickle"]
    module = sys.modules.get(_home_of(fn) or "")
    homes = [*map(_home_of, vars(module).values()), module.__name__] if module is not None else []
    return [name for name in dict.fromkeys(homes) if name is not None and _is_standard(name)]


def _home_of(value: object) -> str | None:
    """The module that a value is, comes from, or has its class from."""
    kind = type(value)  # not asked for `__class__`, nor for more than must be: it may be a proxy of anything
    if issubclass(kind, ModuleType):
        name = vars(value).get("__name__")
    elif kind in {FunctionType, BuiltinFunctionType} or issubclass(kind, type):
        name = getattr(value, "__module__", None)
    else:
        name = kind.__module__
    return name if isinstance(name, str) else None


def _is_standard(name: str) -> bool:
    """Whether a module is the standard library's, and not somebody's of the same name."""
    if name.partition(".")[0] not in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(name), "__file__", None)
    return isinstance(file, str) and file.startswith(_LIBRARY) and "site-packages" not in file
