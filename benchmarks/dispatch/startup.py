"""Cold: two worker processes, a first run under `auto`, and importing, each in a fresh interpreter."""

from __future__ import annotations

from benchmarks.dispatch._case import Group, Row, Size
from benchmarks.dispatch._fresh_case import Fresh

__all__ = ["groups"]


def groups(_size: Size) -> list[Group]:
    """One interpreter, one reading; the warm-up fills the caches of files and of bytecode."""
    return [Group("startup", [_cold(), _first_run(), _first_loop(), _first_computing(), _imports()])]


def _one(name: str, *probe: str, needs: tuple[str, ...] = (), ours: bool = False) -> Fresh:
    return Fresh(name, 1, ("cold", *probe), ours=ours, needs=needs)


def _cold() -> Row:
    return Row(
        "cold",
        "Cold start: from the imports to the first result, 2 worker processes",
        [
            _one("ours", "ours", ours=True),
            _one("Pool, spawn", "pool", "spawn"),
            _one("Pool, forkserver", "pool", "forkserver"),
            _one("Pool, fork", "pool", "fork"),
            _one("ProcessPoolExecutor, spawn", "executor", "spawn"),
            _one("ProcessPoolExecutor, forkserver", "executor", "forkserver"),
            _one("loky", "loky", needs=("loky",)),
            _one("joblib", "joblib", needs=("joblib",)),
            _one("mpire", "mpire", needs=("mpire",)),
        ],
    )


def _first_run() -> Row:
    return Row(
        "first",
        "First run in an interpreter, after the imports: 40 naps of 10 ms, `def`",
        [_one("ours", "auto", ours=True), _one("ThreadPoolExecutor, 32", "threads")],
    )


def _first_loop() -> Row:
    return Row(
        "first-loop",
        "The same, `async def`",
        [_one("ours", "auto-loop", ours=True), _one("gather", "loop")],
    )


def _first_computing() -> Row:
    return Row(
        "first-computing",
        "First run in an interpreter: 150 calls that compute for some 3 ms",
        [
            _one("ours", "auto-computing", ours=True),
            _one("ours, `async def`", "auto-computing-loop", ours=True),
            _one("one after another", "computing"),
            _one("ProcessPoolExecutor(2), fork", "executor-computing", "fork"),
            _one("ProcessPoolExecutor(2), forkserver", "executor-computing", "forkserver"),
        ],
    )


def _imports() -> Row:
    others = ("concurrent.futures", "asyncio", "multiprocessing.pool", "anyio")
    extras = ("joblib", "loky", "mpire", "aiometer")
    return Row(
        "import",
        "Importing, and what comes with it",
        [
            Fresh("concurrent_choices", 1, ("imports", "concurrent_choices"), ours=True),
            *(Fresh(name, 1, ("imports", name)) for name in others),
            *(Fresh(name, 1, ("imports", name), needs=(name,)) for name in extras),
        ],
    )
