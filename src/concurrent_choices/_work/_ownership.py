"""Who wrote it: the user, or a library.

A worker may import this, so nothing slow may be imported here.
"""

from __future__ import annotations

import sys
from types import FunctionType

from .._facts._lean import TYPE_CHECKING
from .._platform._libraries import is_of_libraries, package_of, take_for_program
from ._asking import attributes_of, of_type
from ._callables import called
from ._pickling import MAINS

if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

__all__ = ["is_own_class", "is_own_function", "is_own_module", "of_libraries", "recognise_program"]


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


def recognise_program(fn: Any) -> None:
    """Take an installed package for the user's own if it is what calls us here, with a callable of its own.

    A command that was installed sets its options in its modules as it does in a checkout, and they must be
    looked at in the same way. A library's function that others call us with stays the library's.
    """
    package = package_of(_file_of(called(fn)))
    frame = sys._getframe() if package else None  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - `inspect` costs a first run 5 ms
    while frame is not None:
        if frame.f_code.co_filename.startswith(package):
            take_for_program(package)
            return
        frame = frame.f_back


def _file_of(called: object) -> str:
    """Where the module of a callable is; of one that a decorator made, that of what it stands around."""
    own = called if of_type(called, FunctionType, type) else type(called)
    name = attributes_of(called).get("__module__", getattr(own, "__module__", None))
    return str(getattr(sys.modules.get(str(name)), "__file__", None) or "")
