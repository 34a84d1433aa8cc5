# What `signal` wraps; typeshed has no stub of it, and not every system has all of it.

from collections.abc import Iterable

SIG_BLOCK: int
SIG_SETMASK: int
SIGINT: int
SIGTERM: int

def pthread_sigmask(how: int, mask: Iterable[int], /) -> set[int]: ...
def sigpending() -> set[int]: ...
