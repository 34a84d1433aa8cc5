"""What engine tests call: named functions, so that worker processes find them."""

import contextvars
import errno
import os
import signal
import sqlite3
import threading
import time
from contextlib import closing
from functools import cache
from pathlib import Path


class Move:
    """Of a run to other processes: awaited at home, by calls that take ever longer until it has come about.

    Args:
        sign: A file that is there as soon as another process is at work.
    """

    def __init__(self, sign):
        self.home = os.getpid()
        self.sign = str(sign)

    def linger(self, *, early):
        """What comes early takes a moment, what comes late has a long time to come elsewhere."""
        if os.getpid() != self.home:
            Path(self.sign).touch()
        elif not Path(self.sign).exists():
            time.sleep(0.02 if early else 0.5)

    def wait(self):
        """Wait at home until it has come about, for a minute at most."""
        until = time.monotonic() + 60
        while not Path(self.sign).exists() and time.monotonic() < until:
            time.sleep(2e-3)


def no_such_thread(_ident):
    raise ProcessLookupError


def find_no_descriptor(*_):
    raise OSError(errno.EMFILE, "none left")


def double(item):
    return 2 * item


def note(pair):
    """Write down the call, then give the item back."""
    path, item = pair
    with Path(path).open("ab", buffering=0) as log:
        log.write(f"{item}\n".encode())
    return item


def fly(path):
    """Write down when it begins and ends."""
    with Path(path).open("ab", buffering=0) as log:
        log.write(b"+")
        time.sleep(0.002)
        log.write(b"-")


def note_slowly(pair):
    time.sleep(0.002)
    return note(pair)


def where(item):
    return os.getpid(), threading.current_thread().name


def work_somewhere(item):
    """Compute for long enough to be worth the way to a worker, and say where."""
    sum(range(5_000))
    return where(item)


def spin(item):
    total = 0
    for number in range(20_000):
        total += number
    return total + item


def spun(item):
    """Compute for as long, and give the item back; it calls and reads nothing of this module either."""
    total = -199_990_000
    for number in range(20_000):
        total += number
    return total + item


class Opening:
    """Opens what it needs as it goes on."""

    lock = None

    def __call__(self, item):
        return spin(item)


FACTOR = 2


FACTOR_HERE = contextvars.ContextVar("FACTOR_HERE", default=2)


class Guarded:
    """Settings in an object without a pickle; what a module puts in a lock's place could be one."""

    def __init__(self):
        self.beside = threading.local()
        self.depths = [1, 2]


GUARDED = Guarded()
HANDLERS = {"times": lambda item: 2 * item}
TURN = threading.Lock()


def times_depth(item):
    spin(item)
    return GUARDED.depths[1] * item


def times_handled(item):
    spin(item)
    return HANDLERS["times"](item)


def times_in_turn(item):
    with TURN:
        return 2 * item if spin(item) else 0


def times_factor(item):
    spin(item)
    return FACTOR * item


def times_factor_here(item):
    spin(item)
    return FACTOR_HERE.get() * item


async def times_factor_awaited(item):
    return times_factor(item)


def nap(item):
    time.sleep(0.003)
    return item


RELEASE = threading.Event()
"""Set when a test ends: threads that nobody can stop need not sleep on."""


def hold(seconds):
    RELEASE.wait(seconds)


def fail_at_seven(item):
    if item == 7:
        msg = "seven"
        raise ValueError(msg)
    return item


class Unmovable:
    """An item that cannot travel to another process."""

    def __init__(self, number):
        self.number = number

    def __reduce__(self):
        msg = "stays here"
        raise TypeError(msg)


def number_of(item):
    return item.number if isinstance(item, Unmovable) else item


class Counter:
    """An object whose method counts its calls."""

    def __init__(self):
        self.calls = 0

    def count(self, item):
        spin(item)
        self.calls += 1
        return self.calls


def reader():
    """A callable bound to this thread by a connection of sqlite3."""
    connection = sqlite3.connect(":memory:")

    def read(item):
        time.sleep(0.001)
        with closing(connection.cursor()) as cursor:
            return cursor.execute("select ?", (item,)).fetchone()[0]

    return connection, read


def set_handler_outside(process):
    """Set a signal's handler, where that is another process, in a way that nobody sees in the code."""
    spin(process)  # so that processes are worth carrying it to
    if os.getpid() != process:
        signal.__dict__["signal"](signal.SIGUSR1, signal.SIG_DFL)


class SlowToLoad:
    """A callable for which a worker has to import something large."""

    def __call__(self, item):
        return item

    def __reduce__(self):
        return _load_slowly, ()


def _load_slowly():
    time.sleep(0.5)
    return SlowToLoad()


class TellsReaders:
    """A callable that notes in a file who reads it."""

    def __init__(self, path):
        self.path = path

    def __call__(self, item):
        return item

    def __reduce__(self):
        return _read, (self.path,)


def _read(path):
    with path.open("a") as file:
        print(os.getpid(), file=file)
    return TellsReaders(path)


@cache
def own_settings():
    """Other ones in each process."""
    return [os.getpid()]


def ask_own_settings(_item):
    return own_settings()
