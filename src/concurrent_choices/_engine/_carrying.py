"""Whether what would travel to worker processes and back can, and leaves anything to be gained there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._judge._controller._known import worth_carrying
from .._measure._carrying import carrying
from .._work._obstacle import obstacle
from .._work._source import Source

__all__ = ["Done", "stranded", "too_dear"]

WEIGHED = 64
"""Items and results, at most, of which it is found out what carrying them costs (guessed)."""


class Done(NamedTuple):
    """What has been computed so far.

    Attributes:
        items: How many items.
        cpu: CPU seconds they took.
        results: Some of their results.
    """

    items: int = 0
    cpu: float = 0.0
    results: Sequence[Any] = ()


def too_dear(source: Source, done: Done, workers: int) -> bool:
    """Whether carrying the items that come next costs about as much as computing those that are done.

    What comes next stays in the source; where nothing is done, nothing is known.
    """
    if not done.items:
        return False
    each = done.cpu / done.items
    carried = carrying(source.peek(WEIGHED), each) + carrying(done.results[-WEIGHED:], each)
    return not worth_carrying(each, carried, workers)


def stranded(results: Sequence[Any]) -> str:
    """Why what the callable gives could not come back from a worker; empty where all that is known could.

    An item that cannot travel is called here instead. Of one whose result cannot, the call is over. An error
    comes back in any case, as a `RemoteError` if need be. One result of each kind is tried.
    """
    kinds: dict[type[Any], Any] = {type(result): result for result in results[-WEIGHED:]}
    reasons = (
        obstacle(result, "a result") for kind, result in kinds.items() if not issubclass(kind, BaseException)
    )
    found = next(filter(None, reasons), "")
    return f"{found}: it could not come back from another process" if found else ""
