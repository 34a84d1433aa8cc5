"""What attrs asks of the fields that users fill in; the errors name them and what would be right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import Attribute, validators

from .._errors import InvalidArgumentError
from ._numbers import is_whole

__all__ = ["callable_or_none", "from_0_or_none", "one_of", "positive", "positive_or_none", "switch", "words"]


def positive(_instance: object, attribute: Attribute[Any], value: object) -> None:
    """An attrs validator: a whole number from 1."""
    if not is_whole(value, 1):
        raise InvalidArgumentError(attribute.name, f"must be a whole number from 1, not {value!r}")


positive_or_none = validators.optional(positive)
"""An attrs validator: a whole number from 1, or None."""


def from_0_or_none(_instance: object, attribute: Attribute[Any], value: object) -> None:
    """An attrs validator: a whole number from 0, or None."""
    if value is not None and not is_whole(value, 0):
        problem = f"must be a whole number from 0, or None, not {value!r}"
        raise InvalidArgumentError(attribute.name, problem)


def one_of(*choices: str) -> Callable[[object, Attribute[Any], object], None]:
    """An attrs validator: one of these words."""

    def check(_instance: object, attribute: Attribute[Any], value: object) -> None:
        if value not in choices:
            listed = ", ".join(map(repr, choices))
            raise InvalidArgumentError(attribute.name, f"must be one of {listed}, not {value!r}")

    return check


def switch(_instance: object, attribute: Attribute[Any], value: object) -> None:
    """An attrs validator: True or False, as "no" would count as true."""
    if not isinstance(value, bool):
        raise InvalidArgumentError(attribute.name, f"must be True or False, not {value!r}")


def words(_instance: object, attribute: Attribute[Any], value: object) -> None:
    """An attrs validator: a string."""
    if not isinstance(value, str):
        raise InvalidArgumentError(attribute.name, f"must be a string, not {value!r}")


def callable_or_none(_instance: object, attribute: Attribute[Any], value: object) -> None:
    """An attrs validator: a callable, or None."""
    if value is not None and not callable(value):
        raise InvalidArgumentError(attribute.name, f"must be callable, not {value!r}")
