"""Starting worker processes: fresh interpreters, or forks where they were asked for."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from ..._errors import WorkerStartError
from ._page import Page
from ._wire import Link

__all__ = ["Process", "fork", "fresh", "surroundings"]

_ROOT = str(Path(__file__).parents[3])
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from concurrent_choices._strategies._workers._worker import main; main()"
)


class Process(Protocol):
    """A started process."""

    @property
    def pid(self) -> int:
        """Its number."""
        ...

    def wait(self, timeout: float) -> int | None:
        """Its exit status, negative for a signal, or None if it still runs after so many seconds."""
        ...

    def disown(self) -> None:
        """In a fork of the caller: it is somebody else's child."""
        ...


def fresh(wire: socket.socket, page: Page, lifeline: int) -> Process:
    """A fresh interpreter that runs our worker module and nothing of the caller's."""
    if not sys.executable:
        reason = "sys.executable is empty, so there is no interpreter to start"
        raise WorkerStartError(reason)
    descriptors = (wire.fileno(), page.descriptor, lifeline)
    command = [sys.executable, "-S", *_flags(), "-c", _BOOT, _ROOT, *map(str, descriptors)]
    try:
        child = subprocess.Popen(  # noqa: S603 - our own interpreter
            command, stdin=subprocess.DEVNULL, pass_fds=descriptors, process_group=0
        )
    except OSError as error:
        raise WorkerStartError(str(error)) from error
    return _Fresh(child)


def _flags() -> list[str]:
    """The caller's own interpreter options; multiprocessing passes on the same."""
    return subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined, no-any-return] # noqa: SLF001 - the only place that knows them all


class _Fresh:
    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self._child = child
        self.pid = child.pid

    def wait(self, timeout: float) -> int | None:
        try:
            return self._child.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def disown(self) -> None:
        self._child.returncode = 0  # or its end would be waited for, and warned of


def fork(wire: socket.socket, page: Page, lifeline: int) -> Process:
    """A copy of this process that serves at once."""
    pid = os.fork()
    if pid:
        return _Forked(pid)
    with suppress(BaseException):
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        from ._worker import serve  # noqa: PLC0415 - only in the child

        serve(Link(wire), page, lifeline)
    os._exit(1)


class _Forked:
    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def wait(self, timeout: float) -> int | None:
        until = time.monotonic() + timeout
        while self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > until:
                return None
            else:
                time.sleep(0.001)
        return self._code

    def disown(self) -> None:
        self._code = 0


def surroundings() -> dict[str, Any]:
    """What a worker must know to find the caller's modules."""
    return {
        "path": list(sys.path),
        "argv": list(sys.argv),
        "prefixes": (sys.prefix, sys.exec_prefix),
        # Finders that .pth files installed, as editable installs do, must be installed there too.
        "site": any(_from_site(finder) for finder in sys.meta_path),
    }


def _from_site(finder: object) -> bool:
    kind = finder if isinstance(finder, type) else type(finder)
    return "editable" in kind.__module__ or "editable" in kind.__qualname__.lower()
