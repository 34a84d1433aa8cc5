"""One request: the steps of the coroutines that answer it, timed.

A coroutine is driven by its ``send``; between two sends the loop belongs to others. So the time inside
the sends is the time that a request holds the loop. Some requests are looked at more closely: how much of
that is computing, and what they wait for in between.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import nullcontext
from functools import cache, partial
from types import CellType, CodeType
from typing import Any, NamedTuple

from ..._measure._clock import SystemClock
from ..._measure._steps import Driven
from ..._runtime._suspended import awaited_by

__all__ = ["LoopThread", "Visit", "pool_limiter"]

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


class Visit:
    """What one request does on the loop, and for how long, in all tasks that it starts.

    Attributes:
        closely: Whether to find out how it computes and what it waits for.
        over: Whether it was answered: what its tasks do from then on does not count.
        held: Time it held the loop, ns.
        cpu: CPU time of its steps, ns, where looked at closely.
        idle: Time within its steps in which no thread of this process computed or waited for a core, ns,
            where looked at closely: then it was the step that waited, rather than for the GIL.
        queued: Time it waited for a thread of the pool, ns, where looked at closely.
        pooled: Time a thread of the pool worked for it, ns, where looked at closely.
        returned: Whether the application came to its end, rather than to an error.
        lines: Where it was seen to hold the loop, how often.
    """

    __slots__ = (
        "_loop",
        "closely",
        "cpu",
        "held",
        "idle",
        "lines",
        "over",
        "pooled",
        "queued",
        "returned",
        "thread",
    )

    def __init__(self, thread: LoopThread, *, closely: bool) -> None:
        self.thread = thread
        self.closely = closely
        self.over = self.returned = False
        self.held = self.cpu = self.idle = self.queued = self.pooled = 0
        self.lines: dict[tuple[str, str], int] | None = None
        self._loop = asyncio._get_running_loop()  # noqa: SLF001 - the public function raises where another library's runs

    def timed(self, coroutine: Coroutine[Any, Any, Any]) -> Coroutine[Any, Any, Any]:
        """A coroutine that does the same, and whose steps count."""
        return Driven(coroutine, _Resuming(self, coroutine))

    def step(self, advance: Callable[..., Any], *given: Any) -> Any:
        """Do one step of a coroutine that belongs to the request."""
        thread = self.thread
        if thread.since:  # where tasks begin eagerly, it is part of another step
            return advance(*given)
        before = _read() if self.closely else None
        thread.visit = self
        with nullcontext() if self._loop is None else _Following(self, self._loop):
            began = thread.since = time.perf_counter_ns()
            try:
                return advance(*given)
            finally:
                held = time.perf_counter_ns() - began
                thread.since = 0
                self._count(held, before)

    def _count(self, held: int, before: tuple[int, int, int] | None) -> None:
        self.held += held
        if before is not None:
            cpu, process, starved = (now - then for now, then in zip(_read(), before, strict=True))
            self.cpu += cpu
            self.idle += max(0, held - max(cpu, process) - starved)

    def seen_at(self, place: tuple[str, str]) -> None:
        """It was seen to hold the loop at a line."""
        if self.lines is None:
            self.lines = {}
        self.lines[place] = self.lines.get(place, 0) + 1


class _Resuming:
    """Takes the steps of a coroutine, which count for a request, and tells what it waits for in between."""

    def __init__(self, visit: Visit, coroutine: Coroutine[Any, Any, Any]) -> None:
        self._visit = visit
        self._coroutine = coroutine
        self._waits = ""
        self._since = 0

    def __call__(self, advance: Callable[..., Any], *given: Any) -> Any:
        visit = self._visit
        if visit.over or not given:  # to be closed is no step: whoever lets go of it may do so anywhere
            return advance(*given)
        if self._waits == "queue":
            visit.queued += time.perf_counter_ns() - self._since
        elif self._waits:
            visit.pooled += time.perf_counter_ns() - self._since
        yielded = visit.step(advance, *given)
        if visit.closely:
            self._waits, self._since = _waits_for(self._coroutine), time.perf_counter_ns()
        return yielded


class _Following:
    """While a request's step runs, tasks that are started on the loop are the request's.

    As a loop's task factory it has the application's own make them.
    """

    def __init__(self, visit: Visit, loop: asyncio.AbstractEventLoop) -> None:
        self._visit = visit
        self._loop = loop
        self._usual = loop.get_task_factory()

    def __enter__(self) -> None:
        self._loop.set_task_factory(self)

    def __exit__(self, *_: object) -> None:
        if self._loop.get_task_factory() is self:  # else the step has set another
            self._loop.set_task_factory(self._usual)

    # By its code anyio tells a factory whose tasks begin eagerly, which its task groups cannot use: they have
    # tasks made by what that holds. Without either they would fail, as soon as a task is started.

    @property
    def __code__(self) -> Any:
        return getattr(self._usual, "__code__", None)

    @property
    def __closure__(self) -> tuple[CellType, ...]:
        held = getattr(self._usual, "__closure__", None) or ()
        return tuple(CellType(partial(self._made_by, cell.cell_contents)) for cell in held)

    def _made_by(self, make: Callable[..., Any], coroutine: Any, **options: Any) -> Any:
        return make(self._visit.timed(coroutine), **options)

    def __call__(self, loop: asyncio.AbstractEventLoop, coroutine: Any, /, **options: Any) -> Any:
        if asyncio.iscoroutine(coroutine):  # else whoever makes tasks says that it is none
            coroutine = self._visit.timed(coroutine)
        if self._usual is None:
            return asyncio.Task(coroutine, loop=loop, **options)
        return self._usual(loop, coroutine, **options)


_clock = SystemClock()
_EVENT_WAIT = asyncio.Event.wait.__code__


def _read() -> tuple[int, int, int]:
    """CPU time of this thread and of the process, and this thread's wait for a core, ns."""
    return time.thread_time_ns(), time.process_time_ns(), _clock.run_queue()


