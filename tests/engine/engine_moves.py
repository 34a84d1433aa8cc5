"""Runs that are to go to worker processes, until something keeps them here or they have gone."""

import time
from contextlib import closing
from itertools import count, islice

from engine_fakes import OUTSIDE, STARTING, ScriptedStrategy

from concurrent_choices import stream


def outside():
    """A strategy that wants to move at once."""
    return ScriptedStrategy(STARTING, OUTSIDE)


def until_told(strategy, items):
    """Items of which the last comes when something keeps their callable here: workers may take their time."""
    *others, last = items
    yield from others
    until = time.monotonic() + 60
    while not strategy.controller.barred and time.monotonic() < until:
        time.sleep(1e-3)
    yield last


def some_after_the_move(fn, strategy, many):
    """So many results of endless items, from when workers are ordered to have them."""
    with closing(stream(fn, count(), strategy=strategy)) as results:
        assert any("outside" in {step.stage for step in strategy.report.steps} for _ in results)
        return [*islice(results, many)]
