"""Waiting: for time, for servers, for child processes, for locks; and waiting and computing in turn."""

from __future__ import annotations

import fcntl
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from urllib.request import urlopen

from benchmarks.catalogue.work.python import loop
from benchmarks.catalogue.work.server import address


def nap_5ms(_: int) -> None:
    time.sleep(5e-3)


def nap_50ms(_: int) -> None:
    time.sleep(50e-3)


def nap(seconds: float) -> None:
    time.sleep(seconds)


def uneven(count: int) -> list[float]:
    """Naps with a heavy tail: most take 2 ms, a few a tenth of a second."""
    random = Random(29)
    return [min(0.1, 2e-3 * random.paretovariate(1.3)) for _ in range(count)]


def fetch(url: str) -> int:
    with urlopen(url, timeout=30) as answer:
        return len(answer.read())


def waits_20ms(count: int) -> list[str]:
    return [f"{address()}/wait?ms=20&n={n}" for n in range(count)]


def limited(count: int) -> list[str]:
    return [f"{address()}/limited?ms=10&n={n}" for n in range(count)]


def single(count: int) -> list[str]:
    return [f"{address()}/single?ms=4&n={n}" for n in range(count)]


def rated(count: int) -> list[str]:
    return [f"{address()}/rated?ms=5&n={n}" for n in range(count)]


def run_sleep(_: int) -> int:
    return subprocess.run(["sleep", "0.03"], check=True).returncode


def run_shell(_: int) -> int:
    """A child that computes: some 20 ms of counting in a shell."""
    script = "i=0; while [ $i -lt 12000 ]; do i=$((i+1)); done"
    return subprocess.run(["sh", "-c", script], check=True).returncode


_LOCK = threading.Lock()


def behind_lock(_: int) -> None:
    with _LOCK:
        time.sleep(3e-3)


@contextmanager
def lock_file() -> Iterator[None]:
    """A file that processes lock, its path in the environment."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "lock")
        path.touch()
        os.environ["CATALOGUE_LOCK"] = str(path)
        yield


def lock_files(count: int) -> Sequence[str]:
    return [os.environ["CATALOGUE_LOCK"]] * count


def behind_file_lock(path: str) -> None:
    with Path(path).open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        time.sleep(3e-3)


def half_and_half(_: int) -> int:
    """2 ms of waiting, 2 ms of Python."""
    time.sleep(2e-3)
    return loop(38_000)


def mostly_waits(_: int) -> int:
    """8 ms of waiting, 1 ms of Python."""
    time.sleep(8e-3)
    return loop(19_000)
