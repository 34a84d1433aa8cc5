"""The calls of the mixed load: they wait, hash, or compute under the GIL."""

from __future__ import annotations

import hashlib
import json
import time

__all__ = ["KINDS", "compute", "digest", "nap", "nothing", "parse", "wait"]

BLOCK = b"x" * 4_000_000
RECORDS = {str(number): [number, number * 1.5, {"none": None, "text": "x" * number}] for number in range(300)}


def wait(_number: int = 0) -> int:
    """Wait for 20 ms."""
    time.sleep(0.02)
    return 1


def digest(_number: int = 0) -> str:
    """Hash 4 MB: about 2.3 ms outside the GIL."""
    return hashlib.sha256(BLOCK).hexdigest()


def compute(rounds: int = 300_000) -> int:
    """Compute for about 10 ms under the GIL."""
    total = 0
    for number in range(rounds or 300_000):
        total += number
    return total


def parse() -> None:
    """Compute for about 10 ms under the GIL, as long in one process as in another.

    Plain loops do not: one of a few instructions takes up to a fifth longer, by what its core has learnt to
    expect after them, until the process moves to the other core. That says nothing of two pools.
    """
    for _ in range(20):
        json.loads(json.dumps(RECORDS))


def nap() -> None:
    """Wait for a millisecond."""
    time.sleep(0.001)


def nothing() -> None:
    """Do nothing."""


KINDS = (wait, wait, wait, wait, digest, digest, compute)
