"""What travels to another process: large items, large results, lambdas, closures; and what cannot."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from benchmarks.catalogue.work.python import loop


def large_lists(count: int) -> Sequence[list[float]]:
    return [[float(n + at) for at in range(20_000)] for n in range(4)] * (count // 4)


def total(numbers: list[float]) -> float:
    """Sum 20,000 floats: pickling them takes longer."""
    return sum(numbers)


def large_arrays(count: int) -> Sequence[Any]:
    return [np.random.default_rng(n).random(125_000) for n in range(8)] * (count // 8)


def spectrum(numbers: Any) -> float:
    return float(np.abs(np.fft.rfft(numbers)).max())


@cache
def page() -> bytes:
    return bytes(range(256)) * 4096


def a_megabyte(item: int) -> bytes:
    """4 ms of Python that answers with a megabyte."""
    loop(76_000)
    return page()[item % 256 :]


def adder(step: int) -> Callable[[int], int]:
    def add(item: int) -> int:
        return loop(19_000) + item + step

    return add


def guarded() -> Callable[[int], int]:
    lock = threading.Lock()
    seen: set[int] = set()

    def note(item: int) -> int:
        value = loop(19_000)
        with lock:
            seen.add(item)
        return value

    return note


closure = adder(3)
square = lambda item: loop(19_000) + item * item  # noqa: E731 - a lambda is what is tried
locked_closure = guarded()
