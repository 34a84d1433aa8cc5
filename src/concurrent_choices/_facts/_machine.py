"""What a machine offers to concurrency."""

from __future__ import annotations

from math import inf

from attrs import field, frozen

from .._errors import InvalidArgumentError
from ._numbers import plain_int_or_none
from ._validators import from_0_or_none, switch

__all__ = ["Machine"]


def _processors(cpus: float) -> float:
    try:
        number = 0.0 if isinstance(cpus, bool | str | bytes) else float(cpus)
    except (TypeError, ValueError, OverflowError):
        number = 0.0
    if not 0.0 < number < inf:
        raise InvalidArgumentError("cpus", f"must be a number above 0, such as 64, not {cpus!r}")
    return number


@frozen(kw_only=True)
class Machine:
    """The facts about a machine and its interpreter that bound what concurrency can do.

    Attributes:
        cpus: CPUs that this process may keep busy: the least of affinity, cgroup quota and override;
            may be a fraction.
        memory: Bytes this process may use, or None where no limit is known.
        gil: Whether the interpreter runs one thread of Python code at a time.
        start_methods: How worker processes can be started here: "fresh" and, on request, "fork".
        platform: ``sys.platform``.
        python: Implementation and version, such as "cpython 3.11.7".

    Raises:
        InvalidArgumentError: `cpus` is no number above 0, `memory` no whole number from 0, or `gil` neither
            True nor False.
    """

    cpus: float = field(default=1.0, converter=_processors)
    memory: int | None = field(default=None, converter=plain_int_or_none, validator=from_0_or_none)
    gil: bool = field(default=True, validator=switch)
    start_methods: tuple[str, ...] = ("fresh",)
    platform: str = "linux"
    python: str = "cpython 3.11"
