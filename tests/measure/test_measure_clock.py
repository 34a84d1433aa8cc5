import mmap
import os
import sys
import threading
import time

import pytest

from concurrent_choices._facts._clock import Clock
from concurrent_choices._measure import _clock
from concurrent_choices._measure._clock import SystemClock
from descriptors import no_descriptors

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's /proc")


def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_it_is_a_clock():
    """It has every reading that measuring asks for, and each only grows."""
    clock: Clock = SystemClock()
    names = [name for name in vars(Clock) if not name.startswith("_") and name != "missing"]
    watching = {
        "watch": lambda: sum(clock.watch(threading.main_thread())),
        "watch_children": lambda: clock.watch_children(threading.main_thread()),
    }
    readings = {name: watching.get(name) or getattr(clock, name) for name in names}
    before = {name: read() for name, read in readings.items()}
    spin(0.005)

    assert all(read() >= before[name] for name, read in readings.items())


def test_wall_and_cpu_tell_waiting_from_computing():
    """CPU time stands still while the thread sleeps."""
    clock = SystemClock()
    wall, cpu = clock.wall(), clock.thread_cpu()
    time.sleep(0.02)
    assert clock.wall() - wall >= 20_000_000
    assert clock.thread_cpu() - cpu < 10_000_000

    cpu, process = clock.thread_cpu(), clock.process_cpu()
    spin(0.005)
    assert clock.thread_cpu() - cpu >= 5_000_000
    assert clock.process_cpu() - process >= 4_000_000


@linux
def test_each_thread_reads_its_own_queue():
    """The account of the calling thread is read, whichever thread made the clock."""
    clock, readings = SystemClock(), []
    mine = clock.run_queue()

    def other():
        readings.append(clock.run_queue())

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()

    assert clock.run_queue() >= mine
    assert len(readings) == 1
    assert clock.missing == ()


@linux
def test_a_fork_reads_its_own_queue():
    """A descriptor that came along with a fork is not read on."""
    clock = SystemClock()
    clock.run_queue()
    file = clock._held.file
    file.process = -1  # as if opened by another process
    clock.run_queue()

    assert clock._held.file is not file
    assert clock._held.file.process == os.getpid()


@linux
def test_no_descriptor_is_left_open():
    """A thread's descriptor closes with the thread."""
    clock, numbers = SystemClock(), []

    def other():
        clock.run_queue()
        numbers.append(clock._held.file.descriptor)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()

    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(numbers[0])


@linux
def test_a_thread_without_a_descriptor_for_it():
    """Nothing is told of its queue for good: later it would seem to have queued for all its life at once."""
    clock = SystemClock()
    with no_descriptors():
        assert clock.run_queue() == 0
    assert clock.run_queue() == 0


@pytest.mark.parametrize("text", [None, b"", b"nonsense nonsense"])
def test_without_schedstat(tmp_path, monkeypatch, text):
    """Where the run queue cannot be read it is 0, and the clock says so."""
    path = tmp_path / "schedstat"
    if text is not None:
        path.write_bytes(text)
    monkeypatch.setattr(_clock, "_SCHEDSTAT", str(path))
    clock = SystemClock()

    assert clock.run_queue() == 0
    assert clock.missing == ("queued: this system has no /proc/thread-self/schedstat",)


def cores_busy_with(tmp_path, monkeypatch, text, usable):
    (tmp_path / "uptime").write_text(text)
    monkeypatch.setattr(_clock, "_UPTIME", str(tmp_path / "uptime"))
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(usable)), raising=False)
    clock = SystemClock()
    clock.wall = lambda: 10_000_000_000
    return clock.cores_busy() / 1e9


@pytest.mark.parametrize(
    ("text", "usable", "busy"),
    [
        ("99.00 12.25\n", 4, 27.75),
        ("99.00 12.25\n", 3, 40.0),  # the idle ones may be those that it may not use
        ("strange\n", 4, 40.0),
    ],
)
def test_what_cores_computed(tmp_path, monkeypatch, text, usable, busy):
    """All the time that they did not stand idle; all of it where nobody tells."""
    assert cores_busy_with(tmp_path, monkeypatch, text, usable) == busy


def test_without_counters_by_thread(monkeypatch):
    """Where threads are not counted apart, counts are 0, and the clock says so."""
    monkeypatch.delattr("resource.RUSAGE_THREAD")
    clock = SystemClock()

    assert clock.blocking_calls() == clock.disk_blocks() == clock.fresh_memory() == 0
    assert (
        "blocking_calls, disk_blocks, fresh_memory: this system does not count them by thread"
        in clock.missing
    )


def test_waits_are_counted():
    """A thread that goes to sleep is seen to do so."""
    clock = SystemClock()
    before = clock.blocking_calls()
    for _ in range(3):
        time.sleep(1e-4)

    assert clock.blocking_calls() - before >= 3 or "blocking_calls" in str(clock.missing)


def test_watching_another_thread():
    """The CPU time of a thread that computes is seen from outside; that of none is 0."""
    clock, stop = SystemClock(), threading.Event()

    def busy():
        while not stop.is_set():
            sum(range(1000))

    thread = threading.Thread(target=busy)
    assert clock.watch(thread) == (0, 0)
    thread.start()
    try:
        before, _ = clock.watch(thread)
        while clock.watch(thread)[0] == before and sys.platform == "linux":
            time.sleep(1e-3)  # others may have all cores for a while
    finally:
        stop.set()
        thread.join()


@linux
def test_the_queue_is_read_where_the_gil_cannot_be_kept(monkeypatch):
    """A Python without ctypes reads the same account."""
    monkeypatch.setitem(sys.modules, "ctypes", None)

    assert SystemClock().run_queue() >= 0


def test_fresh_memory_is_counted():
    """A thread that touches memory which the process gets anew is seen to do so."""
    clock = SystemClock()
    before = clock.fresh_memory()
    with mmap.mmap(-1, 2**20) as memory:
        memory.write(bytes(2**20))

    assert clock.fresh_memory() - before >= 2**20 or "fresh_memory" in str(clock.missing)
