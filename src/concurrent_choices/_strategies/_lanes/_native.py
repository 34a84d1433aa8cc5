"""Serving a job inside an event loop that runs already, asyncio's or trio's, without blocking it.

An `async def` runs as tasks of that loop. Everything else runs in a thread beside it, which hands its
batches to the loop.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextvars import copy_context
from functools import partial

import anyio
import anyio.lowlevel

from ..._facts._batch import Batch
from ..._runtime._contexts import leave_loop
from ..._runtime._new_thread import new_thread, start
from ..._runtime._running_loop import on_trio
from ..._work._job import Job
from ._any_loop import PARTING, Background, Bell
from ._asyncio_host import AsyncioHost
from ._task_pool import TaskPool
from ._trio_host import TrioHost

__all__ = ["Start", "execute_beside", "execute_tasks", "start_beside", "start_here"]

MakeTasks = Callable[[Callable[[Batch], None]], TaskPool]
"""Makes a task pool, told where it puts batches."""

Execute = Callable[[Job], Iterator[Batch]]
"""Performs a job, as a strategy does."""


class _Mailbox:
    """Batches on their way to a coroutine."""

    def __init__(self) -> None:
        self._batches: deque[Batch] = deque()
        self._bell = Bell()
        self._rung = False
        self._closed = False
        self._awaited = False
        self.error: BaseException | None = None
        self.on_hunger: Callable[[], None] | None = None

    @property
    def hungry(self) -> bool:
        """Whether the coroutine waits for a batch, and there is none."""
        return self._awaited and not self._batches

    def put(self, batch: Batch) -> None:
        """Add a batch, in the loop's thread."""
        self._batches.append(batch)
        self._bell.ring()

    def send(self, batch: Batch) -> None:
        """Add a batch, from any thread."""
        self._batches.append(batch)
        if not self._rung:
            self._rung = True
            self._bell.ring_soon()

    def close(self, error: BaseException | None = None) -> None:
        """Say that no batch follows, from any thread."""
        self.error = error
        self._closed = True
        self._bell.ring_soon()

    def __aiter__(self) -> _Mailbox:
        return self

    async def __anext__(self) -> Batch:
        while True:
            closed = self._closed  # asked first: another thread may send its last batch, and close, any time
            if self._batches:
                return self._batches.popleft()
            if closed:
                raise StopAsyncIteration if self.error is None else self.error
            self._rung = False
            if not self._batches:
                await self._wait()

    async def _wait(self) -> None:
        self._awaited = True
        if self.on_hunger is not None:
            self.on_hunger()
        try:
            # On asyncio, anyio cancels nobody who is about to go on, as this may be at each turn of the loop.
            await anyio.lowlevel.checkpoint_if_cancelled()
            await self._bell.wait()
        finally:
            self._awaited = False


Start = Callable[[_Mailbox], Callable[[], Awaitable[None]]]
"""Starts a job, given where to put the batches; answers what waits for its end."""

Follow = Callable[[], Start | None]
"""Asked at each end of a job for what starts its rest; None where there is none."""


class _Session:
    """The batches of a job that runs in the background of the caller's loop.

    Not an async generator: a loop that ends finalizes each of those by itself, inner ones before the outer.
    """

    def __init__(self, job: Job, start: Start, follow: Follow | None = None) -> None:
        self._job = job
        self._start = start
        self._follow = follow
        self._mail: _Mailbox | None = None
        self._finish: Callable[[], Awaitable[None]] | None = None

    def __aiter__(self) -> _Session:
        return self

    async def __anext__(self) -> Batch:
        if self._mail is None:
            self._mail = self._begin(self._start)
        try:
            while True:
                try:
                    return await anext(self._mail)
                except StopAsyncIteration:
                    if self._follow is None or (start := self._follow()) is None:
                        raise
                    self._mail = self._begin(start)
        except StopAsyncIteration:
            raise  # nothing is closed before its caller has seen whether items are left
        except BaseException:
            await self.aclose()
            raise

    def _begin(self, start: Start) -> _Mailbox:
        mail = _Mailbox()
        self._finish = start(mail)
        return mail

    async def aclose(self) -> None:
        """End the job and wait for what runs, but not for long."""
        self._job.stop()
        finish, self._finish = self._finish, None
        if finish is not None:
            await finish()


def execute_tasks(
    job: Job, concurrency: int, make: MakeTasks, follow: Follow | None = None
) -> AsyncIterator[Batch]:
    """Serve an `async def` with `concurrency` tasks of the running loop, and the rest as `follow` says."""
    job.source.window.staffed(concurrency)
    return _Session(job, partial(start_here, job, make), follow)


def start_here(job: Job, make: MakeTasks, mail: _Mailbox) -> Callable[[], Awaitable[None]]:
    """Start a job's tasks on the running loop, as a `Start` does."""
    host = TrioHost() if on_trio() else AsyncioHost()
    tasks = make(mail.put)
    job.on_stop(host.wake_soon)
    job.source.on_change(host.wake_soon)

    async def serve() -> None:
        try:
            await tasks.serve(host)
        except BaseException as error:
            mail.close(error)
            raise
        mail.close()

    return Background(serve).finish


def execute_beside(job: Job, execute: Execute) -> AsyncIterator[Batch]:
    """Have a job performed in a thread of its own; its batches arrive in the loop."""
    return _Session(job, partial(start_beside, job, execute))


def start_beside(job: Job, execute: Execute, mail: _Mailbox) -> Callable[[], Awaitable[None]]:
    """Start a job in a thread of its own, as a `Start` does; its batches arrive in the loop."""
    ended = Bell()
    leave_loop(job.context)
    context, work = copy_context(), partial(_work, job, execute, mail, ended)
    start(new_thread(partial(context.run, work), "concurrent_choices-beside"))

    async def finish() -> None:
        with anyio.move_on_after(PARTING, shield=True):
            await ended.wait()

    return finish


class _Restraint:
    """Keeps a strategy beside the loop from working further ahead of the caller than the window allows.

    Where the caller itself iterates, it is the caller's pace that holds a strategy back.
    """

    def __init__(self, job: Job, mail: _Mailbox) -> None:
        self._job = job
        self._mail = mail
        self._news = threading.Event()
        mail.on_hunger = self._news.set
        job.source.on_change(self._news.set)
        job.on_stop(self._news.set)

    def wait(self) -> None:
        """Wait while the window is full and the caller has something to go on with."""
        while self._is_ahead():
            self._news.clear()
            if self._is_ahead():
                self._news.wait()

    def _is_ahead(self) -> bool:
        return self._job.source.full and not (self._job.stopped or self._mail.hungry)


def _work(job: Job, execute: Execute, mail: _Mailbox, ended: Bell) -> None:
    try:
        job.source.adopt()
        restraint = _Restraint(job, mail)
        for batch in execute(job):
            mail.send(batch)
            restraint.wait()
    except BaseException as error:  # noqa: BLE001 - raised to the caller in its own loop
        mail.close(error)
    else:
        mail.close()
    finally:
        ended.ring_soon()
