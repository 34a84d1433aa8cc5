"""A fork server: a process that forks worker processes; `_fork_client` is the caller's end.

It has imported our modules, once for all of them, and nothing that the caller wrote: what it forks has no
more than an interpreter of its own would, and is there in a millisecond. Folder, environment and the like
are what they were when it began.
"""

from __future__ import annotations

import gc
import os
import select
import sys
from _frozen_importlib_external import PathFinder
from _socket import CMSG_SPACE, socket

from .._between._page import Page
from .._between._wire import UNFORKED, Link
from ._voice import flush_output
from ._worker import serve, settle

__all__ = ["main"]

_DESCRIPTORS = 4  # of each worker: its wire, its page, its lifeline, and where its end is told
_SIZE = CMSG_SPACE(4 * _DESCRIPTORS)
_LONGEST = 1 << 16  # bytes of names of modules (guessed: two thousand names)
_KILL = 9  # the signal, whose module would cost a worker's start 4 ms


def main() -> None:
    """The fresh interpreter's entry: the descriptor of its wire is on the command line."""
    (control,) = settle()
    _Server(socket(fileno=control)).run()


class _Server:
    def __init__(self, control: socket) -> None:
        self._control = control
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)
        self._children: dict[int, tuple[int, int]] = {}

    def run(self) -> None:
        """Fork and reap, until there is nobody to do it for."""
        gc.freeze()  # or the first collection in each worker would copy what it shares with the others
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor in self._children:
                    self._reap(descriptor)
                else:
                    self._attend()

    def _attend(self) -> None:
        data, ancillary, _, _ = self._control.recvmsg(_LONGEST, _SIZE)
        if not data:
            self._end()
        if not ancillary:
            _preload(*os.fsdecode(data).split("\0"))
            return
        rights = b"".join(received for _, _, received in ancillary)
        descriptors = memoryview(rights).cast("i").tolist()
        if len(descriptors) == _DESCRIPTORS:
            self._fork(*descriptors)
            descriptors.pop()  # where its end is told
        for descriptor in descriptors:
            os.close(descriptor)

    def _fork(self, wire: int, page: int, lifeline: int, ending: int) -> None:
        try:
            pid = os.fork()
        except OSError as error:
            _tell(ending, UNFORKED + (error.errno or 0))
            return
        if not pid:
            os.close(ending)
            self._work(wire, page, lifeline)
        sentinel = os.pidfd_open(pid)
        self._children[sentinel] = pid, ending
        self._poll.register(sentinel, select.POLLIN)

    def _work(self, wire: int, page: int, lifeline: int) -> None:
        """In the new process: be a worker, with nothing of the others."""
        try:
            os.setpgid(0, 0)
            self._control.close()
            for sentinel, (_, ending) in self._children.items():
                os.close(sentinel)
                os.close(ending)
            own = Page(page)
            own.pid = os.getpid()
            _draw_anew()
            serve(Link(socket(fileno=wire)), own, lifeline)
        finally:
            os._exit(1)

    def _reap(self, sentinel: int) -> None:
        """Tell the caller how a worker ended."""
        pid, ending = self._children.pop(sentinel)
        self._poll.unregister(sentinel)
        os.close(sentinel)
        try:  # noqa: SIM105 - contextlib would cost a worker's start 1 ms
            os.killpg(pid, _KILL)  # what it started ends with it, while its number is still its own
        except ProcessLookupError:
            pass
        _, status = os.waitpid(pid, 0)
        _tell(ending, os.waitstatus_to_exitcode(status))

    def _end(self) -> None:
        """The caller has ended its workers, or is gone, and they with it."""
        for pid, _ in self._children.values():
            os.waitpid(pid, 0)
        os._exit(0)


def _tell(ending: int, code: int) -> None:
    """Tell the caller how a worker ended, or why there is none."""
    try:  # noqa: SIM105 - contextlib would cost a worker's start 1 ms
        os.write(ending, code.to_bytes(4, "little", signed=True))
    except BrokenPipeError:  # nobody wants to know any more
        pass
    os.close(ending)


def _draw_anew() -> None:
    """Have random numbers that no other worker has: the standard library sees to its own after a fork."""
    numbers = sys.modules.get("numpy.random")
    if numbers is not None:
        numbers.seed()


def _preload(*modules: str) -> None:
    """Import modules of the standard library, of installed packages and our own, for all workers from now on.

    It is what they would do one by one, beside a caller that computes on the same cores: cloudpickle takes
    30 ms, asyncio 50, NumPy 100, what lanes inside a worker need 6. Those of installed packages come with
    their package's file: the caller's own, which workers must not have another one of.
    """
    path = sys.path
    for module in modules:
        name, _, file = module.partition("=")
        folder = os.path.dirname(os.path.dirname(file))  # noqa: PTH120 - pathlib costs a worker's start 5 ms
        sys.path = [*path, folder] if folder else path
        if name == module or _is_found(name.partition(".")[0], file):
            _import(name)
    sys.path = path
    flush_output()  # or each worker would print again what a module has printed
    gc.freeze()


def _is_found(package: str, file: str) -> bool:
    """Whether a package would be imported from a file: before its folder there may be others on the path."""
    spec = PathFinder.find_spec(package)
    return spec is not None and spec.origin == file


def _import(name: str) -> None:
    try:
        __import__(name)
    except Exception:  # noqa: BLE001 - a module may raise anything, and who needs it will say so
        return
