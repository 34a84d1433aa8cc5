"""What new workers call first, as they are sent it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...._errors import InvalidArgumentError
from ...._inspect._words import reason_of
from ...._runtime._interrupted import raise_handlers
from ...._transfer._pickling import dump

__all__ = ["setup_frames"]


def setup_frames(initializer: Callable[..., object], initargs: tuple[Any, ...]) -> list[Any]:
    """An initializer and its arguments, as frames.

    Raises:
        InvalidArgumentError: One of them cannot be pickled.
    """
    try:
        return dump((initializer, initargs))
    except Exception as error:
        raise_handlers(error)
        from ...._transfer._obstacle import obstacle  # noqa: PLC0415 - hardly ever needed

        reason = obstacle(initializer, "the callable")
        name = "initializer" if reason else "initargs"
        reason = reason or obstacle(initargs, "the tuple") or reason_of(error)
        raise InvalidArgumentError(
            name, f"cannot be pickled for its trip to worker processes: {reason}"
        ) from error
