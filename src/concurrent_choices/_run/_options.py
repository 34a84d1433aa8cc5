"""The options the public functions share, for type checkers."""

from __future__ import annotations

from typing import TypedDict

__all__ = ["RunOptions", "StreamOptions"]


class RunOptions(TypedDict, total=False):
    """What `run` and `arun` take besides `return_exceptions`, which changes the type of the result."""

    strategy: object
    timeout: float | None
    progress: bool
    idempotent: bool


class StreamOptions(RunOptions, total=False):
    """What `stream` and `astream` take besides it."""

    ordered: bool
    buffersize: int | None
