"""What is to be done: a callable and its items."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from inspect import isclass
from operator import attrgetter
from pkgutil import resolve_name
from types import MethodType
from typing import Any, cast

from attrs import Attribute, Factory, field, frozen

from .._errors import InvalidArgumentError
from ._lengths import count_of, length_of
from ._numbers import plain_int_or_none
from ._validators import from_0_or_none, words

__all__ = ["Workload"]


def _callable(_: Any, __: Any, value: Any) -> None:
    if not callable(value):
        problem = f"must be callable, not {value!r}; the items come second"
        raise InvalidArgumentError("fn", problem)


def _iterable(_: Any, __: Any, value: object) -> None:
    # Asked of the type: a user's own `__getattr__` may raise anything for a name that it does not know.
    if not any(hasattr(type(value), way) for way in ("__iter__", "__aiter__", "__getitem__")):
        problem = f"must be an iterable, not {value!r}; put a single item into a list"
        raise InvalidArgumentError("items", problem)


def _countable(_instance: object, attribute: Attribute[Any], value: int | None) -> None:
    from_0_or_none(_instance, attribute, value)
    if value is not None and value > sys.maxsize:
        problem = f"must be no more than {sys.maxsize:,}, which is what any list could hold"
        raise InvalidArgumentError(attribute.name, problem)


def _name(workload: Any) -> str:
    fn: Any = workload.fn
    inner: Any = fn.func if issubclass(type(fn), partial) else fn
    with suppress(Exception):  # a user's own `__getattr__` raises anything for a name that it does not know
        return str(inner.__qualname__)
    return str(type(fn).__qualname__)


def _leads_to(fn: Callable[[Any], Any], module: str, name: str) -> bool:
    """Whether a callable is what its module has under its name; each look at a class method makes another."""
    try:
        found: object = attrgetter(name)(sys.modules.get(module))
    except AttributeError:
        return False
    return found is fn or (isinstance(fn, MethodType) and found == fn)


def _check_same(items: list[Any], again: list[Any]) -> None:
    """JSON has no tuples, and no keys but strings: the callable would be called with something else."""
    for number, (item, other) in enumerate(zip(items, again, strict=True)):
        if not _same(item, other):
            problem = f"cannot be written as JSON: item {number}, {item!r}, would come back as {other!r}"
            raise InvalidArgumentError("items", problem)


def _same(one: Any, other: Any) -> bool:
    """Whether they are equal, and of the same types all the way down: a member of an IntEnum is no int."""
    if type(one) is not type(other) or one != other:
        return False
    if type(one) is dict:
        return _same([*one], [*other]) and _same([*one.values()], [*other.values()])
    return type(one) is not list or all(map(_same, one, other))  # pyright: ignore[reportUnknownArgumentType] - list of Any


@frozen(eq=False)
class Workload:
    """A callable and the items it is to be called with, one call each.

    Attributes:
        fn: A `def` or an `async def` of one argument.
        items: Its arguments: any iterable, infinite too.
        items_count: How many items there are, if `items` has no length, or to ask "what if there
            were a thousand times as many"; None to take the length.
        name: What to call it in tables.

    Raises:
        InvalidArgumentError: `fn` is no callable, `items` nothing to iterate over, `items_count` no whole
            number from 0, or `name` no string.
    """

    fn: Callable[[Any], Any] = field(validator=_callable)
    items: Iterable[Any] = field(default=(), validator=_iterable)
    items_count: int | None = field(
        default=None, kw_only=True, converter=plain_int_or_none, validator=_countable
    )
    name: str = field(default=Factory(_name, takes_self=True), kw_only=True, validator=words)

    @property
    def count(self) -> int | None:
        """How many items there are; None where nobody can say without pulling them all."""
        if self.items_count is not None:
            return self.items_count
        return count_of(self.items)

    @property
    def reference(self) -> str:
        """Where the callable can be imported from, as "module:name".

        Raises:
            InvalidArgumentError: It cannot be imported: a lambda, defined inside a function, a method of an
                object, or a copy that a decorator made of what has the name.
        """
        owner = self.fn if isclass(self.fn) or hasattr(self.fn, "__qualname__") else None
        module, name = getattr(owner, "__module__", None), getattr(owner, "__qualname__", "<")
        if module is None or "<" in name:
            problem = f"{self.name} cannot be imported by name; define it at the top of a module"
            raise InvalidArgumentError("fn", problem)
        if not _leads_to(self.fn, module, name):
            problem = f"is not what is imported as {module}:{name}; give it a name of its own in a module"
            raise InvalidArgumentError("fn", problem)
        return f"{module}:{name}"

    def to_json(self, *, indent: int | None = None) -> str:
        """The workload as JSON: where to import the callable from, and the items.

        Args:
            indent: Spaces per level; None for one line.

        Raises:
            InvalidArgumentError: The callable cannot be imported by name, or an item is no JSON, or would
                come back as another, as a tuple would as a list.
        """
        if length_of(self.items) is None:
            problem = "cannot be written as JSON without using the iterable up; make it a list"
            raise InvalidArgumentError("items", problem)
        listed = list(self.items)
        parts = {"fn": self.reference, "items": listed, "items_count": self.items_count, "name": self.name}
        try:
            text = json.dumps(parts, indent=indent, allow_nan=False)
            _check_same(listed, json.loads(text)["items"])
        except InvalidArgumentError:
            raise
        except (TypeError, ValueError, RecursionError) as error:
            problem = f"cannot be written as JSON: {error}"
            raise InvalidArgumentError("items", problem) from error
        return text

    @classmethod
    def from_json(cls, text: str) -> Workload:
        """The workload that `to_json` wrote. This imports the module of the callable.

        Args:
            text: What `to_json` gave.

        Raises:
            InvalidArgumentError: The text is no such JSON, or the callable is not there any more.
        """
        try:
            parts = cast("dict[str, Any]", json.loads(text))
            fn = resolve_name(parts.pop("fn"))
            return cls(fn, parts.pop("items"), **parts)
        except InvalidArgumentError:
            raise
        except (AttributeError, ImportError, KeyError, RecursionError, TypeError, ValueError) as error:
            problem = f"must be JSON that Workload.to_json wrote: {error!r}"
            raise InvalidArgumentError("text", problem) from error
