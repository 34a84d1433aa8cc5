"""A hand-tuned run whose pools of processes do not fork the caller: the bound for a library that does not.

To fork a process that has threads copies their locks as they are. From CPython 3.14 on, pools fork a server
instead, by default, which comes up for the first of them. So this is what the same lines of code take there.
"""

from __future__ import annotations

import inspect
import multiprocessing
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from benchmarks.oracle import _grid
from benchmarks.oracle._grid import Runner

__all__ = ["by_fork_server"]


def by_fork_server(runner: Runner, fn: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """Run it with pools of a fork server; in a process of its own, which is another one afterwards.

    What workers need is imported by the server, once for all, as that of 3.14 does with what the main module
    imports. The harness's own main module imports far more than a program of these lines would, so it is
    taken out of the way.
    """
    needed = [fn.__module__]
    if inspect.iscoroutinefunction(fn):
        needed.append(_grid.__name__)  # what runs a part of them in each worker
    multiprocessing.set_start_method("forkserver")
    multiprocessing.set_forkserver_preload(needed)
    sys.modules["__main__"] = ModuleType("__main__")
    return runner(fn, items)
