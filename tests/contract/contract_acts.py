"""What the contract suite runs: callables of one argument that worker processes can import quickly.

Each is a `def`; `twin` gives the same as an `async def`, which waits once before it acts.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import threading
import time
import types
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import attrs

__all__ = ["ACTS", "CALLER", "checkpoint", "nap", "twin"]

CALLER: ContextVar[str] = ContextVar("contract_caller", default="nobody")
CHANGED: ContextVar[int] = ContextVar("contract_changed", default=-1)
_FIRST: list[Any] = []  # what stands there before any item has changed it
EQUALS: ContextVar[list[Any]] = ContextVar("contract_equals", default=_FIRST)
ACTS: list[Callable[[Any], Any]] = []
_TWINS: dict[Callable[[Any], Any], Callable[[Any], Any]] = {}


def _in_trio() -> bool:
    trio = sys.modules.get("trio")
    return trio is not None and bool(trio.lowlevel.in_trio_run())


async def checkpoint() -> None:
    """Let the loop turn, whichever it is."""
    await nap(0)


async def nap(seconds: float) -> None:
    """Sleep on the running loop, whichever it is."""
    if _in_trio():
        await sys.modules["trio"].sleep(seconds)
    else:
        import asyncio

        await asyncio.sleep(seconds)


def act(fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Give a `def` its `async def`, which a worker finds under its own name."""

    async def awaited(item: Any) -> Any:
        await checkpoint()
        return fn(item)

    return pair(fn, awaited)


