"""What is raced: one callable for each kind of work, at module level, where workers import it.

An item carries all that its call needs (a URL, a path, a key), so nothing is shared and any
strategy may run it anywhere.
"""

import asyncio
import hashlib
import sqlite3
import ssl
import time
from functools import cache
from pathlib import Path

import aiofiles
import aiosqlite
import httpx

NAP = 0.01
PAGE = b"All work and no play makes a dull benchmark.\n" * 2_000
TOTAL = "SELECT count(*), sum(amount) FROM sales WHERE customer = ?"


def hash_file(path):
    """Read a file of some megabytes and hash it: OpenSSL lets other threads run meanwhile."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def count_primes(start):
    """Count the primes in a range by trial division: pure Python, which holds the GIL."""
    return sum(
        all(number % divisor for divisor in range(2, int(number**0.5) + 1))
        for number in range(start, start + 1_500)
    )


@cache
def tls():
    """One TLS configuration for each process: making it costs more than a request."""
    return ssl.create_default_context()


def fetch(url):
    """Get a page that the server takes 20 ms to answer."""
    return httpx.get(url, verify=tls()).json()


async def fetch_async(url):
    """The same without blocking. A client of its own: calls may run on different loops."""
    async with httpx.AsyncClient(verify=tls()) as client:
        return (await client.get(url)).json()


def query(order):
    """Add up one customer's sales in a real database, without an index."""
    path, customer = order
    connection = sqlite3.connect(path)
    try:
        return connection.execute(TOTAL, (customer,)).fetchone()
    finally:
        connection.close()


async def query_async(order):
    """The same through aiosqlite, which keeps a thread for each connection."""
    path, customer = order
    async with (
        aiosqlite.connect(path) as connection,
        connection.execute(TOTAL, (customer,)) as rows,
    ):
        return await rows.fetchone()


def write(path):
    """Write a file and say how long it became."""
    Path(path).write_bytes(PAGE)
    return Path(path).stat().st_size


async def write_async(path):
    """The same through aiofiles, which uses the loop's threads."""
    async with aiofiles.open(path, "wb") as file:
        await file.write(PAGE)
        return await file.tell()


def nap(number):
    """Wait, blocking the thread."""
    time.sleep(NAP)
    return number


async def nap_async(number):
    """Wait, leaving the loop to others."""
    await asyncio.sleep(NAP)
    return number
