"""The system's clocks, and what stands in where a system lacks one."""

from __future__ import annotations

import mmap
import os
import sys
import threading
import time

from .._facts._lean import TYPE_CHECKING
from .._platform._children import computed_by_older, computed_by_running
from .._platform._files import read
from .._platform._processors import allowed_cores
from .._platform._tasks import schedule_of, task_of

if sys.platform != "win32":
    import resource

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SystemClock"]

_NS = 1_000_000_000
_SCHEDSTAT = "/proc/thread-self/schedstat"
_UPTIME = "/proc/uptime"
_ENOUGH = 128  # bytes; three numbers of at most 20 digits


class SystemClock:
    """Reads this system's clocks.

    Costs of a reading (measured): wall 0.05 µs, CPU 0.6 µs, run queue 2 µs. None lets go of the GIL: whoever
    does, among threads that compute, waits a switch interval to get it back, and disturbs them. CPU
    times come from the scheduler's own account, not from ``getrusage``, whose CPU fields move in
    steps of 4 ms; of ``getrusage`` only the counters are used.
    """

    def __init__(self) -> None:
        self._made = time.monotonic()
        self._held = threading.local()
        self._reads_queue = "".join(read("", _SCHEDSTAT).split()[1:]).isdecimal()  # it has three numbers
        self._cores = os.cpu_count() or 1
        self._counts = hasattr(resource, "RUSAGE_THREAD") if sys.platform != "win32" else False
        self.wall = time.perf_counter_ns
        self.process_cpu = time.process_time_ns
        self.thread_cpu = time.thread_time_ns

    @property
    def missing(self) -> tuple[str, ...]:
        """The readings this system cannot give, each with the reason."""
        reasons: list[str] = []
        if not self._reads_queue:
            reasons.append("queued: this system has no /proc/thread-self/schedstat")
        if not self._counts:
            reasons.append(
                "blocking_calls, disk_blocks, fresh_memory: this system does not count them by thread"
            )
        if sys.platform == "win32":
            reasons.append("children: this system does not add up the CPU time of child processes")
        return tuple(reasons)

    def run_queue(self) -> int:
        """Time the calling thread was ready to run and had no core, ns; 0 where not known."""
        if not self._reads_queue:
            return 0
        file: _Schedstat | None = getattr(self._held, "file", None)
        # A fork keeps the descriptor, and it would go on telling of the parent's thread.
        if file is None or file.process != os.getpid():
            file = self._held.file = _Schedstat()
        return int(file.read().split()[1])

    def children_cpu(self) -> int:
        """CPU time of child processes that were waited for, ns; 0 where not known.

        Without workers of ours that were there before this clock was: no call that it times has started them.
        """
        if sys.platform == "win32":
            return 0
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return int((usage.ru_utime + usage.ru_stime - computed_by_older(self._made)) * _NS)

    def blocking_calls(self) -> int:
        """Voluntary context switches of the calling thread; 0 where not known."""
        if sys.platform == "win32" or not self._counts:
            return 0
        return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw

    def disk_blocks(self) -> int:
        """Blocks the calling thread moved to and from disks; 0 where not known."""
        if sys.platform == "win32" or not self._counts:
            return 0
        usage = resource.getrusage(resource.RUSAGE_THREAD)
        return usage.ru_inblock + usage.ru_oublock

    def fresh_memory(self) -> int:
        """Bytes of memory that the calling thread was the first to touch, by pages; 0 where not known."""
        if sys.platform == "win32" or not self._counts:
            return 0
        return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt * mmap.PAGESIZE

    def cores_busy(self) -> int:
        """Time that the machine's cores have computed, ns in steps of 10 ms; as if always where not known.

        Nobody knows where not all cores are this process's to use: the idle ones may be others.
        """
        idle = _idle() if allowed_cores() >= self._cores else 0
        return self._cores * self.wall() - idle

    def watch(self, thread: threading.Thread) -> tuple[int, int]:
        """CPU time and run-queue delay of another thread, ns, as of the last tick; zeros where not known."""
        return schedule_of(task_of(thread))

    def watch_children(self, thread: threading.Thread) -> int:
        """CPU time of child processes, ns; those of the thread that still run in steps of 10 ms, if known."""
        return self.children_cpu() + int(computed_by_running(task_of(thread)) * _NS)


class _Schedstat:
    """A thread's account by the scheduler: an open file that closes with the thread that opened it.

    If there is no descriptor to be had, it says zero for good: opened later, it would charge the call of that
    moment with all that the thread has queued since it began.
    """

    descriptor = -1  # before anything can strike: the end asks for it

    def __init__(self) -> None:
        self.process = os.getpid()
        self.read: Callable[[], bytes] = lambda: b"0 0 0"
        try:
            self.descriptor = os.open(_SCHEDSTAT, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return
        self.read = _holding(self.descriptor)

    def __del__(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)


def _holding(descriptor: int) -> Callable[[], bytes]:
    """A function that reads the beginning of a file and keeps the GIL, if that can be had."""
    try:
        import ctypes  # noqa: PLC0415 - 3 ms; worker processes need not read anything

        pread = ctypes.PyDLL(None).pread
    except (ImportError, AttributeError, OSError):
        return lambda: os.pread(descriptor, _ENOUGH, 0)
    pread.argtypes = ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long
    pread.restype = ctypes.c_ssize_t
    text = ctypes.create_string_buffer(_ENOUGH)
    place = ctypes.addressof(text)

    def read() -> bytes:
        count = pread(descriptor, place, _ENOUGH, 0)
        return text.raw[: max(0, count)]

    return read


def _idle() -> int:
    """Time that the machine's cores stood idle, all together, ns; 0 where not known."""
    try:
        return int(float(read("", _UPTIME).split()[1]) * _NS)
    except (ValueError, IndexError):
        return 0
