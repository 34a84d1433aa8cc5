"""The calls of the mixed load: they wait, hash, or compute under the GIL."""

from __future__ import annotations

import hashlib
import io
import json
import time
import tokenize
from pathlib import Path

__all__ = ["KINDS", "compute", "digest", "nap", "nothing", "parse", "scan", "wait"]

BLOCK = b"x" * 4_000_000
RECORDS = {str(number): [number, number * 1.5, {"none": None, "text": "x" * number}] for number in range(300)}
SOURCE = Path(tokenize.__file__).read_text(encoding="utf-8")


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


def scan(_number: int = 0) -> int:
    """Compute for about 7 ms in pure Python, as long in one process as in another.

    `compute` does not: a loop of a few instructions takes up to a third longer, by where they lie in memory
    and what its core has learnt to expect after them, for as long as its process lives (24 of them: 7.8 to
    11.1 ms; this one within 4 %). That says nothing of two pools.
    """
    return sum(1 for _ in tokenize.generate_tokens(io.StringIO(SOURCE).readline))


def parse() -> None:
    """Compute for about 10 ms in C under the GIL, as long in one process as in another."""
    for _ in range(20):
        json.loads(json.dumps(RECORDS))


def nap() -> None:
    """Wait for a millisecond."""
    time.sleep(0.001)


def nothing() -> None:
    """Do nothing."""


KINDS = (wait, wait, wait, wait, digest, digest, scan)
