"""What the operating system and the interpreter allow this process.

Every reader takes the root of the file system, so that a made-up `/proc` and `/sys` can be read
like the real ones. A file that is missing or unreadable sets no limit: that is how other systems
than Linux, and containers that hide their files, come out right.
"""

from __future__ import annotations

import math
import os
import sys

from .._errors import InvalidArgumentError
from .._facts._lean import TYPE_CHECKING
from ._cgroups import groups
from ._files import lines, read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .._facts._machine import Machine

__all__ = [
    "CPUS_VARIABLE",
    "allowed_cores",
    "cpu_model",
    "gil_enabled",
    "interpreter",
    "memory_limit",
    "requested_cpus",
    "start_methods",
    "this_machine",
    "usable_cpus",
]

CPUS_VARIABLE = "CONCURRENT_CHOICES_CPUS"
"""The environment variable that lowers the number of processors to use; fractions are allowed."""

_ROOT = ""


def usable_cpus(root: Path | str = _ROOT) -> float:
    """How many processors this process may keep busy, a fraction where a quota says so.

    The least of the calling thread's affinity, the CPU quotas of all control groups around this
    process, the environment variable ``CONCURRENT_CHOICES_CPUS``, and what the interpreter was told.

    Raises:
        InvalidArgumentError: The environment variable is not a positive number.
    """
    return min([float(_affinity(root)), *_quotas(root), *requested_cpus()])


def memory_limit(root: Path | str = _ROOT) -> int | None:
    """How many bytes this process may use; None where nobody knows.

    The least of the limits of all control groups around this process and the machine's memory.
    """
    return min([*_memory_limits(root), *_physical(root)], default=None)


def cpu_model(root: Path | str = _ROOT) -> str:
    """The processor's name as the system gives it; the architecture where it gives none."""
    for line in lines(root, "/proc/cpuinfo"):
        name, _, value = line.partition(":")
        if name.strip() in {"model name", "Processor", "cpu"} and value.strip():
            return value.strip()
    import platform  # noqa: PLC0415 - a worker with lanes inside starts 2 ms sooner without

    return platform.machine()


def gil_enabled() -> bool:
    """Whether only one thread at a time runs Python code: as of now, an import may change it."""
    ask = getattr(sys, "_is_gil_enabled", None)
    return True if ask is None else bool(ask())


def interpreter() -> str:
    """The path of this interpreter.

    Raises:
        OSError: There is none, as in an application that is frozen or embeds Python.
    """
    if not sys.executable or getattr(sys, "frozen", False):
        msg = "there is no interpreter to start: sys.executable is empty, or the application itself"
        raise OSError(msg)
    return sys.executable


def start_methods() -> tuple[str, ...]:
    """How worker processes can be started: ``"fresh"`` and ``"fork"``, where the system has them."""
    fork = ("fork",) if hasattr(os, "fork") else ()
    try:
        interpreter()
    except OSError:
        return fork
    return ("fresh", *fork)


def this_machine(root: Path | str = _ROOT) -> Machine:
    """The facts about this machine and interpreter.

    Raises:
        InvalidArgumentError: ``CONCURRENT_CHOICES_CPUS`` is not a positive number.
    """
    # Only here: worker processes ask for single facts and must start without attrs.
    import platform  # noqa: PLC0415 - as above

    from .._facts._machine import Machine  # noqa: PLC0415 - see the first line

    return Machine(
        cpus=usable_cpus(root),
        memory=memory_limit(root),
        gil=gil_enabled(),
        start_methods=start_methods(),
        platform=sys.platform,
        python=f"{sys.implementation.name} {platform.python_version()}",
    )


def requested_cpus() -> list[float]:
    """The numbers that ``CONCURRENT_CHOICES_CPUS`` and ``-X cpu_count`` ask for, where they are set.

    Raises:
        InvalidArgumentError: The variable is not a positive number.
    """
    return [*_by_variable(), *_by_option()]


def _by_variable() -> list[float]:
    text = os.environ.get(CPUS_VARIABLE, "").strip()
    if not text:
        return []
    try:
        cpus = float(text)
    except ValueError:
        cpus = math.nan
    if not (math.isfinite(cpus) and cpus > 0):
        problem = f"must be a number of processors above 0, not {text!r}; unset it to use all"
        raise InvalidArgumentError(CPUS_VARIABLE, problem)
    return [cpus]


def _by_option() -> list[float]:
    # From CPython 3.13 on. `os.process_cpu_count` has it too, but not whether anybody asked for it.
    ask = getattr(sys, "_get_cpu_count_config", None)
    cpus = ask() if ask else -1
    return [float(cpus)] if cpus > 0 else []


def allowed_cores() -> int:
    """Cores that the calling thread may run on; 0 where the system cannot be asked."""
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):  # another system, or a filter of system calls
        return 0


def _affinity(root: Path | str) -> int:
    # Where the system can be asked it is: a sixth of the time that its file takes.
    if root == _ROOT and (told := allowed_cores()):
        return told
    for line in lines(root, "/proc/thread-self/status"):
        if line.startswith("Cpus_allowed_list:"):
            count = _count_ranges(line.partition(":")[2].strip())
            if count:
                return count
    return os.cpu_count() or 1


def _count_ranges(text: str) -> int:
    """How many numbers a list such as ``0-3,8`` names; 0 if it cannot be read."""
    count = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        try:
            count += int(last or first) - int(first) + 1
        except ValueError:
            return 0
    return count


def _quotas(root: Path | str) -> Iterator[float]:
    for kind, group in groups(root, "cpu"):
        if kind == "cgroup2":
            yield from _ratio(read(root, f"{group}/cpu.max").split())
        else:
            names = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
            yield from _ratio([read(root, f"{group}/{name}") for name in names])


def _ratio(words: list[str]) -> list[float]:
    """Quota over period, or nothing where there is none ("max", -1) or it cannot be read."""
    try:
        quota, period = map(int, words)
    except ValueError:
        return []
    return [quota / period] if quota > 0 and period > 0 else []


def _memory_limits(root: Path | str) -> Iterator[int]:
    for kind, group in groups(root, "memory"):
        name = "memory.max" if kind == "cgroup2" else "memory.limit_in_bytes"
        text = read(root, f"{group}/{name}").strip()
        if text.isdecimal() and int(text):
            yield int(text)


def _physical(root: Path | str) -> list[int]:
    for line in lines(root, "/proc/meminfo"):
        words = line.split()
        if words[:1] == ["MemTotal:"] and len(words) > 1 and words[1].isdecimal():
            return [int(words[1]) * 1024]
    try:
        return [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    except (AttributeError, OSError, ValueError):
        return []
