"""What attrs asks of the fields that users fill in; the errors name them and what would be right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from attrs import Attribute, validators

from .._errors import InvalidArgumentError
from ._numbers import is_whole

__all__ = ["callable_or_none", "from_0_or_none", "one_of", "positive", "positive_or_none", "switch", "words"]


Validator: TypeAlias = "Callable[[object, Attribute[Any], Any], None]"


def _must_be(what: str, *, ok: Callable[[Any], bool]) -> Validator:
    def check(_instance: object, attribute: Attribute[Any], value: object) -> None:
        if not ok(value):
            raise InvalidArgumentError(attribute.name, f"must be {what}, not {value!r}")

    return check


def one_of(*choices: str) -> Validator:
    """A validator: one of these words."""
    return _must_be(f"one of {', '.join(map(repr, choices))}", ok=lambda value: value in choices)


positive = _must_be("a whole number from 1", ok=lambda value: is_whole(value, 1))

positive_or_none = validators.optional(positive)

from_0_or_none = _must_be(
    "a whole number from 0, or None", ok=lambda value: value is None or is_whole(value, 0)
)

switch = _must_be("True or False", ok=lambda value: isinstance(value, bool))
"""As "no" would count as true."""

words = _must_be("a string", ok=lambda value: isinstance(value, str))

callable_or_none = _must_be("callable", ok=lambda value: value is None or callable(value))
