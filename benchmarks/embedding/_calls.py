"""The calls of the mixed load: they wait, hash, or compute under the GIL."""

from __future__ import annotations

import hashlib
import time
from os import urandom

__all__ = ["KINDS", "compute", "compute_anywhere", "digest", "nap", "nothing", "wait"]

BLOCK = b"x" * 4_000_000


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


def compute_anywhere(rounds: int = 300_000) -> int:
    """Compute as long as that, with numbers that lie somewhere else in memory at each call.

    Where they lie makes a loop up to a fifth slower, and stays as it is for as long as a process lives and
    calls alike: so processes of two pools differ by luck, which this draws anew for each call.
    """
    elsewhere = [[10**6 + number for number in range(8 * dice)] for dice in urandom(2)]
    total = len(elsewhere)
    for number in range(rounds or 300_000):
        total += number
    return total


def nap() -> None:
    """Wait for a millisecond."""
    time.sleep(0.001)


def nothing() -> None:
    """Do nothing."""


KINDS = (wait, wait, wait, wait, digest, digest, compute)
