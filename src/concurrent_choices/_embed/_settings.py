"""What an executor was asked for, checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from attrs import field, frozen

from .._errors import InvalidArgumentError
from .._facts._numbers import is_whole, plain, plain_int_or_none
from .._facts._validators import from_0_or_none, one_of, positive_or_none
from ._accounting._identity import Number, identity_of, number_of

__all__ = ["Settings"]


def _plain_limits(limits: Any) -> Any:
    return {fn: plain(limit) for fn, limit in limits.items()} if hasattr(limits, "items") else limits


def _limits(_settings: object, _attribute: object, value: Any) -> None:
    if not hasattr(value, "items"):
        raise InvalidArgumentError("limits", f"must map callables to whole numbers from 1, not {value!r}")
    for fn, limit in value.items():
        if not (callable(fn) and is_whole(limit, 1)):
            problem = f"must map callables to whole numbers from 1, not {fn!r} to {limit!r}"
            raise InvalidArgumentError("limits", problem)
    _refuse_twins(value)


def _refuse_twins(fns: Iterable[Any]) -> None:
    """Refuse two callables that calls are not told apart by: their limits would be merged."""
    known: dict[Number, Any] = {}
    for fn in fns:
        first = known.setdefault(number_of(identity_of(fn)), fn)
        if first is not fn:
            problem = (
                f"cannot tell {first!r} from {fn!r}, as both run the same code: name one of them, whose "
                "limit then holds for both together, or have an executor for each"
            )
            raise InvalidArgumentError("limits", problem)


@frozen(kw_only=True)
class Settings:
    """What an executor was asked for; see `AdaptiveExecutor`."""

    max_threads: int | None = field(default=None, converter=plain_int_or_none, validator=positive_or_none)
    max_processes: int | None = field(default=None, converter=plain_int_or_none, validator=from_0_or_none)
    max_queue: int | None = field(default=None, converter=plain_int_or_none, validator=positive_or_none)
    when_full: str = field(default="block", validator=one_of("block", "reject", "caller"))
    limits: Mapping[Callable[..., Any], int] = field(
        factory=dict[Callable[..., Any], int], converter=_plain_limits, validator=_limits
    )
    place: Literal["auto", "process", "thread"] = field(
        default="auto", validator=one_of("auto", "process", "thread")
    )
    name: str = "adaptive"
