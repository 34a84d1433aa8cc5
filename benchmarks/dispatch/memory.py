"""How much the process grows while millions of items stream through it."""

from __future__ import annotations

from benchmarks.dispatch._case import Group, Row, Size
from benchmarks.dispatch._fresh_case import Fresh

__all__ = ["HERE", "WORKERS", "groups"]

HERE = ("sequential", "thread", "asyncio", "uvloop", "anyio", "anyio on trio")
"""Strategies that run in this process: ten million items."""
WORKERS = ("process", "hybrid")
"""Strategies with worker processes: a million items."""


def groups(size: Size) -> list[Group]:
    """One row; peers get fewer items where they would need gigabytes."""
    many, some = size(10_000_000, 50_000), size(1_000_000, 20_000)
    few = size(100_000, 5_000)
    contestants = [
        *(_fresh(name, many, *_needs(name), ours=True) for name in HERE),
        *(_fresh(name, some, ours=True) for name in WORKERS),
        _fresh("ThreadPoolExecutor.map", few),
        _fresh("gather", few),
        _fresh("Pool.imap", some),
    ]
    return [Group("memory", [Row("memory", "Growth while streaming", contestants, "MB")], warm_up=False)]


def _needs(name: str) -> tuple[str, ...]:
    return ("trio",) if "trio" in name else ()


def _fresh(name: str, count: int, *needs: str, ours: bool = False) -> Fresh:
    return Fresh(name, count, ("memory", name, str(count)), ours=ours, needs=needs)