def _waits_for(coroutine: Any) -> str:
    """What a suspended coroutine waits for: "queue" for a thread of the pool, "pool" for its work, or ""."""
    pool, waits, limiter = _pool_code(), "", None
    for _ in range(DEEPEST):
        coroutine = awaited_by(coroutine)
        code = getattr(coroutine, "cr_code", None)
        if coroutine is None:
            break
        # Not only for its turn on the loop, as a limiter does too.
        if code is _EVENT_WAIT and limiter is not None:
            return "queue" if limiter is pool_limiter() else ""
        if code in pool.acquiring:
            waits, limiter = "", coroutine.cr_frame.f_locals.get("self")
        elif code in pool.working:
            waits = "pool"
    return waits


def pool_limiter() -> Any:
    """What limits anyio's threads, which are those that Starlette and FastAPI use; None where unknown.

    Anyio has one for each event loop, and finds no loop in a step that no task takes.
    """
    # Another thread may have only begun to import it.
    limiter: Any = getattr(sys.modules.get("anyio.to_thread"), "current_default_thread_limiter", None)
    try:
        return None if limiter is None else limiter()
    except (LookupError, RuntimeError):
        return None


class _PoolCode(NamedTuple):
    """Anyio's code that acquires what a limiter limits, and that works in a thread; nothing where unknown."""

    acquiring: frozenset[CodeType] = frozenset()
    working: frozenset[CodeType] = frozenset()


@cache
def _pool_code() -> _PoolCode:
    try:
        from anyio._backends import _asyncio as backend  # noqa: PLC0415 - no public name leads to this code
    except ImportError:
        return _PoolCode()
    return _PoolCode(
        _code_of(backend, "CapacityLimiter", "acquire_on_behalf_of"),
        _code_of(backend, "AsyncIOBackend", "run_sync_in_worker_thread"),
    )


def _code_of(backend: Any, owner: str, name: str) -> frozenset[CodeType]:
    code = getattr(getattr(getattr(backend, owner, None), name, None), "__code__", None)
    return frozenset(() if code is None else (code,))
