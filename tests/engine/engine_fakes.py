"""Controllers that give orders by a script instead of by evidence, so that every switch can be tried."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from random import Random
from typing import Any

from concurrent_choices._engine._conductor import Conductor
from concurrent_choices._engine._report import begin_report
from concurrent_choices._judge._controller._sight import Arrangement
from concurrent_choices._strategies._lanes._thread_pool import ThreadPool

ALONE = Arrangement(stage="alone", reason="scripted", look=1e-3)
PAIR = ALONE._replace(stage="pair", threads=1)
LANES = ALONE._replace(stage="waiting", threads=3, relieved=True)
STARTING = ALONE._replace(stage="starting", processes=2)
OUTSIDE = STARTING._replace(stage="outside", outside=True, relieved=True)
HYBRID = OUTSIDE._replace(inside=3)


class Scripted:
    """A controller that follows a script, and keeps to its last order.

    It does not send items to processes that are not up or that are barred: no controller would.
    """

    learnt = prior = None

    def __init__(self, script: Iterable[Arrangement]) -> None:
        self._script: Iterator[Arrangement] = iter(script)
        self._order = ALONE
        self.barred = ""
        self.single = self.apart = ""
        self.sights: list[Any] = []

    def begin(self, sight):
        self.sights.append(sight)

    def bar(self, reason):
        self.barred = reason

    def keep_single(self, reason):
        self.single = reason

    def set_free(self):
        self.single = ""

    def keep_apart(self, reason):
        self.apart = reason

    def look(self, sight):
        self.sights.append(sight)
        if not (self._order.outside and not sight.ready and not self.barred):
            self._order = next(self._script, self._order)
        order = self._order
        if order.outside and (self.barred or not sight.ready):
            order = order._replace(outside=False, relieved=False)
        return order


class ScriptedStrategy:
    """`auto` under a scripted controller.

    Args:
        script: The orders.
    """

    name = "scripted"

    def __init__(self, *script: Arrangement) -> None:
        self.controller = Scripted(script)
        self.limits: dict[str, Any] = {}

    @classmethod
    def following(cls, script: Iterable[Arrangement]) -> "ScriptedStrategy":
        """One whose orders are given as they are asked for."""
        strategy = cls()
        strategy.controller = Scripted(script)
        return strategy

    def execute(self, job):
        self.report = job.report = begin_report(job.name)
        with closing(ThreadPool("concurrent_choices-auto")) as thread_pool:
            yield from Conductor(
                job, lambda: self.controller, thread_pool, eager=True, **self.limits
            ).batches()


def wandering(seed: int) -> list[Arrangement]:
    """A script that changes its mind at random, all the time."""
    random = Random(seed)
    orders = (ALONE, PAIR, LANES, OUTSIDE, HYBRID)
    return [
        random.choice(orders)._replace(processes=2, look=random.choice([5e-4, 2e-3, 1e-2]))
        for _ in range(1000)
    ]
