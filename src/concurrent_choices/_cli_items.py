"""The items that a command line names: lines of a file or of standard input, or an expression."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from re import fullmatch
from typing import Any, TextIO

from ._errors import InvalidArgumentError
from ._inspect._words import reason_of, show

__all__ = ["items_of"]

BYTE_ORDER_MARK = "\ufeff"
"""What some editors begin a file with: no part of its first line."""


def items_of(text: str) -> Iterable[Any]:
    """Lines of a file or of standard input, or what an expression gives.

    Raises:
        InvalidArgumentError: They cannot be read, or the expression does not work or gives no items.
    """
    try:
        if text == "-":
            return _lines(sys.stdin)
        if os.path.exists(text):  # noqa: PTH110 - pathlib raises where an expression is too long for a name
            with Path(text).open() as file:
                return _lines(file)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgumentError("--items", f"{text!r} cannot be read: {error}") from error
    return _evaluated(text)


def _lines(file: TextIO | None) -> list[str]:
    """Lines as a loop over a file has them: others that `splitlines` ends may stand in the midst of JSON."""
    if file is None:
        msg = "standard input is closed"
        raise OSError(msg)
    return [line.rstrip("\n") for line in StringIO(file.read().removeprefix(BYTE_ORDER_MARK))]


def _evaluated(text: str) -> Iterable[Any]:
    try:
        items: Any = eval(text, {})  # noqa: S307 - the user's own expression, on the user's own command line
    except (Exception, SystemExit) as error:
        problem = f"{text!r} is neither a file nor an expression that works: {reason_of(error)}"
        if isinstance(error, (NameError, SyntaxError)) and _like_a_path(text):
            problem = f"there is no such file as {text!r}"
        raise InvalidArgumentError("--items", problem) from error
    if not isinstance(items, Iterable):
        raise InvalidArgumentError("--items", f"{text!r} gives {show(items)}, which cannot be iterated over")
    return items  # pyright: ignore[reportUnknownVariableType] - an expression gives anything


def _like_a_path(text: str) -> bool:
    """Whether something that is no working expression was meant for a file: "photos.txt", "./list"."""
    return fullmatch(r"[\w./\\:~-]*(/|\\|\.[A-Za-z]\w*)[\w./\\:~-]*", text) is not None
