"""One request: the steps of the coroutine that answers it, timed.

A coroutine is driven by its ``send``; between two sends the loop belongs to others. So the time inside
the sends is the time that a request holds the loop. Some requests are looked at more closely: how much of
that is computing, and what they wait for in between.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Generator
from functools import cache
from types import CodeType, coroutine
from typing import Any

from ..._measure._clock import SystemClock

__all__ = ["LoopThread", "Visit"]

DEEPEST = 40
"""Coroutines inside one another that are followed (guessed: a framework and its middleware)."""


class LoopThread:
    """What can be seen from outside of a thread that runs an event loop.

    Attributes:
        ident: Its number.
        visit: The request whose step runs, or ran last.
        since: When that step began, ns; 0 while none runs.
        active: Requests that are under way.
    """

    __slots__ = ("active", "ident", "since", "visit")

    def __init__(self, ident: int) -> None:
        self.ident = ident
        self.visit: Visit | None = None
        self.since = 0
        self.active = 0

    def task(self, loop: asyncio.AbstractEventLoop, coroutine: Any, /, **options: Any) -> asyncio.Task[Any]:
        """Make a task, as a loop's task factory; one that a request starts is timed as part of it."""
        if not self.since or self.visit is None:
            return asyncio.Task(coroutine, loop=loop, **options)
        task = asyncio.Task(_followed(self.visit, coroutine), loop=loop, **options)
        task.add_done_callback(
            lambda _: coroutine.close()
        )  # cancelled before it began, nobody has awaited it
        return task


async def _followed(visit: Visit, coroutine: Coroutine[Any, Any, Any]) -> Any:
    return await visit.drive(coroutine)


class Visit:
    """What one request does on the loop, and for how long.

    Args:
        thread: Where it runs.
        scope: The request's ASGI scope.
        closely: Whether to find out how it computes and what it waits for.

    Attributes:
        held: Time it held the loop, ns.
        longest: The longest step, ns.
        cpu: CPU time of its steps, ns, where looked at closely.
        idle: Time within its steps in which no thread of this process computed or waited for a core, ns,
            where looked at closely: then it was the step that waited, rather than for the GIL.
        queued: Time it waited for a thread of the pool, ns, where looked at closely.
        pooled: Time a thread of the pool worked for it, ns, where looked at closely.
        lines: Where it was seen to hold the loop, how often.
    """

    __slots__ = (
        "closely",
        "cpu",
        "held",
        "idle",
        "lines",
        "longest",
        "pooled",
        "queued",
        "scope",
        "thread",
    )

    def __init__(self, thread: LoopThread, scope: Any, *, closely: bool) -> None:
        self.thread = thread
        self.scope = scope
        self.closely = closely
        self.held = self.longest = self.cpu = self.idle = self.queued = self.pooled = 0
        self.lines: dict[tuple[str, str], int] | None = None

    @coroutine
    def drive(self, coroutine: Coroutine[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Do what a coroutine does, and time its steps."""
        thread, wall = self.thread, time.perf_counter_ns
        advance: Any = coroutine.send
        sent: Any = None
        try:
            while True:
                before = _read() if self.closely else None
                thread.visit = self
                began = thread.since = wall()
                try:
                    yielded = advance(sent)
                except StopIteration as stop:
                    return stop.value
                finally:
                    ended = wall()
                    thread.since = 0
                    self._step(ended - began, before)
                waits = _waits_for(coroutine) if self.closely else ""
                try:
                    sent = yield yielded
                except BaseException as error:  # noqa: BLE001 - cancellation too belongs to the request
                    advance, sent = coroutine.throw, error
                else:
                    advance = coroutine.send
                if waits:
                    self._waited(waits, wall() - ended)
        finally:
            coroutine.close()

    def _step(self, held: int, before: tuple[int, int, int] | None) -> None:
        self.held += held
        self.longest = max(self.longest, held)
        if before is not None:
            cpu, process, starved = (now - then for now, then in zip(_read(), before, strict=True))
            self.cpu += cpu
            self.idle += max(0, held - max(cpu, process) - starved)

    def _waited(self, what: str, nanoseconds: int) -> None:
        if what == "queue":
            self.queued += nanoseconds
        else:
            self.pooled += nanoseconds

    def seen_at(self, place: tuple[str, str]) -> None:
        """It was seen to hold the loop at a line."""
        if self.lines is None:
            self.lines = {}
        self.lines[place] = self.lines.get(place, 0) + 1


_clock = SystemClock()
_EVENT_WAIT = asyncio.Event.wait.__code__


def _read() -> tuple[int, int, int]:
    """CPU time of this thread and of the process, and this thread's wait for a core, ns."""
    return time.thread_time_ns(), time.process_time_ns(), _clock.run_queue()


def _waits_for(coroutine: Any) -> str:
    """What a suspended coroutine waits for: "queue" for a thread of the pool, "pool" for its work, or ""."""
    codes = _pool_codes()
    for _ in range(DEEPEST):
        coroutine = _inner(coroutine)
        if coroutine is None:
            return ""
        code = getattr(coroutine, "cr_code", None)
        if code in codes:
            return "queue" if _queues(coroutine, codes) else codes[code]
    return ""


def _queues(coroutine: Any, codes: dict[CodeType, str]) -> bool:
    """Whether it waits for a thread, rather than for its turn on the loop, as a limiter does too."""
    acquires = False
    for _ in range(DEEPEST):
        if coroutine is None:
            return False
        code = getattr(coroutine, "cr_code", None)
        if code is _EVENT_WAIT:
            return acquires
        acquires = acquires or (code in codes and codes[code] == "")
        coroutine = _inner(coroutine)
    return False


def _inner(coroutine: Any) -> Any:
    for name in ("cr_await", "ag_await", "gi_yieldfrom"):
        inner = getattr(coroutine, name, None)
        if inner is not None:
            return inner
    return None


@cache
def _pool_codes() -> dict[CodeType, str]:
    """Anyio's code that acquires a thread of the pool, "", and that waits for its work, "pool"."""
    try:
        from anyio._backends import _asyncio as backend  # noqa: PLC0415 - no public name leads to this code
    except ImportError:
        return {}
    found: dict[CodeType, str] = {}
    limiter: Any = getattr(backend, "CapacityLimiter", None)
    runner: Any = getattr(backend, "AsyncIOBackend", None)
    for owner, name, kind in (
        (limiter, "acquire_on_behalf_of", ""),
        (runner, "run_sync_in_worker_thread", "pool"),
    ):
        code = getattr(getattr(owner, name, None), "__code__", None)
        if code is not None:
            found[code] = kind
    return found
