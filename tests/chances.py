"""Jobs made by chance: items that compute, wait or fail, in stretches that are unlike each other."""

import asyncio
import hashlib
import time
from pathlib import Path
from random import Random
from typing import NamedTuple

BLOCK = bytes(50_000)
WORK = 0.2
"""Seconds of all items of a job together, about."""


class Item(NamedTuple):
    """What one call does.

    Attributes:
        log: Where it is written down.
        number: Which one it is.
        waits: Seconds that it waits first.
        computes: Seconds that it computes then, or does so under no lock of Python's if that is asked for.
        freely: Whether it is.
        fails: Whether it raises at the end.
    """

    log: str
    number: int
    waits: float
    computes: float
    freely: bool
    fails: bool


def job(seed, log):
    """Items in one to five stretches, of which some calls may fail."""
    chance = Random(seed)
    stretches = chance.randint(1, 5)
    fails = chance.choice([0.0, 0.0, 0.05])
    items = []
    for _ in range(stretches):
        seconds = [chance.choice([0, 0, 1e-4, 1e-3, 1e-2]) for _ in range(2)]
        many = min(500, 1 + int(WORK / stretches / max(sum(seconds), 1e-4)))
        freely = chance.random() < 0.5
        for number in range(len(items), len(items) + many):
            waits, computes = (each * chance.uniform(0.5, 1.5) for each in seconds)
            items.append(Item(log, number, waits, computes, freely, chance.random() < fails))
    return items


def call(item):
    """A `def` that does what its item says."""
    _note(item)
    time.sleep(item.waits)
    return _finish(item)


async def call_soon(item):
    """An `async def` that does."""
    _note(item)
    await asyncio.sleep(item.waits)
    return _finish(item)


def outcome(item):
    """What comes of an item, and of an exception what is equal."""
    return ("ValueError", (item.number,)) if item.fails else item.number


def comparable(result):
    """The same of a result."""
    return (type(result).__name__, result.args) if isinstance(result, Exception) else result


def _note(item):
    with Path(item.log).open("ab", buffering=0) as log:
        log.write(f"{item.number}\n".encode())


def _finish(item):
    until = time.thread_time() + item.computes
    while time.thread_time() < until:
        hashlib.sha256(BLOCK) if item.freely else sum(range(500))
    if item.fails:
        raise ValueError(item.number)
    return item.number
