"""A FastAPI service with ten endpoints for which the right advice is known, and the right line."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import linecache
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from concurrent_choices import offload

__all__ = ["FINE", "LABELS", "app", "is_right"]

app = FastAPI()
BLOCK = b"x" * 8_000_000


def spin(rounds: int) -> int:
    """Compute under the GIL."""
    total = 0
    for number in range(rounds):
        total += number
    return total


@app.get("/sleeps")
async def sleeps() -> int:
    time.sleep(0.02)  # noqa: ASYNC251 - what is to be found
    return 1


@app.get("/locks")
async def locks() -> int:
    threading.Event().wait(0.02)
    return 1


@app.get("/queries")
async def queries() -> int:
    connection = sqlite3.connect(":memory:")
    connection.create_function("pause", 0, lambda: time.sleep(0.02))
    connection.execute("select pause()").fetchall()
    connection.close()
    return 1


@app.get("/computes")
async def computes() -> int:
    return spin(800_000)


@app.get("/awaits")
async def awaits() -> int:
    await asyncio.sleep(0.02)
    return 1


@app.get("/offloads")
async def offloads() -> int:
    return await offload(time.sleep, 0.02) or 1


@app.get("/waits")
def waits() -> int:
    time.sleep(0.02)
    return 1


@app.get("/grinds")
def grinds() -> int:
    return spin(1_500_000)


@app.get("/hashes")
def hashes() -> str:
    return [hashlib.sha256(BLOCK).hexdigest() for _ in range(6)][-1]


@app.get("/tiny")
async def tiny() -> int:
    return 1


SPINNING = ("for number in range", "total += number", "spin(", "return total")
Label = tuple[str, tuple[Callable[..., Any], ...], tuple[str, ...]]
FINE: Label = ("fine", (), ())

LABELS: dict[str, Label] = {
    "/sleeps": ("blocks the loop", (sleeps,), ("time.sleep(0.02)",)),
    "/locks": ("blocks the loop", (locks,), ("threading.Event().wait(0.02)",)),
    "/queries": ("blocks the loop", (queries,), ("lambda: time.sleep(0.02)",)),
    "/computes": ("computes on the loop", (computes, spin), SPINNING),
    "/awaits": FINE,
    "/offloads": FINE,
    "/waits": FINE,
    "/grinds": ("computes under the GIL", (grinds, spin), SPINNING),
    "/hashes": FINE,
    "/tiny": FINE,
}
"""For each path the finding, the functions one of whose lines is to blame, and what may stand there."""


def is_right(label: Label, finding: str, where: str) -> bool:
    """Whether the advice on a path is right, and the line that it names."""
    expected, blamed, culprits = label
    if finding != expected:
        return False
    if not blamed:
        return not where
    file, _, line = where.rpartition(":")
    source = linecache.getline(str(Path(file).resolve()), int(line or 0))
    lines = (inspect.getsourcelines(each) for each in blamed)
    inside = any(first <= int(line or 0) < first + len(text) for text, first in lines)
    return inside and any(culprit in source for culprit in culprits)
