"""Whether what would travel to worker processes and back can, and leaves anything to be gained there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._inspect._asking import of_type, one_of_each
from .._judge._controller._known import worth_carrying
from .._measure._transfer_cost import TransferCost, transfer_cost
from .._strategies._workers._between._portable_errors import arrives
from .._transfer._obstacle import obstacle, obstacle_back
from .._work._pace import Pace, travelling
from .._work._source import Source
from ._tally import Done

__all__ = ["Transfer", "stranded", "unsent", "weighed"]

WEIGHED = 64
"""Items and results, at most, of which it is found out what carrying them costs (guessed)."""


class Transfer(NamedTuple):
    """What items take, and what it costs to carry them and their results; all 0 where nobody knows.

    Attributes:
        each: CPU seconds of an item.
        items: What it costs to carry one.
        results: What it costs to carry a result.
    """

    each: float = 0.0
    items: TransferCost = TransferCost()
    results: TransferCost = TransferCost()

    def is_too_dear(self, workers: int) -> bool:
        """Whether it costs about as much as computing."""
        return self.each > 0 and not worth_carrying(self.each, self.items.each + self.results.each, workers)

    def pace(self) -> Pace:
        """How one worker's batches begin."""
        return travelling(self.each, self.items.shared)


def weighed(source: Source, done: Done) -> Transfer:
    """What it costs to carry the items that come next, which stay in the source, and results as there are."""
    if not done.items:
        return Transfer()
    each = done.cpu / done.items
    items = transfer_cost(source.peek(WEIGHED), each)
    return Transfer(each, items, transfer_cost(done.results[-WEIGHED:], each))


def unsent(transfer: Transfer, source: Source) -> str:
    """Why no item could go to a worker, of those that come next; empty where one can, or there is none."""
    found = ""
    for item in () if transfer.items.each else source.peek(WEIGHED):  # which weigh something where all can
        found = obstacle(item, "an item")
        if not found:
            break
    return f"{found}: it could not go to another process" if found else ""


def stranded(results: Sequence[object], *, tolerant: bool) -> str:
    """Why what the callable gives could not come back from a worker; empty where all that is known could.

    An item that cannot travel is called here instead. Of one whose result cannot, the call is over. An error
    in an item's place, where that is `tolerant`, comes back in any case, as a `RemoteError` if need be. One
    result of each kind is tried.
    """
    tried = one_of_each(results[-WEIGHED:])
    found = next(filter(None, (_no_way_back(result, tolerant=tolerant) for result in tried)), "")
    return f"{found}: it could not come back from another process" if found else ""


def _no_way_back(result: Any, *, tolerant: bool) -> str:
    is_error = of_type(result, BaseException)
    return "" if is_error and (tolerant or arrives(result)) else obstacle_back(result)
