"""One measurement in a process of its own.

The process is forked from this one, which has imported everything and started nothing: no thread, no loop,
no pool. Before the work begins it is given its own copy of all memory that a fork shares until it is written
to, as a new interpreter has it: reading Python objects counts references, so the first use of all code would
otherwise copy its pages (250 of them in a first `run`, 0.7 to 2 ms). So a measurement is as fresh as in a new
interpreter, without a quarter of a second of imports before each.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import ctypes
import faulthandler
import gc
import importlib
import json
import multiprocessing
import os
import pkgutil
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import concurrent_choices

__all__ = ["Answer", "import_everything", "in_own_process"]

Answer = dict[str, Any]

_UNWANTED = ("__main__", "_worker", "windows_events", "windows_utils", "popen_spawn_win32", "resource_sharer")
"""Modules that are programs, or another platform's."""

_TELLING = (
    "multiprocessing.managers",
    "concurrent_choices.pytest_plugin",
    "concurrent_choices._plugin",
    "concurrent_choices._strategies._workers._inside._records",
)
"""Modules that few programs import, and that say something of them: of those that have managers each worker
process takes over a key, those that have pytest are searched for what tests replaced, and workers that have
loaded what hands log records on hand them on."""

_POPULATE_WRITE = 23
"""`MADV_POPULATE_WRITE` of Linux's mman.h, from 5.14 on; `mmap` has no name for it."""


def import_everything() -> None:
    """Import what is otherwise imported when it is first needed, ours and the standard library's alike."""
    for package in (concurrent_choices, asyncio, concurrent.futures, multiprocessing):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not (module.name.endswith(_UNWANTED) or module.name.startswith(_TELLING)):
                with contextlib.suppress(ImportError):
                    importlib.import_module(module.name)
    for name in ("anyio._backends._asyncio", "uvloop"):
        importlib.import_module(name)


def in_own_process(work: Callable[[], Answer], seconds: float) -> Answer:
    """What `work` answers, as JSON; {"error": …} where it raised, died or, with "at_least", did not end.

    Args:
        work: What to do. It sees everything that this process has.
        seconds: When to end it, and every process it started.
    """
    if threading.active_count() > 1:
        message = "this process has threads; what it forks would not be fresh"
        raise RuntimeError(message)
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _be_child(work, writing, seconds)
    os.close(writing)
    try:
        return _read(reading, child, seconds)
    finally:
        os.close(reading)
        _end(child)


def _be_child(work: Callable[[], Answer], writing: int, seconds: float) -> None:
    """Do the work and end, whatever happens, without unwinding what belongs to the parent."""
    code = 1
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        faulthandler.dump_traceback_later(seconds + 1.0, exit=True)
        _own_all_memory()
        gc.collect()
        try:
            answer = work()
        except Exception as error:  # noqa: BLE001 - whatever a contestant raises is its result
            answer = {"error": f"{type(error).__name__}: {error}"}
        with os.fdopen(writing, "w") as pipe:
            json.dump(answer, pipe)
        code = 0
    finally:
        os._exit(code)


def _own_all_memory() -> None:
    """Copy what is shared with the parent; where the kernel cannot, pages are copied as they are touched."""
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for start, end in list(_written_to()):
        advise(start, end - start, _POPULATE_WRITE)


def _written_to() -> Iterator[tuple[int, int]]:
    """Where the memory lies that this process may write to and has for itself, as far as it can be read."""
    maps = Path("/proc/self/maps")
    for line in maps.read_text().splitlines() if maps.exists() else ():
        place, permissions = line.split()[:2]
        if permissions.startswith("rw") and permissions.endswith("p"):
            start, end = (int(each, 16) for each in place.split("-"))
            yield start, end


def _read(reading: int, child: int, seconds: float) -> Answer:
    text, deadline = b"", time.monotonic() + seconds
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reading], [], [], left)[0]:
            return {"error": f"was stopped after {seconds:.2f} s", "at_least": seconds}
        piece = os.read(reading, 1 << 16)
        if not piece:
            break
        text += piece
    return json.loads(text) if text else {"error": f"process {child} died without an answer"}


def _end(child: int) -> None:
    """End the child and every process of its group; one that has ended already is no mistake."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)
