"""The facts about this machine and interpreter, put together."""

from __future__ import annotations

import sys

from .._facts._lean import TYPE_CHECKING
from ._files import lines
from ._interpreter import gil_enabled, start_methods
from ._memory import memory_limit
from ._processors import usable_cpus

if TYPE_CHECKING:
    from pathlib import Path

    from .._facts._machine import Machine

__all__ = ["cpu_model", "this_machine"]


def this_machine(root: Path | str = "") -> Machine:
    """The facts about this machine and interpreter.

    Raises:
        InvalidArgumentError: ``CONCURRENT_CHOICES_CPUS`` is not a positive number.
    """
    # Only here: who asks for the processor's name alone needs no attrs.
    import platform  # noqa: PLC0415 - see `cpu_model`

    from .._facts._machine import Machine  # noqa: PLC0415 - see the first line

    return Machine(
        cpus=usable_cpus(root),
        memory=memory_limit(root),
        gil=gil_enabled(),
        start_methods=start_methods(),
        platform=sys.platform,
        python=f"{sys.implementation.name} {platform.python_version()}",
    )


def cpu_model(root: Path | str = "") -> str:
    """The processor's name as the system gives it; the architecture where it gives none."""
    for line in lines(root, "/proc/cpuinfo"):
        name, _, value = line.partition(":")
        if name.strip() in {"model name", "Processor", "cpu"} and value.strip():
            return value.strip()
    import platform  # noqa: PLC0415 - takes 2 ms, and the command line may only be asked for help

    return platform.machine()