def pair(fn: Callable[[Any], Any], awaited: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Register a `def` and the `async def` that does the same, in the same module."""
    awaited.__name__ = awaited.__qualname__ = f"{fn.__name__}_awaited"
    awaited.__module__ = fn.__module__
    setattr(sys.modules[fn.__module__], awaited.__name__, awaited)
    _TWINS[fn] = awaited
    ACTS.append(fn)
    return fn


def twin(fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The `async def` of a `def`."""
    return _TWINS[fn]


@act
def double(number):
    return 2 * number


@act
def identity(item):
    return item


@act
def where(_item):
    return os.getpid()


@act
def descriptors_held(_item):
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@act
def invert(number):
    return 1 / number


@act
def logged(item):
    """Append an item to a log that all processes share, and give it back."""
    path, item = item
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(descriptor, f"{item}\n".encode())
    finally:
        os.close(descriptor)
    return item


def calls(path: Path) -> list[str]:
    """What `logged` wrote, in the order of the calls."""
    return path.read_text().split() if path.exists() else []


async def _sleep_awaited(seconds):
    await nap(seconds)
    return seconds


def sleep(seconds):
    time.sleep(seconds)
    return seconds


pair(sleep, _sleep_awaited)


RELEASE = threading.Event()
"""Ends what `hold` holds in this process: a thread cannot be stopped."""


async def _hold_awaited(seconds):
    await nap(seconds)
    return seconds


def hold(seconds):
    """Sleep so long, unless released."""
    if seconds:
        RELEASE.wait(seconds)
    return seconds


pair(hold, _hold_awaited)


async def _hold_up_awaited(seconds):
    time.sleep(seconds)  # noqa: ASYNC251 - what is tried
    return seconds


def hold_up(seconds):
    """Sleep so long; as a coroutine, hold the loop up."""
    time.sleep(seconds)
    return seconds


pair(hold_up, _hold_up_awaited)


class Ended(BaseException):
    """No `Exception`: it ends a run whatever else is the matter."""


async def hold_up_and_end(seconds):
    time.sleep(seconds)  # noqa: ASYNC251 - what is tried
    if seconds:
        raise Ended
    return seconds


async def _logged_hold_awaited(item):
    path, seconds = item
    logged((path, seconds))
    await nap(seconds)
    return seconds


def logged_hold(item):
    """Log the seconds, then hold for as long."""
    path, seconds = item
    logged((path, seconds))
    return hold(seconds)


pair(logged_hold, _logged_hold_awaited)


PATIENCE = 30.0
"""Seconds after which nobody else will come."""


async def _meet_awaited(item):
    path, number, count = item
    logged((path, number))
    until = time.monotonic() + PATIENCE
    while len(calls(Path(path))) < count and time.monotonic() < until:
        await nap(0.005)
    return number if time.monotonic() < until else None


def meet(item):
    """Log the number, and give it back as soon as the log has so many; None where it never has."""
    path, number, count = item
    logged((path, number))
    until = time.monotonic() + PATIENCE
    while len(calls(Path(path))) < count and time.monotonic() < until:
        time.sleep(0.005)
    return number if time.monotonic() < until else None


pair(meet, _meet_awaited)


def sleep_until_logged(item):
    """Sleep until the log has so many lines; False where it never has."""
    path, count = item
    return _has_logged(path, count, lambda: time.sleep(0.005))


def compute_until_logged(item):
    """The same without a rest between two looks."""
    path, count = item
    return _has_logged(path, count, lambda: None)


def _has_logged(path, count, rest):
    until = time.monotonic() + PATIENCE
    while len(calls(Path(path))) < count:
        if time.monotonic() > until:
            return False
        rest()
    return True


def note(_item=None):
    """Write this process's number where the environment says."""
    descriptor = os.open(os.environ["PIDS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(descriptor, f"{os.getpid()}\n".encode())
    finally:
        os.close(descriptor)


async def _note_and_sleep_awaited(seconds):
    note()
    await nap(seconds)


def note_and_sleep(seconds):
    """Write down this process's number, then sleep."""
    note()
    time.sleep(seconds)


pair(note_and_sleep, _note_and_sleep_awaited)


# Surroundings


def set_environment(name, value):
    """An initializer."""
    os.environ[name] = value


@act
def environment(name):
    return os.environ.get(name)


@act
def flags(name):
    return getattr(sys.flags, name)


@act
def zone(_item):
    return time.tzname[0]


@act
def folder(_item):
    return os.getcwd()  # noqa: PTH109 - quick to import


@act
def third(number):
    import decimal

    return decimal.Decimal(number) / 3


@act
def recursion_limit(_item):
    return sys.getrecursionlimit()


@act
def most_digits(_item):
    return sys.get_int_max_str_digits()


# Context variables


@act
def caller(_item):
    return CALLER.get()


@act
def change_always(number):
    before = CHANGED.get()
    CHANGED.set(number)
    return before


@act
def change_sometimes(number):
    before = CHANGED.get()
    if number % 3 == 1:
        CHANGED.set(number)
    return before


@act
def change_then_fail(number):
    before = CHANGED.get()
    CHANGED.set(number)
    if number % 2:
        raise ValueError(number)
    return before


class Incomparable:
    """Refuses comparison, as arrays do when asked for a yes or no."""

    def __init__(self, label):
        self.label = label

    def __eq__(self, other):
        msg = "ambiguous"
        raise ValueError(msg)

    __hash__ = None


class _WithoutHash(type):
    """Classes of this one cannot stand in a set."""

    def __eq__(cls, other):
        return cls is other

    __hash__ = None


class Unsettable(metaclass=_WithoutHash):
    """A result of such a class."""

    def __init__(self, label):
        self.label = label


HOLDER: ContextVar[Any] = ContextVar("contract_holder", default=Incomparable("nobody"))  # noqa: B039 - never changed


@act
def change_to_incomparable(_item):
    before = HOLDER.get()
    HOLDER.set(Incomparable("an item"))
    return before.label


@act
def change_to_equal(_item):
    before = EQUALS.get()
    EQUALS.set([])
    return "leaked" if before is not _FIRST and before == [] else "clean"


# Failures


class PlainError(Exception):
    """Pickles both ways."""


class RichError(Exception):
    """Keeps fields and survives."""

    def __init__(self, code, reason):
        super().__init__(code, reason)
        self.code = code
        self.reason = reason


class KeywordOnlyError(Exception):
    """Pickles and does not unpickle: `__init__` takes other arguments than it hands on."""

    def __init__(self, *, status):
        super().__init__(f"status {status}")
        self.status = status


class UnpicklableError(Exception):
    """Does not pickle."""

    def __reduce__(self):
        msg = "not me"
        raise TypeError(msg)


@attrs.frozen
class FrozenError(Exception):
    """Takes no attributes, and pickles without its notes."""

    code: int


@dataclass(frozen=True)
class FrozenDataError(Exception):
    """Takes no attributes, not even a traceback."""

    code: int


class SpeechlessError(Exception):
    """Its words are another error."""

    def __str__(self):
        msg = "no words"
        raise RuntimeError(msg)


class EvasiveError(Exception):
    """Raises no AttributeError when it is asked for what it has not, as a proxy that is not connected."""

    def __getattr__(self, name):
        raise RuntimeError(name)


class EndsItsReader:
    """Unpickling it ends the process, as running out of memory does."""

    def __reduce__(self):
        return os._exit, (3,)


class CallsAndEndsItsReader(EndsItsReader):
    """A callable of that kind."""

    def __call__(self, item):
        return item


class RaisesOnDumps:
    """An item or result that does not pickle, not even by cloudpickle."""

    def __reduce__(self):
        msg = "cannot travel"
        raise TypeError(msg)


def explode():
    """Raise."""
    msg = "no landing"
    raise ValueError(msg)


def come_up_alone(path):
    """An initializer that ends all workers but the first."""
    try:
        os.open(path, os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        os._exit(3)


def leave():
    """End the process."""
    os._exit(9)


class RaisesOnLoads:
    """Leaves, and cannot arrive."""

    def __reduce__(self):
        return explode, ()


@act
def raise_plain(number):
    if number == 3:
        raise PlainError("three")
    return number


UNSEEN = 5.0
"""Seconds after which it must be this lane that holds the results, until its batch is over."""


def _is_due(path):
    return Path(path).exists()


async def _raise_once_seen_awaited(item):
    path, number = item
    until = time.monotonic() + UNSEEN
    while number == 3 and not _is_due(path) and time.monotonic() < until:
        await nap(0.005)
    return raise_plain(number)


def raise_once_seen(item):
    """As `raise_plain`, but not before a file tells that the results before it were given."""
    path, number = item
    until = time.monotonic() + UNSEEN
    while number == 3 and not _is_due(path) and time.monotonic() < until:
        time.sleep(0.005)
    return raise_plain(number)


pair(raise_once_seen, _raise_once_seen_awaited)


@act
def raise_rich(number):
    if number == 3:
        raise RichError(404, "gone")
    return number


@act
def raise_keyword_only(number):
    if number == 3:
        raise KeywordOnlyError(status=503)
    return number


@act
def raise_unpicklable(number):
    if number == 3:
        raise UnpicklableError("stays")
    return number


@act
def raise_given(item):
    """Raise what is given, if it is an exception."""
    if isinstance(item, BaseException):
        raise item
    return item


@act
def raise_system_exit(number):
    if number == 3:
        sys.exit("enough")
    return number


@act
def raise_keyboard_interrupt(number):
    if number == 3:
        raise KeyboardInterrupt("by hand")
    return number


async def leave_task(path):
    import asyncio

    async def note_end():
        try:
            await asyncio.sleep(60)
        finally:
            path.write_text("ended", encoding="utf-8")

    task = asyncio.create_task(note_end())
    await asyncio.sleep(0.01)
    return task.done()


async def cancel_itself(number):
    import asyncio

    if number == 3:
        asyncio.current_task().cancel()
    await asyncio.sleep(0)
    return number


@act
def raise_generator_exit(number):
    if number == 3:
        raise GeneratorExit("odd")
    return number


@act
def raise_stop_iteration(number):
    if number == 3:
        raise StopIteration("stop")
    return number


@act
def raise_cancelled(number):
    if number == 3:
        import asyncio

        raise asyncio.CancelledError("no thanks")
    return number


@act
def make_unpicklable(number):
    return RaisesOnDumps() if number == 3 else number


@act
def make_unloadable(number):
    return RaisesOnLoads() if number == 3 else number


@act
def class_of(item):
    return type(item).__name__


@act
def give_coroutine(number):
    return checkpoint() if number == 3 else number


@act
def give_coroutine_or_raise(number):
    return checkpoint() if number == 3 else 1 / number


@act
def make_incomparable(number):
    return Incomparable(number)


@act
def make_unsettable(number):
    return Unsettable(number)


@act
def raise_frozen(number):
    return _all_but_three(number, FrozenError)


@act
def raise_frozen_dataclass(number):
    return _all_but_three(number, FrozenDataError)


@act
def raise_evasive(number):
    return _all_but_three(number, EvasiveError)


@act
def raise_group(number):
    return _all_but_three(number, _group_of)


@act
def raise_deep_group(number):
    return _all_but_three(number, _deep_group_of)


def _deep_group_of(number):
    error = ValueError(number)
    for _ in range(2000):
        error = ExceptionGroup("deep", [error])
    return error


def _group_of(number):
    inner = ExceptionGroup("inner", [FrozenDataError(number), ValueError(number)])
    return ExceptionGroup("outer", [KeywordOnlyError(status=503), inner])


@act
def raise_speechless(number):
    return _all_but_three(number, SpeechlessError)


def _all_but_three(number, kind):
    if number == 3:
        raise kind(number)
    return number


@act
def raise_from(number):
    try:
        return 1 / number
    except ZeroDivisionError as error:
        msg = "wrapped"
        raise ValueError(msg) from error


@act
def logged_failure(item):
    path, number = item
    logged((path, number))
    time.sleep(0.002)
    if number == 3:
        raise PlainError(number)
    return number


class BrokenRepr:
    """Its repr raises."""

    def __repr__(self):
        msg = "no words"
        raise RuntimeError(msg)


# Deaths, for strategies outside this process


@act
def exit_at_three(number):
    if number == 3:
        os._exit(7)
    return number


@act
def close_all_at_three(number):
    """Close what others have opened, once the wire is listened to."""
    if number == 3:
        time.sleep(0.02)
        os.closerange(3, 256)
    return number


_together = threading.Barrier(3)


def kill_together(_item):
    _together.wait()
    os.kill(os.getpid(), signal.SIGKILL)


@act
def kill_at_three(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@act
def segfault_at_three(number):
    if number == 3:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        ctypes.string_at(0)
    return number


@act
def come_out_of_a_fork(item):
    """Give an item, or raise it, in a fork that forgets to end; otherwise how that has ended."""
    path, number = item
    logged((path, number))
    if pid := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return number if number % 2 else raise_given(PlainError(number))


async def _death_in_company_awaited(number):
    await nap(0.05 if number == 3 else 0.1)
    return exit_at_three(number)


def death_in_company(number):
    """Item 3 ends its process while whatever that has in hand besides goes on."""
    time.sleep(0.05 if number == 3 else 0.1)
    return exit_at_three(number)


pair(death_in_company, _death_in_company_awaited)


@act
def logged_death(item):
    path, number = item
    logged((path, number))
    if number == 3:
        os._exit(7)
    return number


@act
def dies_once(item):
    """Die at the first call of item 3, and not again."""
    path, number = item
    known = f"{number}" in calls(Path(path))
    logged((path, number))
    if number == 3 and not known:
        os._exit(7)
    return number


# Coroutines that resist


async def swallow_cancellation(number, seconds):
    """Item 3 sleeps for so long, through every cancellation."""
    import asyncio

    until = time.monotonic() + seconds
    while number == 3 and time.monotonic() < until:
        try:
            await nap(until - time.monotonic())
        except asyncio.CancelledError:
            continue
        except BaseException as error:
            if not _in_trio() or type(error).__name__ != "Cancelled":
                raise
    return number


async def block(seconds):
    """Block the loop."""
    await checkpoint()
    time.sleep(seconds)  # noqa: ASYNC251 - blocking the loop is what it is for
    await checkpoint()
    return seconds


_begun: list[Any] = []


async def block_together(item):
    """Block the loop, once three have begun there."""
    _begun.append(item)
    while len(_begun) < 3:
        await nap(0.001)
    time.sleep(3600)  # noqa: ASYNC251 - as above


async def clean_up_slowly(item):
    """Take a moment to leave, and log that."""
    path, number = item
    if number == 3:
        try:
            await nap(30)
        finally:
            await nap_shielded(0.01)
            logged((path, "left"))
    return number


async def linger(item):
    """Item 0 takes long, and logs that it begins and that it leaves; one below fails meanwhile."""
    path, number = item
    if number:
        await nap(0.05)
        return number if number > 0 else raise_given(PlainError(number))
    logged((path, "begun"))
    try:
        await nap(30)
    finally:
        logged((path, "left"))


async def nap_shielded(seconds):
    """Sleep where cancellation does not reach again, as it would under anyio."""
    if (anyio := sys.modules.get("anyio")) is None:  # as in a worker, whose loop is asyncio's
        await nap(seconds)
        return
    with anyio.CancelScope(shield=True):
        await anyio.sleep(seconds)


# Kinds of callable


def add(left, right):
    return left + right


async def add_awaited(left, right):
    await checkpoint()
    return left + right


@types.coroutine
def add_generated(amount, number):
    """A coroutine as they were before there was `async def`; `await` takes it."""
    yield from checkpoint().__await__()
    return amount + number


class UnrulyAdder:
    """Raises what it likes for a name that it does not know."""

    def __getattr__(self, name):
        raise LookupError(name)

    def __call__(self, number):
        return 5 + number


class Adder:
    """Methods and calls, plain and async."""

    def __init__(self, amount):
        self.amount = amount

    def __call__(self, number):
        return self.amount + number

    def method(self, number):
        return self.amount + number

    async def method_awaited(self, number):
        await checkpoint()
        return self.amount + number

    @staticmethod
    def static(number):
        return 5 + number

    @classmethod
    def of_class(cls, number):
        return 5 + number


class AwaitedAdder(Adder):
    """Its call is an `async def`."""

    async def __call__(self, number):
        await checkpoint()
        return self.amount + number


# Runs inside runs


@act
def nested(item):
    """Run a strategy inside this item."""
    from concurrent_choices import run

    name, number = item
    return run(double, [number, number + 1], strategy=name)


async def nested_arun(number):
    """The same inside a coroutine."""
    from concurrent_choices import arun

    return await arun(double, [number, number + 1], strategy="thread")


def workers_of_nested(count):
    """The threads that a nested run of so many items used."""
    from concurrent_choices import run

    return sorted(set(run(lane, range(count), strategy="thread")))


def processes_of_nested(count):
    """The processes that a nested run of so many items used."""
    from concurrent_choices import ProcessStrategy, run

    items = [0.02] * count
    return sorted(set(run(sleep_where, items, strategy=ProcessStrategy(max_workers=2))))


def sleep_where(seconds):
    time.sleep(seconds)
    return os.getpid()


def lane(_item):
    time.sleep(0.005)
    return threading.get_ident()


def nested_deep(depth):
    """Runs inside runs."""
    from concurrent_choices import run

    if not depth:
        return 3
    return run(nested_deep, [depth - 1], strategy="thread")
