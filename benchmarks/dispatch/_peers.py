"""What the groups share: our strategies and other people's pools, opened warm and closed for good.

Each is a context manager of a function from items to results; entering it starts the workers.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from multiprocessing.pool import Pool, ThreadPool
from typing import Any

import concurrent_choices
from benchmarks.dispatch._callables import nothing

__all__ = [
    "joblib_processes",
    "joblib_threads",
    "loky",
    "mpire",
    "ours",
    "ours_streamed",
    "process_pool",
    "process_pool_executor",
    "thread_pool",
    "thread_pool_executor",
    "workers",
]

Live = Iterator[Callable[[Any], Any]]


def workers() -> int:
    """How many worker processes everybody gets: the CPUs that this process may use."""
    return len(os.sched_getaffinity(0))


@contextmanager
def ours(strategy: str, fn: Any, **options: Any) -> Live:
    """`run` under the strategy of that class name."""
    with _warm(getattr(concurrent_choices, strategy)(**options)) as opened:
        yield lambda items: concurrent_choices.run(fn, items, strategy=opened)


@contextmanager
def ours_streamed(strategy: str, fn: Any, **options: Any) -> Live:
    """`stream` from a generator, whose length nobody knows."""
    with _warm(getattr(concurrent_choices, strategy)(**options)) as opened:
        yield lambda items: list(concurrent_choices.stream(fn, (item for item in items), strategy=opened))


def _warm(strategy: Any) -> AbstractContextManager[Any]:
    """Only strategies that hold workers can be kept warm; the others start anew each time."""
    return strategy if hasattr(strategy, "__enter__") else nullcontext(strategy)


@contextmanager
def thread_pool_executor(fn: Any, threads: int) -> Live:
    """`ThreadPoolExecutor.map`, which has no batches (`chunksize` does nothing there)."""
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        yield lambda items: list(pool.map(fn, items))


@contextmanager
def thread_pool(fn: Any, threads: int, method: str = "map", chunk: int | None = None) -> Live:
    """A method of `multiprocessing.pool.ThreadPool`; a chunk of None is its own choice."""
    with ThreadPool(threads) as pool:
        yield _chunked(pool, fn, method, chunk)


@contextmanager
def process_pool(fn: Any, method: str = "map", chunk: int | None = None) -> Live:
    """A method of `multiprocessing.Pool`; a chunk of None is its own choice."""
    with multiprocessing.Pool(workers()) as pool:
        yield _chunked(pool, fn, method, chunk)


def _chunked(pool: Pool, fn: Any, method: str, chunk: int | None) -> Callable[[Any], Any]:
    if chunk is None:
        return lambda items: list(getattr(pool, method)(fn, items))
    return lambda items: list(getattr(pool, method)(fn, items, chunk))


@contextmanager
def process_pool_executor(fn: Any, chunk: int) -> Live:
    """`ProcessPoolExecutor.map` with a chunk size."""
    with concurrent.futures.ProcessPoolExecutor(workers()) as pool:
        pool.submit(nothing, 0).result()  # forks now, before other contestants start threads
        yield lambda items: list(pool.map(fn, items, chunksize=chunk))


@contextmanager
def loky(fn: Any, chunk: int) -> Live:
    """The reusable executor of loky with a chunk size, its workers kept over all rounds."""
    import loky as package  # noqa: PLC0415 - a peer that may be absent

    with package.get_reusable_executor(workers(), timeout=600) as pool:
        yield lambda items: list(pool.map(fn, items, chunksize=chunk))


@contextmanager
def joblib_processes(fn: Any, **options: Any) -> Live:
    """`joblib.Parallel` on its default back-end, whose workers outlive the call."""
    from joblib import Parallel, delayed  # noqa: PLC0415 - a peer that may be absent
    from joblib.externals.loky import get_reusable_executor  # noqa: PLC0415 - a peer that may be absent

    def call(items: Any) -> Any:
        return Parallel(n_jobs=workers(), **options)(delayed(fn)(item) for item in items)

    yield call
    get_reusable_executor().shutdown(wait=True, kill_workers=True)


@contextmanager
def joblib_threads(fn: Any, threads: int) -> Live:
    """`joblib.Parallel` on threads, its pool kept over all rounds."""
    from joblib import Parallel, delayed  # noqa: PLC0415 - a peer that may be absent

    with Parallel(n_jobs=threads, prefer="threads") as parallel:
        yield lambda items: parallel(delayed(fn)(item) for item in items)


@contextmanager
def mpire(fn: Any, chunk: int | None) -> Live:
    """`mpire.WorkerPool.map`, its workers kept; a chunk of None is its own choice."""
    from mpire import WorkerPool  # noqa: PLC0415 - a peer that may be absent

    with WorkerPool(n_jobs=workers(), keep_alive=True) as pool:
        yield lambda items: pool.map(fn, items, chunk_size=chunk, concatenate_numpy_output=False)
