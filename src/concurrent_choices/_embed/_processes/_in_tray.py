"""What others ask of one thread, which is started with the first order and woken for the later ones."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import TypeVar

from ..._runtime._mutex import Mutex
from ..._runtime._new_thread import new_thread
from ..._strategies._workers._hosting._waker import Waker

__all__ = ["InTray"]

T = TypeVar("T")


class InTray:
    """Orders for a thread.

    Args:
        work: What the thread does, with the waker that wakes it.

    Attributes:
        thread: The thread; None before there was one.
        orders: What it is to do, which it takes from here.
        obstacle: Why no thread could be started when that was tried in vain.
    """

    def __init__(self, work: Callable[[Waker], None]) -> None:
        self.thread: threading.Thread | None = None
        self.orders: deque[Callable[[], object]] = deque()
        self.obstacle = ""
        self._asleep = False  # whether it may be waiting for its waker
        self._work = work
        self._starting = Mutex()
        self._started = False
        self._ring: Callable[[], object] = _ring_nobody

    def put(self, order: Callable[[], object]) -> bool:
        """Have the thread do something; False where it cannot be started."""
        if not self.open():
            return False
        try:
            self.orders.append(order)
            self.wake()
        except BaseException:  # Ctrl-C, which would leave it asleep with an order
            self.wake()
            raise
        return True

    def open(self) -> bool:
        """Whether orders are taken: by a thread that is there, or has been started now."""
        # That there is a thread is not enough: if it is not started after all, nobody looks into the tray.
        return self._started or self._start()

    def wake(self) -> None:
        """Have the thread look for orders, once they are there."""
        if self._asleep:
            self._ring()

    def sleep(self, wait: Callable[[], T]) -> T | None:
        """In the thread: wait so that its waker ends that, unless there are orders; what the waiting gave."""
        self._asleep = True  # said before it looks for the last time
        try:
            return None if self.orders else wait()
        finally:
            self._asleep = False

    def nap(self, seconds: float) -> None:
        """In the thread: wait for orders, for so long at most, where its waker may be what does not work."""
        bell = SimpleQueue[bool]()
        ring, self._ring = self._ring, partial(bell.put, True)  # noqa: FBT003 - whatever it is, it wakes
        with suppress(Empty):
            self.sleep(partial(bell.get, timeout=seconds))
        self._ring = ring

    def _start(self) -> bool:
        with self._starting:
            if self.thread is None:
                try:
                    self._start_thread()
                except (OSError, RuntimeError) as error:
                    problem = "no thread could be started that hands calls to worker processes"
                    self.obstacle = f"{problem} ({error})"
                    return False
            self._started = True
        return True

    def _start_thread(self) -> None:
        # Whether there are descriptors for it is known here: a thread that found none would serve nobody.
        waker, turn = Waker(), SimpleQueue[bool]()
        turn.put(True)  # noqa: FBT003 - whatever it is, who takes it has the waker
        # Known before it starts: Ctrl-C meanwhile must not have a second one started beside it.
        thread = new_thread(partial(self._serve, waker, turn), "executor-processes")
        self._ring, self.thread = waker.ring, thread
        try:
            self.thread.start()
        except BaseException:
            if _taken(turn):  # else Ctrl-C came too late to stop it
                self._ring, self.thread = _ring_nobody, None
                waker.close()
            raise

    def _serve(self, waker: Waker, turn: SimpleQueue[bool]) -> None:
        if _taken(turn):
            self._work(waker)


def _ring_nobody() -> None:
    """There is no thread yet."""


def _taken(turn: SimpleQueue[bool]) -> bool:
    """Take a turn; False where another has."""
    try:
        return turn.get_nowait()
    except Empty:
        return False
