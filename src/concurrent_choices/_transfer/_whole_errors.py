"""Errors that arrive whole in another process, though their class cannot be called with their `args`.

A worker imports this when it starts, so nothing slow may be imported here.
"""

from __future__ import annotations

from types import FunctionType

from .._facts._lean import TYPE_CHECKING
from .._inspect._words import text_of
from ._pickling import dump, held_in, load

if TYPE_CHECKING:
    from typing import Any

__all__ = ["form_of", "reduced_error", "says_how"]

_UNTOLD = (BaseException.__reduce__, object.__reduce_ex__)
"""How errors are pickled whose class does not say how."""


def says_how(kind: Any) -> bool:
    """Whether errors of a class are read as they should be, as far as one can tell without trying.

    It says itself how, or is made as any other is, by its `args`.
    """
    if (kind.__reduce__, kind.__reduce_ex__) != _UNTOLD:
        return True
    return not any(type(each) is FunctionType for each in (kind.__init__, kind.__new__))


def reduced_error(error: Any) -> Any:
    """How an error is pickled that is held by something else: as it is, or else by its parts."""
    form = form_of(error)
    return (error if form is None else form).__reduce_ex__(5)


def form_of(error: BaseException) -> Any:
    """What arrives as this error; None where nothing does."""
    try:
        return _whole(error)
    except RecursionError:  # groups in groups in groups
        return None


def _whole(error: BaseException) -> Any:
    """The error itself where it arrives whole, or its parts; None where nothing does."""
    words = _words_of(error)
    plain = _copied(error)
    if plain is not None and _words_of(plain) == words:
        return error
    part = _Parts(error)
    rebuilt = _copied(part)
    if rebuilt is not None and _words_of(rebuilt) == words:
        return part
    return error if plain is not None else None


def _words_of(error: BaseException) -> list[Any]:
    """Its text, and those of its members."""
    return [text_of(error), *map(_words_of, _members_of(error))]


def _members_of(error: BaseException) -> tuple[BaseException, ...]:
    group: Any = error
    return group.exceptions if isinstance(error, BaseExceptionGroup) else ()


def _copied(form: Any) -> Any:
    try:
        return load(dump(form))
    except Exception:  # noqa: BLE001 - any failure on the way there or back
        return None


class _Parts:
    """Stands for an exception whose class cannot be called with its `args`, which is how exceptions are read.

    It is read as other objects are: made without `__init__`, and then given what it held.
    """

    def __init__(self, error: BaseException) -> None:
        self._error = error
        self._members = [_whole(member) for member in _members_of(error)]

    def __reduce__(self) -> tuple[Any, ...]:
        kind: Any = type(self._error)
        if (kind.__reduce__, kind.__reduce_ex__) != _UNTOLD or not issubclass(kind, Exception):
            msg = f"{kind.__name__} holds more than can be seen"
            raise TypeError(msg)
        args = self._error.args
        if self._members:
            args = (args[0], self._members)
        return _rebuilt, (kind, args, object.__getstate__(self._error))


def _rebuilt(kind: type[BaseException], args: tuple[Any, ...], state: Any) -> BaseException:
    error = kind.__new__(kind, *args)
    for name, value in held_in(state):
        BaseException.__setattr__(error, name, value)  # also where its own refuses, being frozen
    return error
