"""Storage: files on disk and in memory, written for good or only to the cache, and SQLite."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_IN_MEMORY = Path("/dev/shm")
_CONTENT = bytes(range(256)) * 1024
_ROWS = 20_000
_OWN = threading.local()


@contextmanager
def on_disk() -> Iterator[None]:
    """A folder on disk."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CATALOGUE_FOLDER"] = folder
        yield


@contextmanager
def in_memory() -> Iterator[None]:
    """A folder in memory, or on disk where there is no such."""
    parent = _IN_MEMORY if _IN_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        os.environ["CATALOGUE_FOLDER"] = folder
        yield


@contextmanager
def with_files() -> Iterator[None]:
    """A folder on disk with files to read; they are in the page cache, as recent files are."""
    with on_disk():
        for number in range(64):
            Path(os.environ["CATALOGUE_FOLDER"], f"{number}").write_bytes(_CONTENT)
        yield


@contextmanager
def with_database() -> Iterator[None]:
    """A folder on disk with a database of some thousand rows."""
    with on_disk():
        connection = sqlite3.connect(Path(os.environ["CATALOGUE_FOLDER"], "rows.db"))
        connection.execute("create table numbers (n integer, word text)")
        rows = ((n, f"word {n % 977}") for n in range(_ROWS))
        connection.executemany("insert into numbers values (?, ?)", rows)
        connection.commit()
        connection.close()
        yield


def paths(count: int) -> Sequence[str]:
    folder = os.environ["CATALOGUE_FOLDER"]
    return [f"{folder}/{number % 64}" for number in range(count)]


def new_paths(count: int) -> Sequence[str]:
    folder = os.environ["CATALOGUE_FOLDER"]
    return [f"{folder}/new-{number}" for number in range(count)]


def databases(count: int) -> Sequence[tuple[str, int]]:
    path = os.environ["CATALOGUE_FOLDER"] + "/rows.db"
    return [(path, number) for number in range(count)]


def read_file(path: str) -> int:
    return len(Path(path).read_bytes())


def write_file(path: str) -> int:
    """Write a quarter of a megabyte; in a small ring of files, so that memory is not used up."""
    folder, name = os.path.split(path)
    return Path(folder, f"ring-{int(name.rpartition('-')[2]) % 64}").write_bytes(_CONTENT)


def write_for_good(path: str) -> None:
    with Path(path).open("wb") as file:
        file.write(_CONTENT[:4096])
        file.flush()
        os.fsync(file.fileno())


class _SelfClosing(sqlite3.Connection):
    """Closed with the thread that had it: from Python 3.13 on one that was not is warned of."""

    def __del__(self) -> None:
        self.close()


def connection_to(path: str) -> sqlite3.Connection:
    """This thread's connection; one may not be shared."""
    kept = getattr(_OWN, "connection", None)
    if kept is None or _OWN.path != path:
        _OWN.path = path
        kept = _OWN.connection = sqlite3.connect(
            path, timeout=60, factory=_SelfClosing, check_same_thread=False
        )
    return kept


def query(item: tuple[str, int]) -> int:
    path, number = item
    asked = (f"%{number % 97}%",)
    found = connection_to(path).execute("select count(*) from numbers where word like ?", asked)
    return int(found.fetchone()[0])


def insert(item: tuple[str, int]) -> None:
    path, number = item
    connection = connection_to(path)
    with connection:
        connection.execute("insert into numbers values (?, 'new')", (number,))
