"""What tests hand to the process pool: a callable's account, and what other processes cannot read."""

import os
import time
from contextvars import copy_context
from itertools import count

from concurrent_choices._embed._accounting._account import Account
from concurrent_choices._embed._accounting._held import held_by
from concurrent_choices._embed._calls._tasks import Task

NUMBERS = count(1)


def account(ceiling=None):
    """A callable whose calls are short and belong to processes."""
    made = Account("its name", object(), start=4, most=4, processes=4, ceiling=ceiling, cpus=4.0)
    for _ in range(2):
        made.learn(1e-3, 1e-3, 0.0)
    made.move()
    return made


def task(fn, *args, known=None):
    """A call, as the executor hands it to the pool."""
    known = known or account()
    known.digest = held_by(fn).digest
    return Task(fn, args, {}, known, copy_context(), next(NUMBERS), 1)


def only_in(home, what):
    """Load something, unless this is another process."""
    if os.getpid() == home:
        return what
    if what == "deadly":
        os._exit(3)
    raise ValueError(what)


class OnlyHere:
    """A callable, or an argument, that other processes cannot load."""

    def __init__(self, what):
        self.what = what

    def __call__(self):
        return os.getpid()

    def __reduce__(self):
        return only_in, (os.getpid(), self.what)


LIST = [1, 2]


def hold():
    """Something that is looked at."""
    return LIST


def pid_of(_given):
    """Where it runs."""
    return os.getpid()


def pid_after(rounds):
    """Where it has computed."""
    for _ in range(rounds):
        pass
    return os.getpid()


def appear(path):
    """Wait until a file is there."""
    while not path.exists():
        time.sleep(1e-3)


def wait_for(path):
    """End when there is such a file; where that was."""
    while not path.exists():
        time.sleep(1e-3)
    return os.getpid()


def die_at(path):
    """End this process as soon as there is such a file."""
    while not path.exists():
        time.sleep(1e-3)
    os._exit(3)


def meet(here, there):
    """Say that one is here, and end when the other is there; where that was."""
    here.touch()
    return wait_for(there)
