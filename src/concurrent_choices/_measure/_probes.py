"""What concurrency itself costs here: the figures that need no strategy to be measured.

Each probe takes some ten milliseconds and answers seconds. The best of several rounds is taken
where interruptions can only make it slower, the median where luck cuts both ways.
"""

from __future__ import annotations

import asyncio
import mmap
import os
import pickle
import socket
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from attrs import fields

from .._facts._costs import Costs
from .._platform._files import standard_streams_are_open
from .._platform._tasks import is_greenlet
from .._runtime._new_thread import new_thread

if TYPE_CHECKING:
    from collections.abc import Awaitable

    LoopFactory = Callable[[], asyncio.AbstractEventLoop]

__all__ = ["DIRECT", "Probe", "best", "for_another_process", "timed"]

Probe = tuple[Callable[[], float], str]
"""What answers the seconds that something costs, and how, in words that end "measured: …"."""

_CALLS = 20_000
_TURNS = 300
_PAYLOAD = 4 * 1024 * 1024
_ARENA = 1024 * 1024  # of CPython's own, by which it gets memory for small objects
_TASKS, _STEPS = 8, 200
_MESSAGES = 300
_ROUNDS = 5
"""How much each probe does (all guessed: so that it takes some ten milliseconds, of which clocks tell a
thousandth; and of five rounds one is hardly ever disturbed throughout)."""


def _call() -> float:
    """A Python function that does nothing, called by `map`."""

    def nothing(item: int) -> int:
        return item

    return best(lambda: list(map(nothing, range(_CALLS)))) / _CALLS


def _switch() -> float:
    """One turn of two threads that hand a lock to one another."""
    ping, pong = threading.Lock(), threading.Lock()
    ping.acquire()
    pong.acquire()

    def other() -> None:
        for _ in range(_TURNS):
            ping.acquire()
            pong.release()

    thread = new_thread(other, "calibration")
    thread.start()
    start = time.perf_counter()
    for _ in range(_TURNS):
        ping.release()
        pong.acquire()
    seconds = time.perf_counter() - start
    thread.join()
    return seconds / (2 * _TURNS)


def _byte() -> float:
    """A byte pickled, sent through a pipe to somebody else, and unpickled."""
    payload = bytes(_PAYLOAD)
    _trip(payload)  # the first touch of fresh memory is no part of a trip
    return best(lambda: _trip(payload), rounds=3) / _PAYLOAD


def _fresh_byte() -> float:
    """A byte of memory that the process gets anew, a page of which is touched at a time."""
    return min(_touching() for _ in range(_ROUNDS)) / _ARENA


