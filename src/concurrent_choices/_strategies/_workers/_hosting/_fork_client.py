"""Worker processes as forks of a process that has only our modules: `_fork_server` is that one's end.

An interpreter and our modules take 17 ms of CPU to come up, a fork 1 ms, and cores that several interpreters
share with the computing caller bring them up late (measured by hand, CPython 3.11 on two cores).
"""

from __future__ import annotations

import os
import struct
import sys
from _socket import SCM_RIGHTS, SOCK_SEQPACKET, SOL_SOCKET, socket
from collections.abc import Iterable
from importlib.machinery import PathFinder
from signal import SIGKILL

from ...._errors import WorkerStartError
from ...._runtime._interrupted import raise_handlers
from ...._transfer._imports import is_shared_package
from .._between._page import Page
from .._between._wire import UNFORKED, socket_pair
from ._child import Child, pidfd, readable
from ._spawn import interpreter

__all__ = ["ForkServer", "Forked", "can_serve_forks"]

LEAVE = 0.2
"""Seconds that a fork server gets to end by itself (guessed: it takes one millisecond)."""


def can_serve_forks() -> bool:
    """Whether this system has what a fork server needs; where not, each worker is a fresh interpreter."""
    descriptor = pidfd(os.getpid())
    if descriptor is None:
        return False
    os.close(descriptor)
    return True


class ForkServer:
    """Has worker processes forked, by a process that comes up for the first of them."""

    def __init__(self) -> None:
        self._control: socket | None = None
        self._process: Child | None = None
        self._modules: dict[str, None] = {}
        self._told = 0

    @property
    def pid(self) -> int | None:
        """The number of its process, if it has one."""
        return self._process.pid if self._process else None

    def preload(self, modules: Iterable[str]) -> None:
        """Have modules imported once, for all workers that are forked from now on.

        They are the standard library's, our own, and installed packages that may be shared.
        """
        self._modules.update(dict.fromkeys(modules))

    def start(self, wire: socket, page: Page, lifeline: int) -> Forked:
        """One more worker. It may not be there yet when this returns."""
        ending, theirs = os.pipe()
        try:
            self._ask([wire.fileno(), page.descriptor, lifeline, theirs])
        except BaseException:
            os.close(ending)
            raise
        finally:
            os.close(theirs)
        return Forked(page, ending)

    def _ask(self, descriptors: list[int]) -> None:
        rights = (SOL_SOCKET, SCM_RIGHTS, struct.pack(f"{len(descriptors)}i", *descriptors))
        try:
            try:
                self._ready().sendmsg([b"+"], [rights])
            except ConnectionError:  # somebody has killed it
                self.close()
                self._ready().sendmsg([b"+"], [rights])
        except OSError as error:
            raise_handlers(error)  # a time limit may well be a TimeoutError
            raise WorkerStartError(str(error)) from error

    def _ready(self) -> socket:
        """The wire to its process, which has been told what to import."""
        if self._control is None:
            self._control = self._open()
            self._told = 0
        modules = [*self._modules][self._told :]
        if modules:
            _tell(self._control, modules)
            self._told += len(modules)
        return self._control

    def _open(self) -> socket:
        """Start its process; this end of the wire."""
        ours, theirs = socket_pair(SOCK_SEQPACKET)
        try:
            self._process = interpreter("_fork_server", [theirs.fileno()])
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        return ours

    def kill(self) -> None:
        """End its process now; no more workers come of it."""
        if self._process is not None and not self._process.ended:
            os.kill(self._process.pid, SIGKILL)

    def close(self) -> None:
        """End its process, the workers being ended."""
        process = self._hang_up()
        if process is not None:
            if process.wait(LEAVE) is None:
                os.kill(process.pid, SIGKILL)
                process.wait(LEAVE)
            process.release()

    def forget(self) -> None:
        """In a fork of the caller: let go of somebody else's fork server."""
        process = self._hang_up()
        if process is not None:
            process.release()

    def _hang_up(self) -> Child | None:
        """Close the wire to its process; the process, if it had one."""
        control, process = self._control, self._process
        self._control = self._process = None
        if control is not None:
            control.close()
        return process


class Forked:
    """A worker process that a fork server has forked, or will; it may outlive that one.

    How it ended, the fork server writes to `ending`, which is closed unwritten if that one is gone.

    Attributes:
        refusal: Why the system did not let it be forked, as far as is known; else empty.
    """

    def __init__(self, page: Page, ending: int) -> None:
        self.refusal = ""
        self.sentinel: int | None = ending
        self._page = page
        self._told: bytes | None = None

    @property
    def pid(self) -> int:
        """Its number; 0 until it is there."""
        return self._page.pid

    @property
    def ended(self) -> bool:
        """Whether it has ended, so that its number may be given to another; or was never forked."""
        told = self.wait(0) is not None
        return told or (self.sentinel is not None and readable(self.sentinel, 0))

    def wait(self, timeout: float) -> int | None:
        """Its exit status, negative for a signal; None if it still runs after so many seconds.

        Also None if nobody can tell, since the fork server is gone; and if it was not forked.
        """
        if self._told is None and self.sentinel is not None and readable(self.sentinel, timeout):
            self._told = os.read(self.sentinel, 4)
            if not self._told:
                self._watch_itself(self.sentinel)
        if self._told:
            code = int.from_bytes(self._told, "little", signed=True)
            self.refusal = os.strerror(code - UNFORKED) if code >= UNFORKED else ""
            return None if self.refusal else code
        if self._told is not None and self.sentinel is not None:
            readable(self.sentinel, timeout)
        return None

    def _watch_itself(self, sentinel: int) -> None:
        """Have the sentinel, to which somebody may listen, stand for the process, not its fork server."""
        end = pidfd(self.pid)
        if end is not None:
            os.dup2(end, sentinel, inheritable=False)
            os.close(end)

    def release(self) -> None:
        """Close what this process holds of it."""
        sentinel, self.sentinel = self.sentinel, None
        if sentinel is not None:
            os.close(sentinel)


def _tell(control: socket, modules: list[str]) -> None:
    """Name modules to import, those of installed packages with their package's file."""
    named = [f"{name}={_file_of(name)}" if is_shared_package(name) else name for name in modules]
    control.send("\0".join(named).encode(errors="surrogateescape"))


def _file_of(name: str) -> str:
    """The file of a module's package, as the caller has it or would import it; empty where there is none."""
    package = name.partition(".")[0]
    imported = sys.modules.get(package)
    spec = PathFinder.find_spec(package) if imported is None else getattr(imported, "__spec__", None)
    return (spec and spec.origin) or ""
