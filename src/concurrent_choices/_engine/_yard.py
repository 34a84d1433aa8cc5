"""Worker processes that come up in the background, and whether a job may go to them at all."""

from __future__ import annotations

import select
import time
from contextlib import AbstractContextManager

from .._strategies._workers._host import Host
from .._strategies._workers._payload import dump, reason_of
from .._strategies._workers._staffing import Staffing
from .._strategies._workers._wire import Link
from .._work._job import Job
from .._work._state import State

__all__ = ["Yard"]


class Yard:
    """The processes of one run.

    Args:
        job: What they shall do.
        state: What the callable held before its first call.
    """

    def __init__(self, job: Job, state: State) -> None:
        self._job = job
        self._state = state
        self._lent: AbstractContextManager[Host] | None = None
        self._ordered_at = 0.0
        self.host: Host | None = None
        self.obstacle = ""
        self.witness = ""
        self.start_seconds = 0.0

    def order(self, workers: int) -> None:
        """Start workers, unless something keeps the callable here; takes milliseconds."""
        self._ordered_at = time.monotonic()
        self.obstacle = self.look()
        if self.obstacle or self._job.stopped:
            return
        try:
            self._lent = Staffing("auto", "fresh", None, ()).lend()
            host = self._lent.__enter__()
            while len(host.workers) < workers and not self._job.stopped:
                host.hire()
            self.host = host
        except OSError as error:
            self.obstacle = f"worker processes cannot be started here ({reason_of(error)})"

    def look(self) -> str:
        """Why the callable must stay in this process; empty where it may leave."""
        self.witness = self._state.changed()
        if self.witness:
            return f"calls change {self.witness}, which would be lost in another process"
        try:
            dump(self._job.fn)
        except Exception as error:  # noqa: BLE001 - picklers raise anything
            return f"the callable cannot travel to another process ({reason_of(error)})"
        return ""

    def ready(self) -> int:
        """How many workers are up."""
        if self.host is None:
            return 0
        up = [worker for worker in self.host.workers if worker.ready or _speaks(worker.link)]
        if up and not self.start_seconds:
            self.start_seconds = time.monotonic() - self._ordered_at
        return len(up)

    def cpu(self) -> float:
        """CPU seconds of all workers so far; 0 where nobody can tell."""
        if self.host is None:
            return 0.0
        return sum(_cpu_of(worker.pid) for worker in list(self.host.workers))

    def close(self, error: BaseException | None = None) -> None:
        """Let the workers rest, or end them if the run failed.

        Args:
            error: What it failed with.
        """
        lent, self._lent, self.host = self._lent, None, None
        if lent is not None:
            lent.__exit__(type(error) if error else None, error, None)


def _speaks(link: Link) -> bool:
    try:
        return bool(select.select([link], [], [], 0)[0])
    except (OSError, ValueError):  # it has been closed meanwhile
        return False


def _cpu_of(pid: int) -> float:
    """CPU seconds of a process: Linux makes the number of its clock from its own (clock_getcpuclockid)."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except (OSError, AttributeError):
        return 0.0
