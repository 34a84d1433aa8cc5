"""What the executor comes to say of a callable, in how many calls at most, and where workers can tell."""

from __future__ import annotations

import pytest

from concurrent_choices._platform._interpreter import gil_enabled

# Calls after which it has made up its mind about any of them, on a busy machine too.
PATIENCE = 400

told_by_workers = pytest.mark.skipif(not gil_enabled(), reason="in workers without a GIL nobody holds it")


def moved(executor, fn, *args):
    """Call until the callable runs in processes; whether it came to that."""
    name = getattr(fn, "__qualname__", type(fn).__qualname__)
    for _ in range(PATIENCE):
        executor.submit(fn, *args).result()
        learnt = executor.explain()[name]
        if learnt.place == "process":
            return True
    return False


def why(executor, fn):
    """What the executor says of a callable."""
    return executor.explain()[fn.__qualname__].why
