"""Which strategies a test races."""

from __future__ import annotations

from typing import Any

import pytest

from .._strategies._registry import NAMES

__all__ = ["chosen", "label"]


def chosen(mark: pytest.Mark | None) -> list[Any]:
    """The strategies of a mark; every registered name and `auto` where it names none.

    Raises:
        UsageError: The mark has a keyword that means nothing here.
    """
    if mark and (unheard := sorted(mark.kwargs.keys() - {"budget"})):
        problem = f"the mark {mark.name} takes strategies, and budget=; not {', '.join(unheard)}="
        raise pytest.UsageError(problem)
    return list(mark.args if mark else ()) or [*NAMES, "auto"]


def label(strategy: object) -> str:
    """What a strategy is called in a test's name."""
    return strategy if isinstance(strategy, str) else repr(strategy)
