"""A FastAPI application with endpoints whose verdicts are known."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
import threading
import time

from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from concurrent_choices import offload

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


@app.get("/computes/{rounds}")
async def computes(rounds: int) -> int:
    return spin(800_000 * rounds)


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


@app.get("/streams")
async def streams() -> StreamingResponse:
    async def chunks():
        for number in range(5):
            yield str(number)
            await asyncio.sleep(0.001)

    return StreamingResponse(chunks())


SPINNING = ("for number in range", "total += number", "spin(", "return total")
EXPECTED = {
    "/sleeps": ("blocks the loop", "time.sleep(0.02)  # no" + "qa"),
    "/locks": ("blocks the loop", "threading.Event().wait(0.02)"),
    "/queries": ("blocks the loop", "time.sleep(0.02))"),
    "/computes/{rounds}": ("computes on the loop", SPINNING),
    "/awaits": ("fine", ""),
    "/offloads": ("fine", ""),
    "/waits": ("fine", ""),
    "/grinds": ("computes under the GIL", SPINNING),
    "/hashes": ("fine", ""),
    "/tiny": ("fine", ""),
    "/streams": ("fine", ""),
}
