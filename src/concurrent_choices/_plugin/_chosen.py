"""Which strategies a test races."""

from __future__ import annotations

from typing import Any

import pytest

from .._strategies._registry import NAMES

__all__ = ["chosen", "label"]


def chosen(mark: pytest.Mark | None) -> list[Any]:
    """The strategies of a mark; every registered name and `auto` where it names none."""
    return list(mark.args) if mark is not None and mark.args else [*NAMES, "auto"]


def label(strategy: object) -> str:
    """What a strategy is called in a test's name."""
    return strategy if isinstance(strategy, str) else repr(strategy)
