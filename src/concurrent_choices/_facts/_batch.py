"""What lanes take and hand back: runs of consecutive items.

These are tuples, not attrs classes: worker processes use them, and must start without importing attrs.
"""

from __future__ import annotations

from functools import partial

from ._lean import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

__all__ = ["Batch", "Claim", "new_batch", "new_claim"]


class Claim(NamedTuple):
    """A range of consecutive items, claimed from the source by one lane.

    Attributes:
        start: The index of the first.
        items: The items themselves.
    """

    start: int
    items: Sequence[Any]

    def after(self, done: int) -> Claim:
        """What is left of it when so many of its items are done."""
        return Claim(self.start + done, self.items[done:])


class Batch(NamedTuple):
    """The outcome of a claim: consecutive values and at most one error.

    Attributes:
        start: The index of the first value.
        values: The values, in input order.
        error: What the item after the last value raised, if it raised.
    """

    start: int
    values: Sequence[Any]
    error: BaseException | None = None


_new: Any = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - typeshed leaves the iterable's type open

new_claim: Callable[[tuple[int, Sequence[Any]]], Claim] = partial(_new, Claim)
new_batch: Callable[[tuple[int, Sequence[Any], BaseException | None]], Batch] = partial(_new, Batch)
"""Make them without their Python-level constructors, which cost as much as a small item."""
