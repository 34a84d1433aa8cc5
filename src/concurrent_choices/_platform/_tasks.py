"""What the system calls the threads of this process, and their clocks."""

from __future__ import annotations

import os
import sys
import threading
import time

from ._files import read

__all__ = [
    "cpu_clock_of",
    "cpu_of_process",
    "cpu_of_task",
    "is_greenlet",
    "number_of",
    "schedule_of",
    "task_of",
]


def cpu_clock_of(ident: int) -> int | None:
    """The CPU clock of a thread, by its `ident`, for any thread to read; None where there is no such thing.

    It is exact even while the thread runs, unlike what `/proc` says.
    """
    if not hasattr(time, "pthread_getcpuclockid"):
        return None
    try:
        clock = time.pthread_getcpuclockid(ident)
        time.clock_gettime_ns(clock)
    except OSError:  # it is no thread but a greenlet, under gevent's patches, and its clock tells nothing
        return None
    return clock


def is_greenlet() -> bool:
    """Whether the caller's thread is none, as under the patches of gevent and eventlet."""
    return hasattr(time, "pthread_getcpuclockid") and cpu_clock_of(threading.get_ident()) is None


def number_of(thread: threading.Thread) -> int | None:
    """The number that the system has for a thread; None where nobody knows, as for eventlet's main thread."""
    return getattr(thread, "native_id", None)


def cpu_of_task(task: int | None) -> float | None:
    """CPU seconds of a thread, by the system's number for it; None where it has ended, or nobody can tell.

    Asked by its `ident` the C library would look into the memory of a thread that is gone.
    """
    return None if task is None else _cpu_of(task, 0b110)


def cpu_of_process(pid: int) -> float | None:
    """CPU seconds of a process, as exact; None where it is gone, or nobody can tell."""
    return _cpu_of(pid, 0b010)


def _cpu_of(number: int, kind: int) -> float | None:
    # As the C library makes the clock on Linux: the number; a bit for a thread, two for its time on a core.
    try:
        return time.clock_gettime(~number << 3 | kind) if sys.platform == "linux" else None
    except OSError:
        return None


def schedule_of(task: str) -> tuple[int, int]:
    """CPU time and run-queue delay of a thread, ns, by its folder in `/proc`; zeros where not known.

    A process's own folder tells of its first thread. The account of a running thread may lag by a tick of the
    scheduler, 4 ms or less.
    """
    try:
        cpu, queued, *_ = map(int, read(task, "schedstat").split())
    except ValueError:  # it has ended, or there is no such file here
        return 0, 0
    return cpu, queued


def task_of(thread: threading.Thread) -> str:
    """The folder that `/proc` keeps of a thread of this process while it runs.

    In a forked process the thread that forked, its main thread now, still bears the number it had in the
    process before (CPython 3.11 to 3.13); its folder bears the number of the new process.
    """
    folder = f"/proc/self/task/{number_of(thread)}"
    if thread is threading.main_thread() and not os.path.isdir(folder):  # noqa: PTH112 - a Path costs more than the looking
        return f"/proc/self/task/{os.getpid()}"
    return folder
