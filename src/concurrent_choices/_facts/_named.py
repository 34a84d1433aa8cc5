"""Named tuples without `typing`, which costs a worker's start 5 ms; checkers are shown the one from there."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False  # checkers know the name; importing typing would cost a worker's start 5 ms

if TYPE_CHECKING:
    from typing import Any

__all__ = ["NamedTuple"]


_OWN = ("__annotations__", "__doc__", "__module__", "__qualname__")
"""What a class body holds by itself; `namedtuple` has been told of it, or has no use for it."""


class _Named(type):
    """Makes a named tuple of what looks like a class with annotations."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(cls, name, bases, body)
        fields = list(body["__annotations__"])
        defaults = [body[field] for field in fields if field in body]
        made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])  # type: ignore[misc]  # noqa: PYI024 - checkers see typing's instead
        made.__doc__ = body.get("__doc__")  # python -OO has none
        for key in body.keys() - {*fields, *_OWN}:
            setattr(made, key, body[key])
        return made


class NamedTuple(metaclass=_Named):
    """What `typing.NamedTuple` is, for plain fields and methods."""
