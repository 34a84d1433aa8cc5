"""Computing with NumPy: small arrays, large ones, native threads, and more memory than any cache holds."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

import numpy as np


@cache
def few_numbers() -> Any:
    return np.arange(64.0)


def numpy_small(_: int) -> float:
    numbers = few_numbers()
    for _ in range(30):
        numbers = np.sqrt(numbers * 1.01 + 1.0)
    return float(numbers[0])


@cache
def many_numbers() -> Any:
    return np.random.default_rng(19).random(150_000)


def numpy_large(_: int) -> float:
    return float(np.sin(many_numbers())[0])


def numpy_sort(_: int) -> float:
    return float(np.sort(many_numbers()[:60_000])[0])


@cache
def matrix() -> Any:
    return np.random.default_rng(23).random((700, 700))


def multiply(_: int) -> float:
    return float((matrix() @ matrix())[0, 0])


@cache
def much_memory() -> Any:
    return np.ones(3_000_000)


_BUFFERS = threading.local()


def stream_memory(_: int) -> float:
    """Read 24 MB and write 24 MB: far more than any cache holds."""
    target = getattr(_BUFFERS, "target", None)
    if target is None:
        target = _BUFFERS.target = np.empty_like(much_memory())
    np.copyto(target, much_memory())
    return float(target[0])
