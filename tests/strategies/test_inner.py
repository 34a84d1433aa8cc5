"""Lanes inside a worker, which go on while it reads the next items."""

from __future__ import annotations

from concurrent_choices import HybridStrategy, run
from concurrent_choices._work._nesting import Loading


class Asks:
    """Comes to a worker as whether what is imported for it there must start no workers."""

    def __reduce__(self):
        return getattr, (Loading, "now")


def test_lanes_may_start_workers_while_items_are_read():
    """Nobody could tell what they call from what is imported for the next item."""
    assert run(bool, [Asks()], strategy=HybridStrategy(1, 2)) == [False]
