"""Callables for verdicts: real ones, in a module that worker processes can import."""

import asyncio
import hashlib
import os
import threading
import time


class TooManyRequests(Exception):  # noqa: N818 - the name is what is recognised
    """As a client of some service raises it."""


class Counted:
    """Counts the calls of each item, in this process."""

    def __init__(self, fn=lambda item: item):
        self.fn = fn
        self.calls = {}
        self.lock = threading.Lock()

    def __call__(self, item):
        with self.lock:
            self.calls[item] = self.calls.get(item, 0) + 1
        return self.fn(item)


def compute(item):
    total = 0
    for step in range(10_000):
        total += step * item
    return total


def compute_beside(_held, item):
    return compute(item)


class Sealed:
    """As a template of Jinja: what can be pickled and not unpickled."""

    def __reduce__(self):
        return int, ("sealed",)


ROUNDS = 1


def compute_as_set(item):
    compute(item)
    return ROUNDS


def digest(item):
    return hashlib.sha256(b"x" * 1_000_000).hexdigest()


def nap(item):
    time.sleep(0.005)
    return item * 2


async def rest(item):
    await asyncio.sleep(0.005)
    return item * 2


async def block(item):
    await asyncio.sleep(0)
    time.sleep(0.005)  # noqa: ASYNC251 - the mistake is what is tried
    return item


def double(item):
    return item * 2


async def blocks_for_long(item):
    time.sleep(0.5)  # noqa: ASYNC251 - the mistake is what is tried
    return item


SEEN = []


def note(item):
    compute(item)
    SEEN.append(item)


def fail_at_first(item):
    if item == 0:
        problem = "the first"
        raise ValueError(problem)
    return item


class Unwelcome:
    """Computes; no other process can load it while its barrier, a file, is there."""

    def __init__(self, barrier, home=None):
        self.barrier = barrier
        self.home = home or os.getpid()

    def __reduce__(self):
        return admit, (self.barrier, self.home)

    def __call__(self, item):
        return compute(item)


def admit(barrier, home):
    if barrier.exists() and os.getpid() != home:
        raise LookupError
    return Unwelcome(barrier, home)
