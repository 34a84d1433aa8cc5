"""The worker processes of one strategy, seen from the caller's process."""

from __future__ import annotations

import os
import signal
import threading
import weakref
from _socket import MSG_DONTWAIT
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from contextvars import Context
from typing import Any

from ...._errors import ClosedStrategyError, WorkerStartError
from ...._runtime._forks import tell_in_forks
from ...._transfer._imports import preloadable
from ...._transfer._pickling import dump
from .._between._loading import Loading
from .._between._page import Page
from .._between._surroundings import RECORDS, surroundings
from .._between._wire import Kind, Link, Message, socket_pair
from . import _spawn
from ._child import Child, readable
from ._fork_client import Forked, ForkServer, can_serve_forks
from ._logged import hand_on
from ._setup_frames import setup_frames

__all__ = ["ENDLESS", "PARTING", "Host", "Starts", "Worker", "unfit_reason"]

FALSE_STARTS = 3
"""Times in a row that workers may end before they are ready (guessed: they may be killed by chance)."""

PARTING = 0.2
"""Seconds a worker gets to end by itself (Ctrl-C must be back within half a second)."""

ENDLESS = (
    "a worker imports a module that starts workers as it is imported; put that into a function, or under "
    'if __name__ == "__main__":'
)


_LIMITS = (
    "`ulimit -u` and, in a container, its limits of pids and of memory say how many processes there may be; "
    'strategy="thread" needs none'
)


def unfit_reason(told: str) -> str:
    """Why a worker cannot load a job; where it would start workers itself, that is said already."""
    return told.removeprefix(f"{WorkerStartError.__name__}: {WorkerStartError('')}")


class Worker:
    """One worker process.

    Attributes:
        link: This end of the wire to it.
        page: The memory that it shares with this process.
        ready: Whether it has said that it is up.
    """

    def __init__(self, start: Callable[..., Child | Forked], hello: list[Any]) -> None:
        with ExitStack() as theirs, ExitStack() as ours:  # what is ours is closed where no process comes up
            here, there = socket_pair()
            ours.callback(here.close)
            theirs.callback(there.close)
            lifeline, self._alive = os.pipe()  # the worker reads it, and so hears that ours is closed
            ours.callback(self._cut)
            theirs.callback(os.close, lifeline)
            self.page = Page.new()
            ours.callback(self.page.close)
            self.link = Link(here)
            _workers.add(self)  # before it starts: it may be a fork itself
            self.process = start(there, self.page, lifeline)
            ours.pop_all()
        self.ready = False
        self._last: int | None = None
        self._told = hello[:1]
        self.link.queue(Kind.HELLO, 0, 0, hello)
        with suppress(ConnectionError):  # it has ended, or could not be forked: seen by who listens to it
            self.link.flush(MSG_DONTWAIT)

    def take_job(self, number: int, frames: list[Any], surroundings: list[Any], kind: int = Kind.JOB) -> None:
        """Line up a job for it, and before that what has changed around its caller."""
        if surroundings != self._told:
            self._told = surroundings
            self.link.queue(Kind.HELLO, 0, 0, surroundings)
        self.link.queue(kind, number, 0, frames)

    def hear(self, context: Callable[[], Context], *, dead: bool = False) -> Iterator[Message]:
        """What it has to say; what was logged there is handled at once, in the context of that time.

        Of one that is `dead` it is all that there still is, and then the end.

        Raises:
            EOFError: It is gone.
        """
        while not dead or readable(self.link.fileno(), 0):
            for message in self.link.receive():
                if message.kind == Kind.LOGGED:
                    hand_on(message, context())
                else:
                    if message.kind == Kind.READY:
                        self.ready = not message.text
                    yield message
            if not dead:
                return
        raise EOFError

    @property
    def pid(self) -> int:
        """Its process number; 0 until it is there."""
        return self.process.pid

    @property
    def sentinel(self) -> int | None:
        """A descriptor that becomes readable when it ends, where there is one."""
        return self.process.sentinel

    @property
    def started(self) -> int:
        """Items of its present job that it has started; or had, when it was condemned."""
        return self.page.started if self._last is None else self._last

    def condemn(self, job: int, still: Callable[[int], bool]) -> bool:
        """Whether to kill it for what it is at, so that nothing else of a job dies with it.

        It is told first to begin nothing more, and then looked at again: whether that is `still` so, given
        how many it has started. What it marks as started after that, it does not perform.
        """
        before, self.page.cancelled = self.page.cancelled, job
        started = self.page.started
        if still(started):
            self._last = started
            return True
        self.page.cancelled = before
        return False

    def kill(self) -> None:
        """End it and whatever processes it started, now."""
        if not self.pid:
            self._cut()  # it ends as soon as it is there
            return
        if self.process.ended:
            return  # its number may be somebody else's by now
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def close(self) -> int | None:
        """Wait for its end, and let go of all that belongs to it; its exit status."""
        code = self.process.wait(PARTING)
        if code is None:
            self.kill()
            code = self.process.wait(PARTING)
        self.release()
        return code

    def release(self) -> None:
        """Close what this process holds of it."""
        self.hang_up()
        self.process.release()
        self.page.close()

    def hang_up(self) -> None:
        """Close this process's ends of its wire and lifeline; in forks too, which would keep them open."""
        self.link.close()
        self._cut()

    def _cut(self) -> None:
        """Close this end of its lifeline."""
        alive, self._alive = self._alive, -1
        if alive != -1:
            os.close(alive)


