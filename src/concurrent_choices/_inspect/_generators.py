"""Random generators that a library makes once and all of a process share: they travel by name.

`from random import randint` binds a method of the one that `random` has. Pickled as it is, that carries the
generator's state, and all workers would draw the same numbers; while `random.randint` draws, in each of them,
from its own. So a callable holds neither: both count as a module that it names. So do standard output and
standard error, of which each process has its own: `from sys import stderr`.

Workers import this, so it imports next to nothing.
"""

from __future__ import annotations

import copyreg
import sys
from _io import BytesIO
from _pickle import Pickler
from types import BuiltinFunctionType, MethodType

from .._facts._lean import TYPE_CHECKING
from ._asking import of_loaded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pickle import PickleBuffer
    from typing import Any

__all__ = ["by_name", "draws", "dump_to", "is_shared", "pickled", "reducers"]

_SHARED = (
    *(("numpy.random.mtrand", "_rand"), ("random", "_inst"), ("secrets", "_sysrand")),
    *(("sys", "__stdout__"), ("sys", "__stderr__")),
)
"""Modules, and what each calls its own. That of `secrets` has no state, and no pickle either. What stands in
for standard output, as a file or under pytest, is no such thing."""

_KINDS = (("random", "Random"), ("numpy.random", "Generator"), ("numpy.random", "RandomState"))
"""Modules, and what each calls a class of generators."""

_BOUND = (BuiltinFunctionType, MethodType)


def is_shared(thing: Any) -> bool:
    """Whether it is such a generator or file, or a method of one."""
    held = thing.__self__ if type(thing) in _BOUND else thing
    return any(held is each for each, _, _ in _shared())


def draws(thing: object) -> bool:
    """Whether it is a random generator, whosever: to use it is to change it."""
    return of_loaded(thing, _KINDS)


def reducers() -> dict[type, Callable[[Any], Any]]:
    """How things of these kinds are pickled: the shared ones by name, others as they would be."""
    return {type(each): by_name for each, _, _ in _shared()}


def dump_to(
    file: Any,
    value: Any,
    beside: Callable[[PickleBuffer], Any],
    protocol: int = 5,
    kind: Callable[..., Pickler] = Pickler,
) -> None:
    """Pickle a value into a file, by plain pickle or a kind of it, but for what goes by name.

    A buffer stays out of it where `beside` answers false.
    """
    pickler = kind(file, protocol, buffer_callback=beside)
    if own := reducers():
        pickler.dispatch_table = {**getattr(pickler, "dispatch_table", copyreg.dispatch_table), **own}
    pickler.dump(value)


def pickled(value: Any, protocol: int, buffer_callback: Callable[[PickleBuffer], Any]) -> bytes:
    """The same, as bytes, with the parameters of `pickle.dumps`, for which it stands in."""
    file = BytesIO()
    dump_to(file, value, buffer_callback, protocol)
    return file.getvalue()


def _shared() -> Iterator[tuple[Any, str, str]]:
    """Those that there are in this process, each with its module and its name there."""
    for module, name in _SHARED:
        held = getattr(sys.modules.get(module), name, None)
        if held is not None:
            yield held, module, name


def by_name(thing: Any) -> Any:
    """How a thing of these kinds is pickled; what has no pickle raises."""
    for each, module, name in _shared():
        if each is thing:
            return _named, (module, name)
    return thing.__reduce_ex__(5)


def _named(module: str, name: str) -> Any:
    """The one that this process has."""
    __import__(module)
    return getattr(sys.modules[module], name)
