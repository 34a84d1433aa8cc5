"""What workers need of `typing`, without its import, which costs their start 5 ms; checkers see it itself."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
"""Checkers know it by its name."""

if TYPE_CHECKING:
    from typing import Any, NamedTuple

__all__ = ["TYPE_CHECKING", "NamedTuple"]

_OWN = ("__annotations__", "__doc__", "__module__", "__qualname__")
"""What a class body holds by itself; `namedtuple` has been told of it, or has no use for it."""


class NamedTuples(type):
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


if not TYPE_CHECKING:

    class NamedTuple(metaclass=NamedTuples):
        """What `typing.NamedTuple` is, for plain fields and methods."""
