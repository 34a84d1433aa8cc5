"""Telling what holds threads or processes that it is in a fork, which has none of its parent's threads."""

from __future__ import annotations

import os

from .._facts._lean import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    T = TypeVar("T")

__all__ = ["tell_in_forks"]


def tell_in_forks(known: Iterable[T], tell: Callable[[T], object]) -> None:
    """In every fork from now on, `tell` each object that is `known` by then, where there are forks at all."""

    def tell_all() -> None:
        for each in list(known):
            tell(each)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=tell_all)
