"""Computing in Python and in the standard library."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any


def counted(count: int) -> Sequence[int]:
    return range(count)


def loop(steps: int) -> int:
    total = 0
    for step in range(steps):
        total += step * step
    return total


def loop_5us(_: int) -> int:
    return loop(100)


def loop_200us(_: int) -> int:
    return loop(4_000)


def loop_3ms(_: int) -> int:
    return loop(60_000)


def loop_20ms(_: int) -> int:
    return loop(400_000)


def growing(item: int) -> int:
    """Item after item takes longer, the last one five times as long as the first."""
    return loop(1_000 + 8 * item)


def pareto(count: int) -> list[int]:
    """Steps of loops with a heavy tail: most are short, a few take as long as a hundred others."""
    random = Random(7)
    return [min(400_000, int(2_000 * random.paretovariate(1.3))) for _ in range(count)]


@cache
def record() -> dict[str, Any]:
    return {f"field {n}": [n, n * 1.5, f"value {n}", None, True] for n in range(150)}


def to_json_and_back(_: int) -> int:
    return len(json.loads(json.dumps(record())))


@cache
def prose() -> str:
    random = Random(11)
    words = ["alpha", "beta@gamma.org", "2024-05-06", "delta", "x@y.z", "10.0.0.1"]
    return " ".join(random.choice(words) for _ in range(4_000))


def search(_: int) -> int:
    return len(re.findall(r"(\w+)@(\w+)\.(\w+)|(\d{4})-(\d\d)-(\d\d)", prose()))


@cache
def shuffled() -> list[float]:
    random = Random(13)
    return [random.random() for _ in range(8_000)]


def sort(_: int) -> float:
    return sorted(shuffled())[-1]  # noqa: FURB192 - sorting is what is measured


def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def fibonacci_of(_: int) -> int:
    return fibonacci(16)


@cache
def megabyte() -> bytes:
    return Random(17).randbytes(1 << 20)


def digest(_: int) -> str:
    return hashlib.sha256(megabyte()).hexdigest()


def derive(item: int) -> bytes:
    return hashlib.pbkdf2_hmac("sha256", b"word", item.to_bytes(4, "big"), 4_000)


def compress(_: int) -> int:
    return len(zlib.compress(megabyte()[:100_000] + bytes(100_000), 6))
