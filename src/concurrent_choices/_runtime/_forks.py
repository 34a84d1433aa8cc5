"""Telling what holds threads or processes that it is in a fork, which has none of its parent's threads."""

from __future__ import annotations

import os

from .._facts._lean import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    T = TypeVar("T")

__all__ = ["DESCENT", "tell_in_forks"]


class _Descent:
    """Tells what was made in this process from what it has a copy of.

    Attributes:
        forks: How many lie between the process that loaded this and the one that asks.
    """

    __slots__ = ("forks",)

    def __init__(self) -> None:
        self.forks = 0

    def descend(self) -> None:
        """This is one fork further on."""
        self.forks += 1


DESCENT = _Descent()
"""That of this process."""


def tell_in_forks(known: Iterable[T], tell: Callable[[T], object]) -> None:
    """In every fork from now on, `tell` each object that is `known` by then, where there are forks at all."""

    def tell_all() -> None:
        for each in list(known):
            tell(each)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=tell_all)


tell_in_forks((DESCENT,), _Descent.descend)
