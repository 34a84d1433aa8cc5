"""The code of functions: what it names, and who wrote it.

A worker may import this, so nothing slow may be imported here.
"""

from __future__ import annotations

from types import CodeType

from .._facts._lean import TYPE_CHECKING
from .._platform._libraries import LIBRARIES

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["codes_in", "names_in", "of_libraries"]


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """The code of a function, and of the functions it makes."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def names_in(code: CodeType) -> set[str]:
    """The names a function uses, inside the functions it makes too."""
    return {name for each in codes_in(code) for name in each.co_names}


def of_libraries(code: CodeType) -> bool:
    """Whether it was not the user who wrote it."""
    return code.co_filename.startswith(LIBRARIES) or code.co_filename.startswith("<frozen")
