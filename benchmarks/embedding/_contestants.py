"""Executors for the mixed load: ours, a pair tuned by hand, and threads alone."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

from benchmarks.embedding._calls import scan
from concurrent_choices import AdaptiveExecutor
from concurrent_choices._platform._processors import usable_cpus

__all__ = ["CONTESTANTS", "HandTuned"]


class HandTuned(Executor):
    """What an expert who knows every callable would write: processes for `scan`, threads for the rest."""

    def __init__(self) -> None:
        cpus = max(1, round(usable_cpus()))
        context = multiprocessing.get_context("spawn")
        self._processes = ProcessPoolExecutor(cpus, mp_context=context)
        self._threads = ThreadPoolExecutor(64)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        pool = self._processes if fn is scan else self._threads
        return pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the base class has it so
        self._processes.shutdown(wait, cancel_futures=cancel_futures)
        self._threads.shutdown(wait, cancel_futures=cancel_futures)


CONTESTANTS: dict[str, Callable[[], Executor]] = {
    "AdaptiveExecutor": AdaptiveExecutor,
    "hand-tuned pair": HandTuned,
    "ThreadPoolExecutor": ThreadPoolExecutor,
}
