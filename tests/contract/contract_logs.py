"""What is called to log, and handlers that look at what it has logged."""

from __future__ import annotations

import logging
import os
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

from contract_acts import CALLER, act

from concurrent_choices import run

__all__ = ["Noting", "Raising", "Slow", "Touching"]

LOG = logging.getLogger("contract.logs")


class Noting(logging.Handler):
    """Keeps what it is given, and whose calls it is told of."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []
        self.callers: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)
        self.callers.append(CALLER.get())

    @property
    def messages(self) -> list[str]:
        return [record.getMessage() for record in self.records]


class Raising(logging.Handler):
    """Has a fault."""

    def emit(self, record: logging.LogRecord) -> None:
        raise RuntimeError(record.getMessage())


class Slow(logging.Handler):
    """Takes longer than it took to log."""

    def emit(self, record: logging.LogRecord) -> None:
        sum(range(50_000))


class Touching(logging.Handler):
    """Makes the file that a record names."""

    def emit(self, record: logging.LogRecord) -> None:
        Path(record.getMessage()).touch()


@act
def speak(item):
    LOG.debug("looked at %s", item)
    LOG.info("called with %s", item)
    return item


@act
def lament(number):
    try:
        return 1 / number
    except ZeroDivisionError:
        LOG.exception("cannot divide", extra={"number": number, "kept": {"a": [1]}, "lost": lambda: None})
    return None


@act
def wait_to_be_heard(path):
    """Log the name of a file, and wait until somebody has made it."""
    LOG.warning(path)
    until = time.monotonic() + 30
    while not Path(path).exists() and time.monotonic() < until:
        time.sleep(0.002)
    return Path(path).exists()


@act
def be_heard_and_die(path):
    wait_to_be_heard(path)
    os._exit(7)


class Mute:
    """Has no words."""

    def __str__(self) -> str:
        msg = "mute"
        raise RuntimeError(msg)


@act
def speak_plainly(item):
    logging.warning("called with %s", item)  # noqa: LOG015 - as people do
    return item


@act
def speak_of_the_mute(item):
    LOG.warning("%s", Mute())
    return item


@act
def speak_inside(item):
    return run(speak, [item], strategy="process")


@act
def speak_at_length(count):
    for number in range(count):
        LOG.info("%s", number)
    return count


@act
def threads_that_carry(item):
    LOG.info("called with %s", item)
    return sum(thread.name == "choices-records" for thread in threading.enumerate())


@act
def speak_in_a_fork(item):
    pid = os.fork()
    if not pid:
        LOG.warning("from a fork")
        os._exit(0)
    os.waitpid(pid, 0)
    return speak(item)


def logging_to(path: str) -> Any:
    """An initializer that has a worker write what it logs to a file."""
    return partial(logging.basicConfig, filename=path, level=logging.INFO)
