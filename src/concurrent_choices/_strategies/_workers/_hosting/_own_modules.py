"""Which of our own modules workers need for a job, beside those that each of them has.

A fork server imports them once, where eight workers would each import asyncio, on two cores a quarter of a
second. They are named, not imported here: a caller may have no use for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module

__all__ = ["OwnModules"]

_WORK = "concurrent_choices._work"

_INSIDE = "concurrent_choices._strategies._workers._inside"

_LANES = "concurrent_choices._strategies._lanes"


class OwnModules:
    """The modules for a job; unpickled in a worker, they are imported there.

    Args:
        is_async: Whether its callable gives coroutines.
        lanes: Whether a worker performs several items at once.
        watched: Whether what the callable holds is looked at for changes.
    """

    def __init__(self, *, is_async: bool, lanes: bool, watched: bool) -> None:
        self.names: list[str] = []
        if watched:
            self.names.append(f"{_INSIDE}._watch")
        if lanes:
            self.names += [f"{_INSIDE}._inner_lanes", f"{_LANES}._inside_worker"]
        if is_async:
            self.names.append(f"{_LANES}._asyncio" if lanes else f"{_WORK}._awaiter")

    def __reduce__(self) -> tuple[Callable[[Iterable[str]], None], tuple[list[str]]]:
        return _import_all, (self.names,)


def _import_all(names: Iterable[str]) -> None:
    for name in names:
        import_module(name)
