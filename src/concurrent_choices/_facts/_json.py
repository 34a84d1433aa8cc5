"""Facts as JSON and back: plain objects of their fields, nothing that runs on reading.

A figure that is infinite or not a number becomes null, since JSON knows neither; a null in a figure's place
is read as not a number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import isfinite, isinf, nan
from types import NoneType, UnionType
from typing import Any, Self, TypeGuard, Union, cast, get_args, get_origin, get_type_hints

from attrs import fields, has

from .._errors import InvalidArgumentError

__all__ = ["Jsonable", "plain", "structured"]


class Jsonable:
    """Gives an attrs class `to_json` and `from_json`."""

    __slots__ = ()

    def to_json(self, *, indent: int | None = None) -> str:
        """The fields as a JSON object.

        Args:
            indent: Spaces per level; None for one line.
        """
        return json.dumps(plain(self), indent=indent, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The fact that `to_json` wrote. Fields the text lacks keep their defaults.

        Raises:
            InvalidArgumentError: The text is no JSON, or not of this shape.
        """
        try:
            value = json.loads(text)
        except (TypeError, ValueError, RecursionError) as error:  # no text at all, or none that is JSON
            problem = f"must be JSON for a {cls.__name__}: {error}"
            raise InvalidArgumentError("text", problem) from error
        fact: Self = structured(value, cls)
        return fact


def plain(value: Any) -> Any:
    """A fact as dicts, lists, numbers, strings and None."""
    if _is_fact(value):
        return {name: plain(getattr(value, name)) for name in _hints(type(value))}
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in cast("Iterable[Any]", value)]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value


def structured(value: Any, kind: Any, where: str = "") -> Any:
    """What `plain` made, as `kind` again.

    Args:
        value: Dicts, lists, numbers, strings and None.
        kind: An attrs class, a tuple, a plain type, or one of these or None.
        where: The path to the value, for messages.

    Raises:
        InvalidArgumentError: The value is not of that kind; the message says where.
    """
    if has(kind):
        return _fact(value, kind, where)
    origin = get_origin(kind)
    if origin is tuple:
        return _tuple(value, get_args(kind), where)
    if origin in (Union, UnionType):
        return _optional(value, get_args(kind), where)
    return _scalar(value, kind, where)


def _fact(value: Any, kind: Any, where: str) -> Any:
    if not _is_object(value):
        raise _wrong(value, kind, where)
    hints = _hints(kind)
    if unknown := sorted(set(value) - set(hints)):
        problem = f"has unknown fields in {where or kind.__name__}: {', '.join(unknown)}"
        raise InvalidArgumentError("text", problem)
    parts = {
        name: structured(each, hints[name], f"{where}.{name}".lstrip(".")) for name, each in value.items()
    }
    try:
        return kind(**parts)
    except (TypeError, ValueError) as error:
        problem = f"is no {kind.__name__}{f' at {where}' if where else ''}: {error}"
        raise InvalidArgumentError("text", problem) from error


def _is_fact(value: object) -> bool:
    return has(type(value))


def _is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind) if each.init}


def _tuple(value: Any, kinds: tuple[Any, ...], where: str) -> tuple[Any, ...]:
    if not _is_list(value):
        raise _wrong(value, tuple, where)
    if kinds[-1] is Ellipsis:
        kinds = (kinds[0],) * len(value)
    if len(kinds) != len(value):
        raise _wrong(value, tuple, where)
    paired = zip(value, kinds, strict=True)
    return tuple(structured(part, kind, f"{where}[{at}]") for at, (part, kind) in enumerate(paired))


def _optional(value: Any, kinds: tuple[Any, ...], where: str) -> Any:
    (kind,) = (each for each in kinds if each is not NoneType)
    return None if value is None else structured(value, kind, where)


def _scalar(value: Any, kind: Any, where: str) -> Any:
    if kind is float and value is None:
        return nan
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError as error:
            raise _wrong(value, kind, where) from error
    if kind is float and isinstance(value, float) and isinf(value):  # Python reads Infinity and 1e999
        raise _wrong(value, "finite float", where)
    # bool is an int to Python, but a flag where a count belongs is a mistake
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _wrong(value, kind, where)
    return value


def _wrong(value: Any, kind: Any, where: str) -> InvalidArgumentError:
    name = getattr(kind, "__name__", str(kind))
    return InvalidArgumentError("text", f"has {value!r} at {where or 'the top'}, not a {name}")
