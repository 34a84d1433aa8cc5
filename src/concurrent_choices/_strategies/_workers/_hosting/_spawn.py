"""Starting processes: fresh interpreters, or forks where they were asked for."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from itertools import count, islice
from typing import TYPE_CHECKING

from ...._errors import WorkerStartError
from ...._platform._interpreter import interpreter as this_interpreter
from .._between._wire import Link
from .._inside._voice import flush_output
from ._child import Child

if TYPE_CHECKING:
    from _socket import socket

    from .._between._page import Page

__all__ = ["fork", "fresh", "interpreter"]

_ROOT = os.path.abspath(f"{__file__}/../../../../..")  # noqa: PTH100 - pathlib costs a first run 5 ms
_BOOT = (
    # Our folder comes first for our package alone: beside it there may be modules named as the library's are.
    # The current folder, where the caller need not look for any, would be searched before the library too.
    "import sys; sys.path[:] = [sys.argv.pop(1), *filter(None, sys.path)]; import concurrent_choices; "
    "del sys.path[0]; from concurrent_choices._strategies._workers._inside.{} import main; main()"
)


def fresh(wire: socket, page: Page, lifeline: int) -> Child:
    """A fresh interpreter that runs our worker module and nothing of the caller's."""
    return interpreter("_worker", [wire.fileno(), page.descriptor, lifeline])


def interpreter(module: str, descriptors: list[int]) -> Child:
    """A fresh interpreter in a process group of its own, with nothing on its standard input.

    It runs the `main` of a module of _inside, and finds on its command line what number each of the
    descriptors has there.

    Raises:
        WorkerStartError: There is none, or it cannot be started.
    """
    # Numbers that none of them has here, or one would be replaced before it is passed on.
    free = (number for number in count(3) if number not in descriptors)
    there = [*islice(free, len(descriptors))]
    boot = ["-S", *_options(), "-c", _BOOT.format(module), _ROOT, *map(str, there)]
    passed = [(os.POSIX_SPAWN_DUP2, ours, its) for ours, its in zip(descriptors, there, strict=True)]
    nothing = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
    try:
        program = this_interpreter()
        # Not subprocess, whose import costs a first run 5 ms, and three times that beside a thread that
        # computes. What was let be inherited is closed there (`settle`). A fork server waits for its
        # children, which it could not if it was started by a caller that ignores the ends of its own.
        pid = os.posix_spawn(
            program,
            [program, *boot],
            os.environ,
            file_actions=[nothing, *passed],
            setpgroup=0,
            setsigdef=[signal.SIGCHLD],
        )
    except OSError as error:
        raise WorkerStartError(str(error)) from error
    return Child(pid)


_LETTERS = {
    "bytes_warning": "b",
    "debug": "d",
    "dont_write_bytecode": "B",
    "ignore_environment": "E",
    "isolated": "I",
    "no_user_site": "s",
    "optimize": "O",
    "quiet": "q",
    "safe_path": "P",
    "verbose": "v",
}


def _options() -> list[str]:
    """The caller's own interpreter options, as arguments."""
    flags = [f"-{letter * int(getattr(sys.flags, name))}" for name, letter in _LETTERS.items()]
    warned = [f"-W{option}" for option in sys.warnoptions]
    extended = sys._xoptions.items()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - documented under this name
    named = [f"-X{name}" if value is True else f"-X{name}={value}" for name, value in extended]
    return [flag for flag in flags if flag != "-"] + warned + named


def fork(wire: socket, page: Page, lifeline: int) -> Child:
    """A copy of this process that serves at once."""
    flush_output()  # or the copy would print again what nobody has let out yet
    pid = os.fork()
    if pid:
        return Child(pid)
    with suppress(BaseException):
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        from .._inside._worker import serve  # noqa: PLC0415 - only in the child

        serve(Link(wire), page, lifeline)
    os._exit(1)
