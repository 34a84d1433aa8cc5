"""`map` on top of `submit`: chunks of items, and results in order."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from itertools import islice
from typing import Any, TypeVar

__all__ = ["chunks", "results_of", "run_chunk"]

R = TypeVar("R")


def run_chunk(fn: Callable[..., R], chunk: tuple[tuple[Any, ...], ...]) -> list[R]:
    """Call `fn` for each of a few items."""
    return [fn(*each) for each in chunk]


def chunks(items: Iterable[tuple[Any, ...]], size: int) -> Iterator[tuple[tuple[Any, ...], ...]]:
    """Items, so many at a time."""
    rest = iter(items)
    while chunk := tuple(islice(rest, size)):
        yield chunk


def results_of(submitted: Iterator[Future[Any]], ahead: int | None, until: float | None) -> Iterator[Any]:
    """The results of futures that are submitted as they are asked for: so many `ahead`, or all at once.

    `until` is when waiting ends, by the monotonic clock; None for never.
    """
    futures = deque(submitted if ahead is None else islice(submitted, ahead))
    return _taken(futures, submitted, until)


def _taken(
    futures: deque[Future[Any]], submitted: Iterator[Future[Any]], until: float | None
) -> Iterator[Any]:
    try:
        while futures:
            left = None if until is None else until - time.monotonic()
            futures.extend(islice(submitted, 1))
            # Not kept in a variable, which would live for as long as the caller thinks about it.
            yield _result(futures.popleft(), left)
    finally:
        for future in futures:
            future.cancel()


def _result(future: Future[Any], timeout: float | None) -> Any:
    try:
        return future.result(timeout)
    finally:
        future.cancel()
        del future  # or an exception's traceback would hold what holds it
