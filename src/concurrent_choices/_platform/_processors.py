"""How many processors this process may keep busy."""

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

__all__ = ["CPUS_VARIABLE", "allowed_cores", "requested_cpus", "usable_cpus"]

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
