"""Strategies small enough for a test, and what they leave behind."""

from __future__ import annotations

import inspect
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from concurrent_choices import AutoStrategy
from concurrent_choices._strategies import _registry
from concurrent_choices._strategies._workers._hosting import _staffing
from concurrent_choices._strategies._workers._hosting._host import Host
from concurrent_choices._strategies._workers._hosting._staffed import Staffed

__all__ = [
    "DEADLINE",
    "NAMES",
    "children",
    "descriptors",
    "dismiss_resting",
    "eventually",
    "is_outside",
    "made_by",
    "only",
    "only_inside",
    "only_keeping",
    "only_outside",
    "parameters",
    "resting",
    "shown_descriptors",
    "sizes",
    "small",
    "threads",
]

NAMES = ("auto", *_registry.NAMES)
"""What a strategy may be called."""

SMALL = {"max_workers": 2, "concurrency": 4}
"""Sizes that suit two busy cores; whichever of them a strategy takes."""

DEADLINE = 20.0
"""Seconds that whatever is on its way out may take: generous, since the machine is shared."""


def small(name: str, **more: Any) -> Any:
    """A registered strategy with few workers."""
    taken = parameters(name)
    return made_by(name)(**{key: value for key, value in (SMALL | more).items() if key in taken})


def made_by(name: str) -> Any:
    """The class behind a name."""
    return AutoStrategy if name == "auto" else _registry.load(name)


def sizes(name: str) -> set[str]:
    """By which names a registered strategy lets its caller say how many items are in flight."""
    return parameters(name) & set(SMALL)


def parameters(name: str) -> set[str]:
    """What the constructor of a registered strategy takes."""
    return set(inspect.signature(made_by(name)).parameters)


def is_outside(name: str) -> bool:
    """Whether a strategy's items run in other processes."""
    return issubclass(made_by(name), Staffed)


def only(concerns: Callable[[str], Any]) -> pytest.MarkDecorator:
    """Marks what is tried with some strategies only, the others having no such thing."""
    return pytest.mark.parametrize("name", [name for name in NAMES if concerns(name)])


only_outside = only(is_outside)
only_inside = only(lambda name: not is_outside(name))
"""Marks what a strategy inside this process would not survive, or does not do."""

only_keeping = only(lambda name: hasattr(made_by(name), "__enter__"))
"""Marks what is about with blocks, which strategies have that keep something from run to run."""


def eventually(holds: Callable[[], Any], seconds: float = DEADLINE) -> bool:
    """Whether something comes true before the deadline."""
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.002)
    return True


def resting() -> set[int]:
    """The workers that rest after a clean run, as they may for two seconds, and what has forked them."""
    hosts = _resting_hosts()
    workers = {worker.pid for host in hosts for worker in host.workers}
    return workers | {host.fork_server.pid for host in hosts if host.fork_server and host.fork_server.pid}


def _resting_hosts() -> list[Host]:
    with _staffing._lock:
        return [host for host, *_ in _staffing._resting.values()]


def dismiss_resting() -> None:
    """Send the resting workers home now."""
    _staffing.dismiss_resting()


def children() -> set[int]:
    """Child processes that are at work: not resting, not ended."""
    return {pid for pid in _started_by(os.getpid()) if _runs(pid)} - resting() - _kept_by_multiprocessing()


def _kept_by_multiprocessing() -> set[int | None]:
    """What the standard library's pools have started, and keep as long as this process: from 3.14 on two."""
    tracker: Any = sys.modules.get("multiprocessing.resource_tracker")
    server: Any = sys.modules.get("multiprocessing.forkserver")
    return {
        *([tracker._resource_tracker._pid] if tracker else ()),
        *([server._forkserver._forkserver_pid] if server else ()),
    }


def _started_by(pid: int) -> set[int]:
    """The processes a process has started, and those that these have."""
    # From the kernel's own list: psutil looks at every process there is, at twice the price of most tests.
    found: set[int] = set()
    with suppress(*_ENDED):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(*_ENDED):  # this thread alone: the next may have started some
                found.update(map(int, (thread / "children").read_text().split()))
    return found.union(*map(_started_by, found))


_ENDED = FileNotFoundError, ProcessLookupError
"""What `/proc` says of a process or thread that has ended while it was read."""


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def threads() -> set[threading.Thread]:
    """Our threads; not those that only wait to send resting workers home."""
    ours = (it for it in threading.enumerate() if it.name.startswith("concurrent_choices"))
    return {thread for thread in ours if "retire" not in thread.name}


def descriptors() -> int:
    """Open files, pipes and sockets, but for those of resting workers."""
    while True:
        hosts = _resting_hosts()
        held = sum(map(_held_for, hosts))
        found = sum(1 for _ in Path("/proc/self/fd").iterdir())
        if _resting_hosts() == hosts:  # else some may have gone home between the two counts
            return found - held


def _held_for(host: Host) -> int:
    served = bool(host.fork_server and host.fork_server.pid)
    return _OF_A_FORK_SERVER * served + _OF_A_WORKER * len(host.workers)


_OF_A_WORKER = 5
"""Its wire, its page and what `mmap` keeps of that, its lifeline, and where its end is told."""

_OF_A_FORK_SERVER = 2
"""Its wire, and where its end is seen."""


def shown_descriptors() -> str:
    """What is open, for the message."""
    links = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            links.append(f"{entry.name} -> {entry.readlink()}")
        except OSError:
            continue
    return "descriptors left among: " + ", ".join(sorted(links))
