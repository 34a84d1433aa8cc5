"""Measurements that need an interpreter: `python -m benchmarks.dispatch._fresh PROBE …`.

Everything is imported inside functions: what a probe imports is part of what it measures, and the
workers of some peers import this module again.
"""

# ruff: noqa: PLC0415 - for the reason just given

import sys
import time

LIGHT = ("anyio", "asyncio", "concurrent.futures", "multiprocessing", "rich", "uvloop")
"""What `import concurrent_choices` must not load."""


STARTED = 1_000
"""After so many results a stream is under way: what it imports late and keeps for good is there."""


def cold(who, *options):
    """Seconds from asking for two workers to the first result; with the imports told apart.

    Where threads wait, which are there at once, to the last result.
    """
    began = time.perf_counter()
    first = COLD[who](*options)
    imported = next(first)
    result = next(first)
    done = time.perf_counter()
    first.close()
    if result != 0:
        message = f"{who} gave {result!r} for the first of the items 0 and 1"
        raise AssertionError(message)
    return {"value": done - imported, "extra": {"with_imports_s": done - began}}


def cold_ours():
    """Ours, in the generator form of all these: what comes first is the time after the imports."""
    from benchmarks.dispatch._callables import nothing
    from concurrent_choices import ProcessStrategy, stream

    yield time.perf_counter()
    with ProcessStrategy(max_workers=2) as strategy:
        yield next(iter(stream(nothing, range(2), strategy=strategy)))


def cold_pool(start_method):
    """`multiprocessing.Pool` under a start method."""
    import multiprocessing.pool

    from benchmarks.dispatch._callables import nothing

    yield time.perf_counter()
    with multiprocessing.get_context(start_method).Pool(2) as pool:
        yield next(pool.imap(nothing, range(2)))


