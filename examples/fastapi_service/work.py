"""What the endpoints do, apart from how they do it."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from contextlib import closing

BLOCK = b"order" * 2_000_000


def store(path: str) -> None:
    """Make a small database."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("create table if not exists orders (number integer primary key, total real)")
        rows = ((number, number * 1.5) for number in range(1, 101))
        database.executemany("insert or replace into orders values (?, ?)", rows)


def query(path: str, number: int) -> dict[str, float]:
    """Look an order up, in a database that takes its time."""
    with closing(sqlite3.connect(path)) as database:
        database.create_function("deliberate", 0, lambda: time.sleep(0.02))
        database.execute("select deliberate()").fetchall()
        (total,) = database.execute("select total from orders where number = ?", (number,)).fetchone()
    return {"number": number, "total": total}


def mandelbrot(size: int) -> int:
    """Count the points inside the set, in plain Python."""
    inside = 0
    for row in range(size):
        for column in range(size):
            point = complex(3 * column / size - 2, 2 * row / size - 1)
            value = 0j
            for _ in range(30):
                value = value * value + point
                if abs(value) > 2:
                    break
            else:
                inside += 1
    return inside


def digest() -> str:
    """A checksum of ten megabytes."""
    return [hashlib.sha256(BLOCK).hexdigest() for _ in range(4)][-1]
