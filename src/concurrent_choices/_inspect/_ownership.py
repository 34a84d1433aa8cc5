"""Who wrote it: the user, or a library.

A worker may import this, so nothing slow may be imported here.
"""

from __future__ import annotations

import os
import sys
from types import FunctionType

from .._facts._lean import TYPE_CHECKING
from .._platform._libraries import is_of_libraries, package_of, take_for_program
from ._asking import attributes_of, of_type, told_by
from ._callables import called

if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any

__all__ = [
    "MAINS",
    "is_own_class",
    "is_own_function",
    "is_own_module",
    "of_libraries",
    "recognise_program",
]

MAINS = ("__main__", "__mp_main__")
"""Names of the module that was started, in its own process and in the children of multiprocessing."""

_LOOPS = tuple(f"{os.sep}{name}{os.sep}" for name in ("anyio", "trio"))
"""Where packages stand whose loops call tasks."""


def of_libraries(code: CodeType) -> bool:
    """Whether it was not the user who wrote some code."""
    return is_of_libraries(code.co_filename) or code.co_filename.startswith("<frozen")


def is_own_function(function: Any) -> bool:
    """Whether something is a function of the user's own."""
    return of_type(function, FunctionType) and not of_libraries(function.__code__)


def is_own_class(kind: type) -> bool:
    """Whether a class is the user's own; its metaclass may answer anything."""
    home = told_by(kind, "__module__")
    return of_type(home, str) and (home in MAINS or is_own_module(sys.modules.get(home)))


def is_own_module(module: Any) -> bool:
    """Whether a module is the user's own; None, which stands for one that is not there, is nobody's."""
    file = told_by(module, "__file__")  # those that are part of the interpreter have none
    return file is not None and not is_of_libraries(file)


def recognise_program(fn: Any) -> None:
    """Take an installed package for the user's own if it is what calls us here, with a callable of its own.

    A command that was installed sets its options in its modules as it does in a checkout, and they must be
    looked at in the same way. A library's function that others call us with stays the library's, though the
    library may have called those, as a loop's does.
    """
    package = package_of(_file_of(called(fn)))
    if package and _caller().startswith(package):
        take_for_program(package)


def _caller() -> str:
    """The file of what calls us: of the innermost function that is not there to call others."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - `inspect` costs a first run 5 ms
    while frame is not None and _calls_others(frame.f_code):
        frame = frame.f_back
    return frame.f_code.co_filename if frame is not None else ""


def _calls_others(code: CodeType) -> bool:
    """Whether it is ours, the standard library's, or that of a loop: tasks have no other caller."""
    package = package_of(code.co_filename)
    return package.endswith(_LOOPS) if package else of_libraries(code)


def _file_of(fn: object) -> str:
    """Where the module of a callable is; of one that a decorator made, that of what it stands around."""
    own = fn if of_type(fn, FunctionType, type) else type(fn)
    name = attributes_of(fn).get("__module__", getattr(own, "__module__", None))
    return str(told_by(sys.modules.get(name) if isinstance(name, str) else None, "__file__") or "")
