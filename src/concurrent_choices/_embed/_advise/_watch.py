"""A watch over the main thread's event loop, which an application may hold for ever.

Limits of time are the loop's own, so while it is held none of them holds. A thread beside it sees that it
stands still, and has a signal raise an error there, which ends a sleep, a read or a loop of Python's: the
request that held the loop has failed then, and the others go on. Where C code lets no signal through, or the
error is caught again and again, the process is ended.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from ..._platform._frames import frames
from ..._runtime._new_thread import new_thread
from .._advisor._lines import in_words, place_of

__all__ = ["GRACE", "StuckError", "Watch"]

GAVE_UP = 3
"""The exit code of a process in which nothing but its end could free the loop."""

GRACE = 2.0
"""Seconds beyond all patience that a loop may be held, as by a crowded machine (guessed)."""

_BEAT = 0.1
"""Seconds between two looks (guessed: neither is felt)."""

_SIGNAL = getattr(signal, "SIGALRM", None)


class StuckError(TimeoutError):
    """Raised where the loop was held beyond all patience."""


class Watch:
    """Breaks off what holds the loop; does nothing outside the main thread, where no signal can.

    Args:
        patience: Seconds that the loop may be held.
        at_once: How many may hold it one after the other, before the loop comes to anything else.
    """

    def __init__(self, patience: float, at_once: int) -> None:
        self._patience = patience
        self._at_once = at_once
        self._beats = self._raised = 0
        self._ended = threading.Event()

    @contextmanager
    def watching(self) -> Generator[None]:
        """Watch, and have Ctrl-C interrupt at once: asyncio's own way waits for the loop."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        thread = new_thread(self._work, "advise-watch")
        with _handled(_SIGNAL, self._stuck), _handled(signal.SIGINT, _interrupt):
            thread.start()
            try:
                yield
            finally:
                self._ended.set()
                thread.join()

    async def beat(self) -> None:
        """Show that the loop is free; a task of the loop's that never ends."""
        while True:
            self._beats += 1
            await asyncio.sleep(_BEAT)

    def hurry(self) -> None:
        """Have no patience any longer."""
        self._patience = 0.0

    def _work(self) -> None:
        seen, still, sent = 0, 0.0, 0
        while not self._ended.wait(_BEAT):
            if self._beats != seen:
                seen, still, sent, self._raised = self._beats, 0.0, 0, 0
                continue
            # Looks are counted, and not time, of which much goes by while the process is stopped.
            still += _BEAT
            if still > self._patience + GRACE:
                if sent > self._raised or sent > self._at_once or not _raise_in_main_thread(self._stuck):
                    _end_the_process()
                still, sent = 0.0, sent + 1

    def _stuck(self, *_: object) -> None:
        self._raised += 1
        msg = f"the loop was held for longer than the timeout of {self._patience:g} s"
        raise StuckError(msg)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@contextmanager
def _handled(number: int | None, handler: Callable[..., None]) -> Generator[None]:
    """Handle a signal so, where there is one that nobody else handles or ignores."""
    if number is None or signal.getsignal(number) not in (signal.SIG_DFL, signal.default_int_handler):
        yield
        return
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def _raise_in_main_thread(handler: object) -> bool:
    """Send the signal there; not where there is none, or it would come to somebody else."""
    if _SIGNAL is None or signal.getsignal(_SIGNAL) != handler:
        return False
    signal.pthread_kill(threading.main_thread().ident or 0, _SIGNAL)
    return True


def _end_the_process() -> None:
    at = in_words(place_of(frames().get(threading.main_thread().ident or 0)))
    line = f"concurrent-choices: the application holds the loop{at}, and cannot be interrupted: given up"
    if sys.stderr is not None:
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - the last word of a command
    os._exit(GAVE_UP)
