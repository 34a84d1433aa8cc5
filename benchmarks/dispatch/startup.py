"""Cold: the first result of two worker processes, and importing, each in a fresh interpreter."""

from __future__ import annotations

from benchmarks.dispatch._case import Group, Row, Size
from benchmarks.dispatch._fresh_case import Fresh

__all__ = ["groups"]


def groups(_size: Size) -> list[Group]:
    """One interpreter, one reading; the warm-up fills the caches of files and of bytecode."""
    return [Group("startup", [_cold(), _imports()])]


def _cold() -> Row:
    def one(name: str, *probe: str, needs: tuple[str, ...] = (), ours: bool = False) -> Fresh:
        return Fresh(name, 1, ("cold", *probe), ours=ours, needs=needs)

    return Row(
        "cold",
        "Cold start: from the imports to the first result, 2 worker processes",
        [
            one("ours", "ours", ours=True),
            one("Pool, spawn", "pool", "spawn"),
            one("Pool, forkserver", "pool", "forkserver"),
            one("Pool, fork", "pool", "fork"),
            one("ProcessPoolExecutor, spawn", "executor", "spawn"),
            one("ProcessPoolExecutor, forkserver", "executor", "forkserver"),
            one("loky", "loky", needs=("loky",)),
            one("joblib", "joblib", needs=("joblib",)),
            one("mpire", "mpire", needs=("mpire",)),
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
