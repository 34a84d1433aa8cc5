"""Whether every item is called exactly once, by whoever performs the work, in whatever process.

Each call writes four bytes to the end of a file before it does anything else. O_APPEND makes that one step,
so no call is lost, whoever makes it.
"""

from __future__ import annotations

import os
import struct
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

from benchmarks.oracle._grid import Runner
from benchmarks.oracle._zygote import Answer
from concurrent_choices import recommend

__all__ = ["audited", "calls_in", "judge_and_run", "note"]

_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT
_INDEX = struct.Struct("<I")


@cache
def _opened(path: str) -> int:
    """The file, opened once in each process: opening it takes longer than many a call."""
    return os.open(path, _FLAGS)


def note(path: str, index: int) -> None:
    """Write down that an item is being called."""
    os.write(_opened(path), _INDEX.pack(index))


def noted(fn: Callable[[Any], Any], path: str, item: tuple[int, Any]) -> Any:
    """Note a call, then make it."""
    note(path, item[0])
    return fn(item[1])


async def noted_async(fn: Callable[[Any], Any], path: str, item: tuple[int, Any]) -> Any:
    """The same for an `async def`."""
    note(path, item[0])
    return await fn(item[1])


def judge_and_run(fn: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """`recommend` and `.run()` together."""
    return recommend(fn, items).run()


def calls_in(path: str) -> Counter[int]:
    """How often each item was called."""
    return Counter(index for (index,) in _INDEX.iter_unpack(Path(path).read_bytes()))


def audited(perform: Runner, fn: Callable[[Any], Any], items: Sequence[Any]) -> Answer:
    """How many items were called once, how many more often, how many never; how many results there are."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "calls"))
        watched = partial(noted_async if iscoroutinefunction(fn) else noted, fn, path)
        values = perform(watched, list(enumerate(items)))
        calls = calls_in(path)
    return {
        "items": len(items),
        "once": sum(times == 1 for times in calls.values()),
        "twice": sum(times > 1 for times in calls.values()),
        "never": len(items) - len(calls),
        "results": len(values),
    }
