"""The event loop that coroutines are sampled on, and who may go on with it."""

from __future__ import annotations

import asyncio
import os
import weakref
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from .._runtime._new_thread import new_thread
from .._runtime._own_loops import end_loop, new_loop

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from contextvars import Context

    from .._facts._clock import Clock
    from .._runtime._hand import Hand

__all__ = ["KeptLoop", "SampleLoop"]

T = TypeVar("T")

FAREWELL = 0.4
"""Seconds to wait for a loop that nobody goes on with to end (guessed: what tasks that resist are given, and
a little more). Where calls are still under way on it, which may take for ever, there is no waiting."""


class SampleLoop:
    """A loop of asyncio's own, which starts with the first coroutine, and has its threads timed.

    Attributes:
        in_threads: Time that work of the coroutines has spent in the loop's threads, or queueing for one, ns.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._runner: asyncio.Runner | None = None
        self.in_threads = 0

    def run(self, work: Coroutine[Any, Any, T], context: Context) -> T:
        """Run a coroutine to its end."""
        if self._runner is None:
            runner = asyncio.Runner(loop_factory=new_loop)
            try:
                self._time_threads(runner.get_loop())
            except BaseException:  # there may be no descriptors for one
                work.close()  # or Python warns that it was never awaited
                raise
            self._runner = runner
        return self._runner.run(work, context=context)

    def take(self) -> asyncio.AbstractEventLoop:
        """The loop, for whoever goes on with it and closes it; its threads are no longer timed."""
        runner, self._runner = self._runner, None
        if runner is None:
            return new_loop()
        loop: Any = runner.get_loop()
        del loop.run_in_executor
        return runner.get_loop()

    def close(self) -> None:
        """End the loop, and what the coroutines left on it, unless it was taken."""
        if self._runner is not None:
            end_loop(self.take())

    def _time_threads(self, loop: asyncio.AbstractEventLoop) -> None:
        """Have a loop tell how long its threads are in use, by `to_thread` or for resolving names."""
        lend: Any = loop.run_in_executor

        def timed(executor: Any, func: Any, *args: Any) -> asyncio.Future[Any]:
            began = self._clock.wall()
            future: asyncio.Future[Any] = lend(executor, func, *args)
            if executor is None and future.done():  # the coroutine goes on at once, before any callback
                self._used(began)
            elif executor is None:
                future.add_done_callback(lambda _: self._used(began))
            return future

        loop.run_in_executor = timed  # type: ignore[method-assign,assignment] # the same with a look at the clock

    def _used(self, began: int) -> None:
        self.in_threads += self._clock.wall() - began


class KeptLoop:
    """A sampling's loop, kept for what serves no other. It ends with this object, unless it is taken before.

    Args:
        hand: Who has run it, and may still be at calls that did not come back in time.
    """

    def __init__(self, hand: Hand, loop: SampleLoop) -> None:
        self._hand = hand
        self._loop = loop
        weakref.finalize(self, _end_beside, hand, loop, os.getpid())

    def take(self) -> asyncio.AbstractEventLoop:
        """The loop, as soon as the calls that are under way on it are over."""
        self._hand.join()
        return self._loop.take()


def _end_beside(hand: Hand, loop: SampleLoop, process: int) -> None:
    """End a loop in a thread of its own: here another may be running, and locks may be held."""
    if process != os.getpid():
        return  # a fork shares the loop's epoll, from which it would take the parent's descriptors
    thread = new_thread(partial(_end, hand, loop), "concurrent_choices-farewell")
    try:
        thread.start()
    except RuntimeError:  # at the interpreter's end there are no more threads: nobody calls then
        loop.close()
    else:
        thread.join(FAREWELL if hand.ended(0.0) else 0.0)


def _end(hand: Hand, loop: SampleLoop) -> None:
    hand.join()
    loop.close()
