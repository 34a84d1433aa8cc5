"""What tests hand to the process pool: a callable's account, and what other processes cannot read."""

import os

from concurrent_choices._embed._account import Account


def account(ceiling=None):
    """A callable whose calls are short and belong to processes."""
    made = Account("its name", object(), start=4, most=4, ceiling=ceiling, cpus=4.0)
    for _ in range(2):
        made.learn(1e-3, 1e-3, 0.0)
    made.move()
    return made


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
