"""Coroutines: that await, compute, block their loop, or a bit of each."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from benchmarks.catalogue.work.python import loop
from benchmarks.catalogue.work.server import echo_address


async def awaits_20ms(_: int) -> None:
    await asyncio.sleep(20e-3)


async def never_suspends(item: int) -> int:
    return loop(100) + item


async def computes(_: int) -> int:
    await asyncio.sleep(0)
    return loop(38_000)


async def blocks(_: int) -> None:
    await asyncio.sleep(0)
    time.sleep(5e-3)  # noqa: ASYNC251 - the mistake is what is measured


async def awaits_and_blocks(_: int) -> None:
    await asyncio.sleep(3e-3)
    time.sleep(3e-3)  # noqa: ASYNC251 - as above


async def awaits_and_computes(_: int) -> int:
    """2 ms of awaiting, 2 ms of Python."""
    await asyncio.sleep(2e-3)
    return loop(38_000)


async def mostly_awaits(_: int) -> int:
    """8 ms of awaiting, 1 ms of Python."""
    await asyncio.sleep(8e-3)
    return loop(19_000)


async def to_thread(_: int) -> None:
    await asyncio.to_thread(time.sleep, 10e-3)


async def fetch(url: str) -> int:
    """A request over a connection of its own, by hand."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    asked = f"GET {parts.path}?{parts.query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    writer.write(asked.encode())
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return len(answer)


def echoes(count: int) -> Sequence[tuple[str, int]]:
    return [echo_address()] * count


async def converse(where: tuple[str, int]) -> bytes:
    """Five lines to a server and back, each answered after a millisecond."""
    reader, writer = await asyncio.open_connection(*where)
    line = b""
    for _ in range(5):
        writer.write(b"x" * 63 + b"\n")
        line = await reader.readline()
    writer.close()
    await writer.wait_closed()
    return line
