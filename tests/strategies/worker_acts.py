"""What tests of workers have called there: named functions, in a module that workers import quickly."""

import csv
import os
import signal
import socket
import subprocess
import sys
import time
import warnings


def whereabouts(_item):
    """The worker's number and its parent's."""
    return os.getpid(), os.getppid()


def lose_parent(item):
    """End the fork server during the third item, and go on."""
    if item == 3:
        os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(0.001)
    return item


def die_as_orphan(item):
    """End the fork server during the third item, and then this process."""
    if item == 3:
        parent = os.getppid()
        os.kill(parent, signal.SIGKILL)
        while os.getppid() == parent:
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def has_cloudpickle(_item):
    """Whether somebody in this worker has imported it."""
    return "cloudpickle" in sys.modules


def nap(_item):
    """Wait."""
    time.sleep(0.05)


def descriptors(_item):
    """What a program that an item starts is given, beyond its standard streams."""
    listed = "import os; print(*(n for n in os.listdir('/proc/self/fd') if int(n) > 2))"
    done = subprocess.run([sys.executable, "-SEc", listed], close_fds=False, stdout=-1, text=True, check=True)
    return len(done.stdout.split())


def rights_of_a_file(_item):
    """What this process takes from the rights of new files."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def longest_field(_item):
    """How long a field may be."""
    return csv.field_size_limit()


def read_by_name(_item):
    """A line as two dialects have it; None for one that nobody has registered."""
    names = [name for name in ("excel", "piped") if name in csv.list_dialects()]
    return [next(csv.reader(["a|b,c"], name)) for name in names]


def default_timeout(_item):
    """How long new sockets wait."""
    return socket.getdefaulttimeout()


class OwnWarning(UserWarning):
    """A category of a module of the tests."""


def warned(_item):
    """Which kinds of warnings are raised; how many are seen by one who looks for them."""
    raised = []
    for category in (UserWarning, OwnWarning, DeprecationWarning):
        try:
            warnings.warn("old news", category, stacklevel=1)
        except Warning as error:
            raised.append(type(error).__name__)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warnings.warn("anything", stacklevel=1)
    return raised, len(seen)


def set_own_filter():
    """An initializer that has one kind of warnings raised."""
    warnings.simplefilter("error", OwnWarning)