def _touching() -> float:
    with mmap.mmap(-1, _ARENA) as memory:
        start = time.perf_counter()
        memory[:: mmap.PAGESIZE] = bytes(_ARENA // mmap.PAGESIZE)
        return time.perf_counter() - start


def _trip(payload: bytes) -> None:
    reader, writer = os.pipe()
    packed = pickle.dumps(payload, protocol=5)
    thread = new_thread(partial(_send, writer, packed), "calibration")
    thread.start()
    with open(reader, "rb") as file:  # noqa: PTH123 - a descriptor has no path
        pickle.loads(file.read())  # noqa: S301 - packed four lines above
    thread.join()


def _send(writer: int, packed: bytes) -> None:
    with open(writer, "wb", buffering=0) as file:
        rest = memoryview(packed)
        while rest:
            rest = rest[file.write(rest) :]


def _uvloop_start() -> float:
    """The import of uvloop, and its loop's start beyond that of asyncio's."""
    if "uvloop" in sys.modules:
        msg = "uvloop was imported already"
        raise RuntimeError(msg)
    imported = timed(lambda: import_module("uvloop"))
    return max(0.0, imported + _starting(_uvloop) - _starting(asyncio.new_event_loop))


def _starting(factory: LoopFactory) -> float:
    """A loop made, run once and closed."""
    return best(lambda: _on_loop(factory, _nothing))


def _anyio_step() -> float:
    """A suspension by ``anyio.sleep(0)`` in one of eight asyncio tasks."""
    anyio: Any = import_module("anyio")

    async def pause() -> None:
        await anyio.sleep(0)

    return _stepping(asyncio.new_event_loop, pause)


async def _pause() -> None:
    await asyncio.sleep(0)


def _stepping(factory: LoopFactory, pause: Callable[[], Awaitable[None]]) -> float:
    """A suspension in one of eight tasks."""

    async def task() -> None:
        for _ in range(_STEPS):
            await pause()

    async def main() -> None:
        await asyncio.gather(*(task() for _ in range(_TASKS)))

    _on_loop(factory, main)
    return best(lambda: _on_loop(factory, main)) / (_TASKS * _STEPS)


def _conversing(factory: LoopFactory) -> float:
    """A message of 64 bytes between two tasks over a pair of sockets, on asyncio's streams."""
    return best(lambda: _on_loop(factory, _converse), rounds=3) / (2 * _MESSAGES)


async def _converse() -> None:
    one, other = socket.socketpair()
    here, there = await asyncio.open_connection(sock=one), await asyncio.open_connection(sock=other)
    echo = asyncio.ensure_future(_echo(*there))
    reader, writer = here
    for _ in range(_MESSAGES):
        writer.write(bytes(64))
        await reader.readexactly(64)
    await echo
    for _, writer in (here, there):
        writer.close()
        await writer.wait_closed()


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    for _ in range(_MESSAGES):
        writer.write(await reader.readexactly(64))


async def _nothing() -> None:
    pass


def _on_loop(factory: LoopFactory, main: Callable[[], Any]) -> None:
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(main())


def _uvloop() -> asyncio.AbstractEventLoop:
    if not standard_streams_are_open():  # libuv would abort the process when it closes one of theirs
        msg = "a standard stream is closed"
        raise RuntimeError(msg)
    loop: asyncio.AbstractEventLoop = import_module("uvloop").new_event_loop()
    return loop


def best(work: Callable[[], object], rounds: int = _ROUNDS) -> float:
    """Seconds that some work takes, the least of several rounds."""
    return min(timed(work) for _ in range(rounds))


def timed(work: Callable[[], object]) -> float:
    """Seconds that some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


_PAUSES = f"best of {_ROUNDS} rounds of {_TASKS} tasks of {_STEPS} sleep(0)"
"""How the three that time suspensions say that they do."""

DIRECT: dict[str, Probe] = {
    "switch_interval": (sys.getswitchinterval, "asked of the interpreter"),
    "call": (_call, f"best of {_ROUNDS} rounds of {_CALLS} calls of an empty function"),
    "switch": (_switch, f"{2 * _TURNS} turns of two threads"),
    "byte": (_byte, "best of 3 trips of 4 MiB through pickle and a pipe"),
    "fresh_byte": (_fresh_byte, f"best of {_ROUNDS} rounds of touching a new MiB"),
    "loop_start": (
        partial(_starting, asyncio.new_event_loop),
        f"best of {_ROUNDS} asyncio loops made, run and closed",
    ),
    "step": (partial(_stepping, asyncio.new_event_loop, _pause), _PAUSES),
    "socket_step": (
        partial(_conversing, asyncio.new_event_loop),
        f"best of 3 rounds of {2 * _MESSAGES} messages on asyncio streams",
    ),
    "uvloop_start": (_uvloop_start, "its import, and a loop beyond asyncio's"),
    "uvloop_step": (partial(_stepping, _uvloop, _pause), _PAUSES),
    "uvloop_socket_step": (partial(_conversing, _uvloop), f"best of 3 rounds of {2 * _MESSAGES} messages"),
    "anyio_step": (_anyio_step, _PAUSES),
}
"""The probes by the field of `Costs` they measure, each with the words for how; cheapest first."""


def for_another_process() -> frozenset[str]:
    """The probes that this process cannot run and another may: importing is timed once, and needs streams.

    Greenlets tell nothing about threads, and a pipe that is full or empty would hold them all up, for ever.
    """
    if is_greenlet():
        return frozenset(each.name for each in fields(Costs))
    if not standard_streams_are_open():
        return frozenset({"uvloop_start", "uvloop_step", "uvloop_socket_step"})
    return frozenset({"uvloop_start"} if "uvloop" in sys.modules else ())
