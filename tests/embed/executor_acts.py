"""What the executor's tests have called, also in worker processes, which import this quickly."""

import hashlib
import os
import signal
import threading
import time
from functools import wraps


def spin(rounds):
    """Compute under the GIL."""
    total = 0
    for number in range(rounds):
        total += number
    return total


def traced(fn):
    """Decorate as most do."""

    @wraps(fn)
    def around(*args):
        return fn(*args)

    return around


def where(rounds):
    """Compute, and say in which process."""
    spin(rounds)
    return os.getpid()


def act(what):
    """Compute, or do something terrible."""
    if what == "exit":
        os._exit(3)
    if what == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "raise":
        raise KeyError(what)
    if what == "odd":
        raise OddError
    if what == "lock":
        return threading.Lock()
    if what == "sealed":
        return SealedResult()
    return spin(60_000)


class SealedResult:
    """What can be pickled and not unpickled."""

    def __reduce__(self):
        return int, ("sealed",)


class OddError(Exception):
    """An exception that cannot be pickled."""

    def __init__(self):
        super().__init__("odd")
        self.lock = threading.Lock()


def digest(size):
    """Hash: compute outside the GIL."""
    return hashlib.sha256(bytes(size)).hexdigest()


def give_lock(number):
    """Give what cannot be pickled."""
    return threading.Lock() if number else number


def where_it_is(_given):
    """In which process it is called."""
    return os.getpid()


def nap(seconds):
    """Wait."""
    time.sleep(seconds)


def hold(begun, gate):
    """Say that it has begun, and wait until a file is there, for a minute at most."""
    begun.touch()
    until = time.monotonic() + 60
    while not gate.exists() and time.monotonic() < until:
        time.sleep(1e-3)
    return "made"


def large(_number):
    return bytearray(3 << 20)


def place_of(kind):
    """Compute or wait, and say in which process."""
    work(kind)
    return os.getpid()


def work(kind):
    """Compute or wait."""
    if kind == "compute":
        return spin(200_000)
    return threading.Event().wait(0.02)


class Held:
    """What a call gives that is made where this is read."""

    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call[0], self.call[1:]


def plain(rounds):
    """Compute."""
    return spin(rounds)


class Counter:
    """Counts its calls on itself."""

    def __init__(self):
        self.count = 0

    def step(self):
        """Count."""
        self.count += 1
        return spin(100_000)
