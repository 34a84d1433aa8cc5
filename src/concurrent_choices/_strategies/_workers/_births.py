"""Worker processes as forks of a process that has only our modules, a fork server: `_nursery` is that one.

An interpreter and our modules take 17 ms of CPU to come up, a fork 1 ms, and cores that several interpreters
share with the computing caller bring them up late (measured by hand, CPython 3.11 on two cores).
"""

from __future__ import annotations

import os
import struct
from _socket import AF_UNIX, SCM_RIGHTS, SOCK_SEQPACKET, SOL_SOCKET, socket, socketpair
from collections.abc import Iterable
from importlib.machinery import PathFinder
from pathlib import Path
from signal import SIGKILL

from ..._errors import WorkerStartError
from ._child import Child, pidfd, readable
from ._page import Page
from ._spawn import interpreter

__all__ = ["Nursed", "Nursery", "can_nurse"]

LEAVE = 0.2
"""Seconds that a nursery gets to end by itself (guessed: it takes one millisecond)."""


def can_nurse() -> bool:
    """Whether this system has what a nursery needs; where it has not, each worker is a fresh interpreter."""
    descriptor = pidfd(os.getpid())
    if descriptor is None:
        return False
    os.close(descriptor)
    return True


class Nursery:
    """Has worker processes forked, by a process that is started for the first of them."""

    def __init__(self) -> None:
        self._control: socket | None = None
        self._process: Child | None = None
        self._foreseen: dict[str, None] = {}
        self._told = 0

    @property
    def pid(self) -> int | None:
        """The number of its process, if it has one."""
        return self._process.pid if self._process else None

    def foresee(self, modules: Iterable[str]) -> None:
        """Have modules imported once, for all workers that are born from now on.

        Args:
            modules: Their names: cloudpickle, and the standard library's.
        """
        self._foreseen.update(dict.fromkeys(modules))

    def start(self, wire: socket, page: Page, lifeline: int) -> Nursed:
        """One more worker. It may not be born yet when this returns."""
        ending, theirs = os.pipe()
        try:
            self._ask([wire.fileno(), page.descriptor, lifeline, theirs])
        except BaseException:
            os.close(ending)
            raise
        finally:
            os.close(theirs)
        return Nursed(page, ending)

    def _ask(self, descriptors: list[int]) -> None:
        rights = (SOL_SOCKET, SCM_RIGHTS, struct.pack(f"{len(descriptors)}i", *descriptors))
        try:
            try:
                self._opened().sendmsg([b"+"], [rights])
            except ConnectionError:  # somebody has killed it
                self.close()
                self._opened().sendmsg([b"+"], [rights])
        except OSError as error:
            raise WorkerStartError(str(error)) from error

    def _opened(self) -> socket:
        """The wire to its process, which has been told what to import."""
        if self._control is None:
            ours, theirs = socketpair(AF_UNIX, SOCK_SEQPACKET)
            theirs.settimeout(None)  # whatever `socket.setdefaulttimeout` says
            ours.settimeout(None)
            try:
                self._process = interpreter("_nursery", [theirs.fileno()])
            except BaseException:
                ours.close()
                raise
            finally:
                theirs.close()
            self._control = ours
            self._told = 0
        modules = [*self._foreseen][self._told :]
        if modules:
            self._control.send(
                "\0".join((_folder_of("cloudpickle"), *modules)).encode(errors="surrogateescape")
            )
            self._told += len(modules)
        return self._control

    def kill(self) -> None:
        """End its process now; no more workers are born of it."""
        if self._process is not None:
            os.kill(self._process.pid, SIGKILL)

    def close(self) -> None:
        """End its process, the workers being ended."""
        control, process = self._control, self._process
        self._control = self._process = None
        if control is not None and process is not None:
            control.close()
            if process.wait(LEAVE) is None:
                os.kill(process.pid, SIGKILL)
                process.wait(LEAVE)
            process.release()

    def forget(self) -> None:
        """In a fork of the caller: let go of somebody else's nursery."""
        control, process = self._control, self._process
        self._control = self._process = None
        if control is not None and process is not None:
            control.close()
            process.release()


class Nursed:
    """A worker process that a nursery has borne, or will.

    Args:
        page: Where the process writes its number.
        ending: A descriptor where the nursery writes how it ended; closed unwritten if the nursery is gone.
    """

    def __init__(self, page: Page, ending: int) -> None:
        self.sentinel: int | None = ending
        self._page = page
        self._pid = 0
        self._told: bytes | None = None

    @property
    def pid(self) -> int:
        """Its number; 0 until it is born."""
        self._pid = self._pid or self._page.pid
        return self._pid

    @property
    def ended(self) -> bool:
        """Whether it has ended, so that its number may be given to another."""
        return self.wait(0) is not None

    def wait(self, timeout: float) -> int | None:
        """Its exit status, negative for a signal; None if it still runs after so many seconds.

        Also None if nobody can tell: then the nursery is gone.
        """
        self.pid  # noqa: B018 - so that it is known when the page is closed
        if self._told is None and self.sentinel is not None and readable(self.sentinel, timeout):
            self._told = os.read(self.sentinel, 4)
        return int.from_bytes(self._told, "little", signed=True) if self._told else None

    def release(self) -> None:
        """Close what this process holds of it."""
        sentinel, self.sentinel = self.sentinel, None
        if sentinel is not None:
            os.close(sentinel)


def _folder_of(package: str) -> str:
    """Where it is found on the caller's path, which the nursery has not; empty where it is not."""
    found = PathFinder.find_spec(package)
    return "" if found is None or found.origin is None else str(Path(found.origin).parents[1])
