"""The callables of the experiments, at module level, where worker processes import them.

An item carries all that its call needs, so that any strategy may run it anywhere.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import time
from pathlib import Path
from typing import Any

import aiofiles
import aiosqlite

__all__ = [
    "BLOCK",
    "blocked",
    "file_or_sum",
    "file_or_sum_async",
    "fizzbuzz",
    "fizzbuzz_switching",
    "nap",
    "nap_async",
    "partly_threaded",
    "query",
    "query_async",
    "skipping_sum",
    "skipping_sum_async",
    "square_sum",
    "square_sum_async",
    "sum_async",
    "sum_to",
    "sum_yielding",
    "write",
    "write_async",
]

BLOCK = b"All work and no play makes a dull benchmark.\n" * 23_302  # one MiB, a few bytes less
QUERY = "SELECT wait(?)"


def nap(seconds: float) -> float:
    """Wait, blocking the thread."""
    time.sleep(seconds)
    return seconds


async def nap_async(seconds: float) -> float:
    """Wait, leaving the loop to others."""
    await asyncio.sleep(seconds)
    return seconds


async def blocked(seconds: float) -> float:
    """The mistake: an `async def` that blocks its loop."""
    time.sleep(seconds)  # noqa: ASYNC251 - the mistake is what is measured
    return seconds


async def partly_threaded(seconds: float) -> float:
    """Await two thirds, and wait the last third in a thread."""
    await asyncio.sleep(seconds * 2 / 3)
    await asyncio.to_thread(time.sleep, seconds / 3)
    return seconds


def sum_to(number: int) -> int:
    """Add up in a Python loop, as the experiments did: `sum(range())` would be another question."""
    total = 0
    for each in range(number):
        total += each
    return total


async def sum_async(number: int) -> int:
    """The same in an `async def` that never awaits."""
    return sum_to(number)


async def sum_yielding(number: int) -> int:
    """The same, letting others go on every thousand steps."""
    total = 0
    for start in range(0, number, 1000):
        for each in range(start, min(start + 1000, number)):
            total += each
        await asyncio.sleep(0)
    return total


def square_sum(number: int) -> int:
    """What the endpoint of experiment 12 computes."""
    return sum(each * each for each in range(number))


async def square_sum_async(number: int) -> int:
    """The same in an `async def`."""
    return square_sum(number)


def skipping_sum(item: tuple[int, int]) -> int:
    """Add up `i % x` over a range, skipping about half of it at random; the item's seed says which half."""
    number, x = item
    skip = random.Random(x).random
    total = 0
    for each in range(number):
        if skip() < 0.5:
            continue
        total += each % x
    return total


async def skipping_sum_async(item: tuple[int, int]) -> int:
    """The same in an `async def` that never awaits."""
    return skipping_sum(item)


def write(item: tuple[str, int, bool]) -> int:
    """Write a file of so many blocks, and wait for the device if asked to; give its size."""
    path, blocks, sync = item
    with Path(path).open("wb", buffering=0) as file:
        file.writelines(BLOCK for _ in range(blocks))
        if sync:
            os.fsync(file.fileno())
        return file.tell()


async def write_async(item: tuple[str, int, bool], executor: Any = None) -> int:
    """The same through aiofiles, which hands every call to a thread."""
    path, blocks, sync = item
    async with aiofiles.open(path, "wb", buffering=0, executor=executor) as file:
        for _ in range(blocks):
            await file.write(BLOCK)
        if sync:
            await asyncio.get_running_loop().run_in_executor(executor, os.fsync, file.fileno())
        return await file.tell()


def file_or_sum(item: Any) -> int:
    """A number is added up to; anything else is a file to be written."""
    return sum_to(item) if isinstance(item, int) else write(item)


async def file_or_sum_async(item: Any) -> int:
    """The same in an `async def`."""
    return sum_to(item) if isinstance(item, int) else await write_async(item)


def _wait(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def query(item: tuple[str, float]) -> float:
    """Ask a real database a question that takes it that long."""
    path, seconds = item
    connection = sqlite3.connect(path)
    try:
        connection.create_function("wait", 1, _wait)
        return connection.execute(QUERY, (seconds,)).fetchone()[0]
    finally:
        connection.close()


async def query_async(item: tuple[str, float]) -> float:
    """The same through aiosqlite, which keeps a thread for each connection."""
    path, seconds = item
    async with aiosqlite.connect(path) as connection:
        await connection.create_function("wait", 1, _wait)
        async with connection.execute(QUERY, (seconds,)) as rows:
            return (await rows.fetchone())[0]


def _word(number: int) -> str:
    if number % 15 == 0:
        return "FizzBuzz"
    return "Fizz" if number % 3 == 0 else "Buzz" if number % 5 == 0 else str(number)


async def fizzbuzz(number: int) -> str:
    """FizzBuzz ten times, never giving way."""
    word = ""
    for _ in range(10):
        word = _word(number)
    return word


async def fizzbuzz_switching(number: int) -> str:
    """FizzBuzz ten times, giving way after each."""
    word = ""
    for _ in range(10):
        word = _word(number)
        await asyncio.sleep(0)
    return word
