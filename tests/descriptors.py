"""A shortage of descriptors, as `ulimit -n` makes it, or a server that holds nearly all of its own."""

import os
import resource
from contextlib import contextmanager


@contextmanager
def no_descriptors(spare=0):
    """Leaves this process so many that it may still open."""
    had = resource.getrlimit(resource.RLIMIT_NOFILE)
    spared = [os.dup(2) for _ in range(spare + 1)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(spared), had[1]))  # below it none is free
    for descriptor in spared:
        os.close(descriptor)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, had)