class Host:
    """Starts, replaces and ends the workers of one strategy, which has that name.

    Attributes:
        workers: Those that there are.
        jobs: How many jobs they have had: the number of the last.
        parted: Whether they have left that after an exception ended it, and can have another.
        closed: Whether no more are hired.
        claimed: Held by whoever has the workers for a job.
    """

    def __init__(
        self,
        name: str,
        start_method: str = "fresh",
        initializer: Callable[..., object] | None = None,
        initargs: tuple[Any, ...] = (),
    ) -> None:
        self.name = name
        self.fork_server = ForkServer() if start_method == "fresh" and can_serve_forks() else None
        if self.fork_server is not None:
            self._start: Callable[..., Child | Forked] = self.fork_server.start
        else:
            self._start = _spawn.fork if start_method == "fork" else _spawn.fresh
        self._initializer = [] if initializer is None else setup_frames(initializer, initargs)
        self.workers: list[Worker] = []
        self.jobs = 0
        self.parted = False
        self.closed = False
        self.claimed = threading.Lock()

    def hire(self) -> Worker:
        """Start one more worker.

        Raises:
            ClosedStrategyError: `close` was called.
            WorkerStartError: No process can be started; or each would start workers in turn, for ever.
        """
        if Loading.now:
            raise WorkerStartError(ENDLESS)
        around = surroundings()
        if around["logging"] and self.fork_server is not None:
            self.fork_server.preload([RECORDS])
        _hosts.add(self)
        worker = Worker(self._start, [*dump(around), *self._initializer])
        self.workers.append(worker)
        if self.closed:  # by another thread meanwhile, which may not have seen this one
            self.close()
            raise ClosedStrategyError(self.name)
        return worker

    def begin(self) -> int:
        """A job begins; its number."""
        self.parted = False
        self.jobs += 1
        return self.jobs

    def preload(self, fn: object, needed: Iterable[str] = ()) -> None:
        """Have what a callable needs imported once, for all who are hired from now on.

        `needed` are modules of ours that are needed besides.
        """
        if self.fork_server is not None:
            self.fork_server.preload([*preloadable(fn), *needed])

    def dismiss(self, worker: Worker) -> int | None:
        """Kill one worker; its exit status."""
        worker.kill()
        self.workers.remove(worker)
        return worker.close()

    def dismiss_lost(self) -> None:
        """Let go of workers that were lost while nobody listened to them."""
        for worker in [worker for worker in self.workers if worker.process.ended]:
            self.dismiss(worker)

    def close(self) -> None:
        """End all workers, also busy ones: who has claimed them for a job closes once more after it."""
        self.closed = True
        workers = self.workers.copy()
        for worker in workers:
            worker.kill()
        if self.fork_server is not None and not all(worker.pid for worker in workers):
            self.fork_server.kill()  # rather than wait until they are there, to die
        if self.claimed.acquire(blocking=False):
            try:
                self._release()
            finally:
                self.claimed.release()

    def _release(self) -> None:
        """Let go of all that belongs to workers, to which nobody listens any more."""
        workers, self.workers = self.workers, []
        for worker in workers:
            worker.close()
        if self.fork_server is not None:
            self.fork_server.close()
        _hosts.discard(self)

    def forget(self) -> None:
        """In a fork of the caller: drop its ends of the wires, so that they close when the caller ends."""
        workers, self.workers = self.workers, []
        for worker in workers:
            with suppress(OSError, ValueError):
                worker.release()
        if self.fork_server is not None:
            self.fork_server.forget()
        _hosts.discard(self)


class Starts:
    """Workers of a host that come up, or end before they are ready."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._tried: list[Worker] = []
        self._failed = 0
        self._refusal = ""

    def succeed(self) -> None:
        """One is ready."""
        self._failed = 0

    def fail(self, worker: Worker) -> bool:
        """One has ended too soon; whether this was one time too many.

        Those that were hired by then are one try: whoever kills their fork server ends them all.
        """
        self._refusal = worker.process.refusal
        if worker not in self._tried:
            self._tried = [*self._host.workers]
            self._failed += 1
        return self._failed >= FALSE_STARTS

    def reason(self, code: int | None) -> str:
        """Why nobody goes on with that, the last one having ended with this exit status."""
        if self._refusal:
            return f"{self._failed} times in a row no worker could be forked: {self._refusal}; {_LIMITS}"
        end = "never forked, or its fork server killed" if code is None else f"with exit code {code}"
        return (
            f"{self._failed} times in a row workers ended before they were ready, the last {end}; "
            "what they wrote to standard error says why"
        )


_hosts: set[Host] = set()
"""Those that have started something. Held here, or the garbage collector might find their sockets together
with an abandoned stream, and close them first (so it was on CPython 3.14)."""

_workers: weakref.WeakSet[Worker] = weakref.WeakSet()

tell_in_forks(_workers, Worker.hang_up)
tell_in_forks(_hosts, Host.forget)
