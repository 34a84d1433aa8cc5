"""The workloads: a callable from `work` and the items for it, made in a temporary folder."""

import contextlib
import random
import sqlite3
import tempfile
from pathlib import Path

from attrs import frozen

from . import work
from .server import running_server

MEGABYTE = 1 << 20
FILES = 16
SALES = 40_000
CUSTOMERS = 200
SEED = 20260101


@frozen
class Workload:
    """Something to race.

    Attributes:
        name: What the table calls it.
        fn: The callable.
        items: What it is called with, one by one.
    """

    name: str
    fn: object
    items: list


@contextlib.contextmanager
def catalogue(scale):
    """Start the server, write files and database; give the workloads; take everything away.

    Args:
        scale: How many items there are, 1 for the numbers that suit two cores and half a minute.
    """
    with (
        tempfile.TemporaryDirectory(prefix="concurrent-choices-demo-") as folder,
        running_server() as address,
    ):
        yield list(_workloads(Path(folder), address, scale))


def _workloads(folder, address, scale):
    def count(number):
        return range(max(2, round(number * scale)))

    files = _files(folder)
    database = _database(folder / "sales.db")
    urls = [f"{address}/answer/{number}" for number in count(60)]
    orders = [(str(database), number % CUSTOMERS) for number in count(480)]
    pages = _pages(folder, count(1500))
    naps = list(count(100))
    hashed = [files[number % FILES] for number in count(300)]
    yield Workload("hash 4 MB files", work.hash_file, hashed)
    yield Workload("Python primes", work.count_primes, [1_000 * n for n in count(240)])
    yield Workload("HTTP httpx", work.fetch, urls)
    yield Workload("HTTP httpx async", work.fetch_async, urls)
    yield Workload("SQLite sqlite3", work.query, orders)
    yield Workload("SQLite aiosqlite", work.query_async, orders)
    yield Workload("write_bytes", work.write, pages)
    yield Workload("aiofiles", work.write_async, pages)
    yield Workload("time.sleep", work.nap, naps)
    yield Workload("asyncio.sleep", work.nap_async, naps)


def _files(folder):
    paths = [folder / f"{number}.bin" for number in range(FILES)]
    for number, path in enumerate(paths):
        path.write_bytes(random.Random(SEED + number).randbytes(4 * MEGABYTE))
    return [str(path) for path in paths]


def _pages(folder, numbers):
    """Files that every run replaces: a new one, or the first replacement, costs far less."""
    paths = [str(folder / f"{number}.txt") for number in numbers]
    for path in paths * 2:
        work.write(path)
    return paths


def _database(path):
    rng = random.Random(SEED)
    rows = ((rng.randrange(CUSTOMERS), rng.randrange(10_000)) for _ in range(SALES))
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE sales (customer INTEGER, amount INTEGER)")
        connection.executemany("INSERT INTO sales VALUES (?, ?)", rows)
    connection.close()
    return path