def cold_executor(start_method):
    """`ProcessPoolExecutor` under a start method."""
    import concurrent.futures.process
    import multiprocessing

    from benchmarks.dispatch._callables import nothing

    yield time.perf_counter()
    context = multiprocessing.get_context(start_method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        yield next(iter(pool.map(nothing, range(2))))


def cold_loky():
    """The reusable executor of loky."""
    import loky

    from benchmarks.dispatch._callables import nothing

    yield time.perf_counter()
    with loky.get_reusable_executor(max_workers=2) as pool:
        yield next(iter(pool.map(nothing, range(2))))


def cold_joblib():
    """The default back-end of joblib."""
    from joblib import Parallel, delayed

    from benchmarks.dispatch._callables import nothing

    yield time.perf_counter()
    parallel = Parallel(n_jobs=2, return_as="generator")
    yield next(parallel(delayed(nothing)(item) for item in range(2)))


def cold_mpire():
    """mpire, by fork as it does."""
    from mpire import WorkerPool

    from benchmarks.dispatch._callables import nothing

    yield time.perf_counter()
    with WorkerPool(n_jobs=2) as pool:
        yield next(pool.imap(nothing, range(2)))


NAPS = 40


def cold_auto():
    """Naps under `auto`, which loads while it works what it decides with."""
    from benchmarks.dispatch._callables import nap
    from concurrent_choices import run

    yield time.perf_counter()
    yield run(nap, range(NAPS))[0]


def cold_threads():
    """The same naps in 32 threads."""
    import concurrent.futures.thread

    from benchmarks.dispatch._callables import nap

    yield time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        results = list(pool.map(nap, range(NAPS)))
    yield results[0]


def cold_loop():
    """The same naps as coroutines, all at once."""
    import asyncio

    from benchmarks.dispatch._callables import rest

    async def every():
        return await asyncio.gather(*map(rest, range(NAPS)))

    yield time.perf_counter()
    yield asyncio.run(every())[0]


def cold_auto_loop():
    """And as coroutines under `auto`, with asyncio imported before, as their module has."""
    import asyncio  # noqa: F401 - as just said

    from benchmarks.dispatch._callables import rest
    from concurrent_choices import run

    yield time.perf_counter()
    yield run(rest, range(NAPS))[0]


SPINS = [0] + [60_000] * 150
"""Turns of the loop: some 3 ms each; the first call gives what is known to be right."""


def cold_auto_computing():
    """Computing under `auto`, which loads beside it what worker processes need."""
    from benchmarks.dispatch._callables import spin
    from concurrent_choices import run

    yield time.perf_counter()
    yield run(spin, SPINS)[0]


def cold_auto_computing_loop():
    """The same in coroutines, with asyncio imported before."""
    import asyncio  # noqa: F401 - as just said

    from benchmarks.dispatch._callables import turn_and_spin
    from concurrent_choices import run

    yield time.perf_counter()
    yield run(turn_and_spin, SPINS)[0]


def cold_computing():
    """The same computing one after another."""
    from benchmarks.dispatch._callables import spin

    yield time.perf_counter()
    results = list(map(spin, SPINS))
    yield results[0]


def cold_executor_computing(start_method):
    """The same in two processes of `ProcessPoolExecutor` under a start method, eight chunks for each."""
    import concurrent.futures.process
    import multiprocessing

    from benchmarks.dispatch._callables import spin

    yield time.perf_counter()
    context = multiprocessing.get_context(start_method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        results = list(pool.map(spin, SPINS, chunksize=10))
    yield results[0]


COLD = {
    "auto": cold_auto,
    "auto-computing": cold_auto_computing,
    "auto-computing-loop": cold_auto_computing_loop,
    "computing": cold_computing,
    "auto-loop": cold_auto_loop,
    "executor": cold_executor,
    "executor-computing": cold_executor_computing,
    "joblib": cold_joblib,
    "loky": cold_loky,
    "loop": cold_loop,
    "mpire": cold_mpire,
    "ours": cold_ours,
    "pool": cold_pool,
    "threads": cold_threads,
}


def imports(name):
    """Seconds to import a module, and how many came with it, and how many heavy ones."""
    before = set(sys.modules)
    began = time.perf_counter()
    __import__(name)
    seconds = time.perf_counter() - began
    new = set(sys.modules) - before
    heavy = [module for module in LIGHT if module in new]
    return {"value": seconds, "extra": {"modules": len(new), "heavy_modules": len(heavy)}}


def memory(who, count):
    """Megabytes by which this process grew, at its peak, while so many items streamed through.

    The base is read before the first item, so pools, loops, threads and late imports are growth.
    """
    live = MEMORY[who]
    results = live(int(count))
    base = started = _reset_peak()
    seen = 0
    began = time.perf_counter()
    for _ in results:
        seen += 1
        if seen == STARTED:
            started = _status("VmRSS")
    seconds = time.perf_counter() - began
    peak = _status("VmHWM")
    if seen != int(count):
        message = f"{who} gave {seen} results for {count} items"
        raise AssertionError(message)
    extra = {"base_mb": base / 1e6, "after_start_mb": (peak - started) / 1e6, "took_s": seconds}
    return {"value": (peak - base) / 1e6, "extra": extra}


def _reset_peak():
    """Make the kernel forget the peak so far; what is in use now is the base."""
    import gc
    from pathlib import Path

    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _status("VmRSS")


def _status(field):
    """Bytes of a field of /proc/self/status."""
    from pathlib import Path

    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    message = f"no {field} in /proc/self/status"
    raise RuntimeError(message)


def streamed(strategy, fn, **options):
    """Ours: a function from a number of items to the stream of their results."""

    def live(count):
        import concurrent_choices
        from benchmarks.dispatch import _callables

        chosen = getattr(concurrent_choices, strategy)(**options)
        return concurrent_choices.stream(getattr(_callables, fn), iter(range(count)), strategy=chosen)

    return live


def executor_map(count):
    """`ThreadPoolExecutor.map`, which makes a future for every item at the start."""
    from concurrent.futures import ThreadPoolExecutor

    from benchmarks.dispatch._callables import nothing

    with ThreadPoolExecutor(4) as pool:
        yield from pool.map(nothing, range(count))


def pool_imap(count):
    """`multiprocessing.Pool.imap`, whose feeder reads ahead without bound."""
    import multiprocessing

    from benchmarks.dispatch._callables import nothing

    with multiprocessing.Pool(2) as pool:
        yield from pool.imap(nothing, iter(range(count)), 1_000)


def gathered(count):
    """`gather`, with a task for every item."""
    import asyncio

    from benchmarks.dispatch._callables import never_suspend

    async def main():
        return await asyncio.gather(*(never_suspend(item) for item in range(count)))

    yield from asyncio.run(main())


MEMORY = {
    "Pool.imap": pool_imap,
    "ThreadPoolExecutor.map": executor_map,
    "anyio": streamed("AnyioStrategy", "never_suspend"),
    "anyio on trio": streamed("AnyioStrategy", "never_suspend", backend="trio"),
    "asyncio": streamed("AsyncioStrategy", "never_suspend"),
    "gather": gathered,
    "hybrid": streamed("HybridStrategy", "nothing"),
    "process": streamed("ProcessStrategy", "nothing"),
    "sequential": streamed("SequentialStrategy", "nothing"),
    "thread": streamed("ThreadStrategy", "nothing"),
    "uvloop": streamed("UvloopStrategy", "never_suspend"),
}

PROBES = {"cold": cold, "imports": imports, "memory": memory}

if __name__ == "__main__":
    answer = PROBES[sys.argv[1]](*sys.argv[2:])
    import json

    print(json.dumps(answer))
