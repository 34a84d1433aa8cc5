"""What goes on in another thread while a test looks."""

from __future__ import annotations

import threading
from contextlib import contextmanager

__all__ = ["meanwhile"]


@contextmanager
def meanwhile(steps):
    """Have another thread take one step of a generator after the other, until the block is over."""
    over = threading.Event()

    def take():
        for _ in steps:
            if over.is_set():
                return

    taking = threading.Thread(target=take)
    taking.start()
    try:
        yield
    finally:
        over.set()
        taking.join()
