"""Who wrote it: the user, or a library.

A worker may import this, so nothing slow may be imported here.
"""

from __future__ import annotations

import sys
from types import FunctionType

from .._facts._lean import TYPE_CHECKING
from .._platform._libraries import is_of_libraries
from ._asking import of_type
from ._pickling import MAINS

if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

__all__ = ["is_own_class", "is_own_function", "is_own_module", "of_libraries"]


def of_libraries(code: CodeType) -> bool:
    """Whether it was not the user who wrote some code."""
    return is_of_libraries(code.co_filename) or code.co_filename.startswith("<frozen")


def is_own_function(function: Any) -> bool:
    """Whether something is a function of the user's own."""
    return of_type(function, FunctionType) and not of_libraries(function.__code__)


def is_own_class(kind: type) -> bool:
    """Whether a class is the user's own."""
    return kind.__module__ in MAINS or is_own_module(sys.modules.get(kind.__module__))


def is_own_module(module: Any) -> bool:
    """Whether a module is the user's own; None, which stands for one that is not there, is nobody's."""
    file = getattr(module, "__file__", None)  # those that are part of the interpreter have none
    return file is not None and not is_of_libraries(file)
