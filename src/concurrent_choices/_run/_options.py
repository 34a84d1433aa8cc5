"""The options the public functions share, for type checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from .._facts._recommendation import Recommendation
    from ..protocols import Strategy

__all__ = ["JobOptions", "RunOptions", "StreamOptions"]


class JobOptions(TypedDict, total=False):
    """What callers say of a job itself, whoever performs it."""

    timeout: float | None
    return_exceptions: bool
    idempotent: bool


class RunOptions(TypedDict, total=False):
    """What `run` and `arun` take besides `return_exceptions`, which changes the type of the result."""

    strategy: str | Strategy | Recommendation
    timeout: float | None
    progress: bool
    idempotent: bool


class StreamOptions(RunOptions, total=False):
    """What `stream` and `astream` take besides it."""

    ordered: bool
    buffersize: int | None
