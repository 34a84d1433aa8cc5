"""What an initializer sets in globals and classes that came by value, for functions that come later.

Of a script or a notebook a worker has no module: each pickle brings the globals that its functions name. So
what `global connection` set in one would be unknown to all others, or have the value that it has with the
caller; and so would an attribute of a class, which each pickle fills anew. A worker imports this, so nothing
slow may be imported here.
"""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType

from .._facts._lean import TYPE_CHECKING
from .._inspect._asking import ATOMS, attributes_of, of_type
from .._inspect._callables import called

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

__all__ = ["filled_function", "prepare", "prepare_again"]

_prepared: dict[object, dict[str, Any]] = {}
"""What initializers have set in this process, by the name of the module that they are of."""

_attributes: dict[type, dict[str, Any]] = {}
"""The same of attributes of classes that came by value."""


def prepare(initializer: Callable[..., object], arguments: Iterable[Any]) -> None:
    """Call an initializer, and keep what it sets in globals that came by value."""
    around = _globals_by_value(_function_of(initializer))
    home = around.get("__name__")
    kinds: list[Any] = [each for each in around.values() if of_type(each, type) and each.__module__ == home]
    before, bodies = _look_at(around), [_look_at(kind.__dict__) for kind in kinds]
    initializer(*arguments)
    _prepared.setdefault(home, {}).update(_set_since(before, around))
    for kind, body in zip(kinds, bodies, strict=True):
        _attributes.setdefault(kind, {}).update(_set_since(body, kind.__dict__))


def filled_function(fn: Any, told: tuple[Callable[..., Any], Any]) -> None:
    """Put into a function that came by value what it holds, and into its globals what was prepared here."""
    fill, state = told
    fill(fn, state)
    if _prepared:
        around: dict[str, Any] = fn.__globals__
        around.update(_prepared.get(around.get("__name__"), ()))


def prepare_again(kind: type) -> None:
    """Set in a class, which has come once more as it is with the caller, what was prepared here."""
    for name, value in _attributes.get(kind, {}).items():
        type.__setattr__(kind, name, value)


def _look_at(held: Mapping[str, Any]) -> dict[str, tuple[Any, object]]:
    return {name: (value, _sum(value)) for name, value in list(held.items())}


def _set_since(before: dict[str, tuple[Any, object]], held: Mapping[str, Any]) -> dict[str, Any]:
    """What was bound anew, or changed in place; not what Python itself puts there."""
    unset = before, None  # which is the value of no name
    found = [(name, value, *before.get(name, unset)) for name, value in list(held.items())]
    return {
        name: value
        for name, value, was, its_sum in found
        if name != "__builtins__" and (value is not was or _sum(value) != its_sum)
    }


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
    from .._mutation._marks import summed  # noqa: PLC0415 - only where a global is a container or an object

    found = summed(value)
    return None if found is None else found.total
