"""What an initializer sets in globals, where it came by value: functions that come later find it there.

Of a script or a notebook a worker has no module: each pickle brings the globals that its functions name. So
what `global connection` set in one would be unknown to all others, or have the value that it has with the
caller. A worker imports this, so nothing slow may be imported here.
"""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType

from .._facts._lean import TYPE_CHECKING
from ._asking import ATOMS, attributes_of, of_type
from ._callables import called

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

__all__ = ["filled_function", "prepare"]

_prepared: dict[object, dict[str, Any]] = {}
"""What initializers have set in this process, by the name of the module that they are of."""


def prepare(initializer: Callable[..., object], arguments: Iterable[Any]) -> None:
    """Call an initializer, and keep what it sets in globals that came by value."""
    around = _globals_by_value(_function_of(initializer))
    before = {name: (value, _sum(value)) for name, value in around.items()}
    initializer(*arguments)
    unset = before, None  # which is the value of no global
    for name, value in list(around.items()):
        was, its_sum = before.get(name, unset)
        if name != "__builtins__" and (value is not was or _sum(value) != its_sum):
            _prepared.setdefault(around.get("__name__"), {})[name] = value


def filled_function(fn: Any, told: tuple[Callable[..., Any], Any]) -> None:
    """Put into a function that came by value what it holds, and into its globals what was prepared here."""
    fill, state = told
    fill(fn, state)
    if _prepared:
        around: dict[str, Any] = fn.__globals__
        around.update(_prepared.get(around.get("__name__"), ()))


def _function_of(initializer: Any) -> Any:
    """The function that it is, or runs: what a decorator stands around, an object's `__call__`, a class's."""
    fn = called(initializer)
    while (inner := attributes_of(fn).get("__wrapped__")) is not None:
        fn = called(inner)
    if of_type(fn, FunctionType):
        return fn
    return fn.__init__ if of_type(fn, type) else type(fn).__call__


def _globals_by_value(fn: Any) -> dict[str, Any]:
    """The globals that came with a function; none where it has those of a module, which others import too."""
    around: dict[str, Any] = getattr(fn, "__globals__", {})
    module = sys.modules.get(str(around.get("__name__")))
    return {} if module is not None and vars(module) is around else around


def _sum(value: object) -> object:
    """What tells whether something was changed in place; None of what cannot be, or has no pickle."""
    if of_type(value, *ATOMS, FunctionType, ModuleType, type):
        return None
    from ._marks import summed  # noqa: PLC0415 - only where a global is a container or an object

    found = summed(value)
    return None if found is None else found.total
