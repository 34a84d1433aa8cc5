"""Large payloads: arrays of 8 MB on their way to warm worker processes, and on their way back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from benchmarks.dispatch._case import Contestant, Group, Row, Size, Timed
from benchmarks.dispatch._peers import (
    joblib_processes,
    loky,
    mpire,
    ours,
    process_pool,
    process_pool_executor,
    workers,
)

__all__ = ["groups"]

FLOATS = 1_000_000  # of 8 bytes each


def total(array: Any) -> float:
    """Read every element, so that an array that was only mapped must really arrive."""
    return float(array.sum())


def make_array(number: int) -> Any:
    """Write every element, so that there is something to send."""
    import numpy as np  # noqa: PLC0415 - workers without arrays need not load it

    return np.full(FLOATS, float(number))


def new_arrays(count: int) -> list[Any]:
    """Make arrays that no library has seen before: none can have kept a copy of them."""
    return [make_array(number) for number in range(count)]


def totals_correct(arrays: Sequence[Any], results: Sequence[float]) -> bool:
    """Whether each sum is that of its array."""
    return [float(number) * FLOATS for number in range(len(arrays))] == list(results)


def arrays_correct(numbers: Sequence[int], results: Sequence[Any]) -> bool:
    """Whether each array has its size and its number at both ends."""
    arrays = list(results)
    return len(arrays) == len(numbers) and all(
        array.shape == (FLOATS,) and array[0] == array[-1] == number
        for number, array in zip(numbers, arrays, strict=True)
    )


def groups(size: Size) -> list[Group]:
    """Arrays in and arrays out, measured apart: each needs gigabytes."""
    arrive = partial(Timed, make_items=new_arrays, correct=totals_correct)
    leave = partial(Timed, correct=arrays_correct)
    count = size(100, 3)
    return [
        Group("payload", [Row("arrays in", _title(count, "in"), _all(arrive, total, count))]),
        Group("payload", [Row("arrays out", _title(count, "out"), _all(leave, make_array, count))]),
    ]


def _title(count: int, way: str) -> str:
    return f"{count} arrays of 8 MB {way}, {workers()} warm workers"


def _all(timed: Callable[..., Timed], fn: Any, count: int) -> list[Contestant]:
    def one(name: str, opens: Any, *needs: str, **how: Any) -> Timed:
        return timed(name, count, opens, needs=("numpy", *needs), **how)

    return [
        one("ours", partial(ours, "ProcessStrategy", fn, max_workers=workers()), ours=True),
        one("ProcessPoolExecutor.map", partial(process_pool_executor, fn, 1)),
        one("Pool.map", partial(process_pool, fn, "map", 1)),
        one("loky map", partial(loky, fn, 1), "loky"),
        one("joblib", partial(joblib_processes, fn), "joblib"),
        one("mpire", partial(mpire, fn, 1), "mpire"),
    ]
