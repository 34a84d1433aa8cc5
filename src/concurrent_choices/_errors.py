"""Everything raised on purpose.

ConcurrentChoicesError
├── InvalidArgumentError (ValueError, TypeError)   an argument that cannot work; nothing was started
│   └── UnknownStrategyError                       no strategy of that name
├── MissingExtraError (ImportError)                the strategy exists, its package is not installed
├── RunningLoopError (RuntimeError)                `run` where an event loop runs: use `arun`
├── ClosedStrategyError (RuntimeError)             a strategy used after its `with` block
├── QueueFullError (RuntimeError)                  an executor whose queue is full, asked to reject
├── WorkerStartError (RuntimeError)                worker processes do not come up
└── ItemError                                      one item, named by index and repr
    ├── ItemTimeoutError (TimeoutError)            it outlasted `timeout`
    ├── UnawaitedError (TypeError)                 its call gave back a coroutine
    ├── NotPicklableError (TypeError)              it, or its result, cannot cross to a process
    ├── RemoteError                                it raised in a worker what cannot be brought here
    └── WorkerDiedError (RuntimeError)             its worker process died while it ran
        └── ResultLostError                        it was started, and its result died with the worker

Every error keeps its fields in ``args`` and writes its text in ``__str__``, so it survives pickling.
"""

from __future__ import annotations

TYPE_CHECKING = False  # checkers know the name; importing typing would cost a worker's start 5 ms

if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "ClosedStrategyError",
    "ConcurrentChoicesError",
    "InvalidArgumentError",
    "ItemError",
    "ItemTimeoutError",
    "MissingExtraError",
    "NotPicklableError",
    "QueueFullError",
    "RemoteError",
    "ResultLostError",
    "RunningLoopError",
    "UnawaitedError",
    "UnknownStrategyError",
    "WorkerDiedError",
    "WorkerStartError",
]


class ConcurrentChoicesError(Exception):
    """The root of every error this library raises on purpose."""


class InvalidArgumentError(ConcurrentChoicesError, ValueError, TypeError):
    """An argument is invalid; nothing was started.

    It is both a ``ValueError`` and a ``TypeError``, so code that catches either catches it.

    Attributes:
        argument: The argument's name.
        problem: What is wrong with it and what would be valid.
    """

    def __init__(self, argument: str, problem: str) -> None:
        super().__init__(argument, problem)
        self.argument = argument
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.argument}: {self.problem}"


class UnknownStrategyError(InvalidArgumentError):
    """No strategy has that name; the message lists the names that exist."""


class MissingExtraError(ConcurrentChoicesError, ImportError):
    """A strategy or feature exists, but its package is not installed here.

    Attributes:
        feature: What was asked for.
        extra: The extra of this package that brings it.
    """

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(feature, extra)
        self.feature = feature
        self.extra = extra

    def __str__(self) -> str:
        return (
            f"{self.feature} needs a package that is not installed; "
            f"install it with: pip install 'concurrent_choices[{self.extra}]'"
        )


class RunningLoopError(ConcurrentChoicesError, RuntimeError):
    """A blocking call was made in a thread whose event loop is running.

    Attributes:
        called: The function that was called.
        instead: The one to call here.
    """

    def __init__(self, called: str, instead: str) -> None:
        super().__init__(called, instead)
        self.called = called
        self.instead = instead

    def __str__(self) -> str:
        return (
            f"{self.called}() would block the event loop that runs in this thread; use {self.instead} instead"
        )


class ClosedStrategyError(ConcurrentChoicesError, RuntimeError):
    """A strategy was used after its ``with`` block had ended.

    Attributes:
        strategy: Its name.
    """

    def __init__(self, strategy: str) -> None:
        super().__init__(strategy)
        self.strategy = strategy

    def __str__(self) -> str:
        return f"this {self.strategy} strategy is closed; make a new one or stay inside its with block"


class QueueFullError(ConcurrentChoicesError, RuntimeError):
    """The queue of an executor is full, and it was told to reject more calls.

    Attributes:
        call: The call that was rejected.
        max_queue: How many may wait.
    """

    def __init__(self, call: str, max_queue: int) -> None:
        super().__init__(call, max_queue)
        self.call = call
        self.max_queue = max_queue

    def __str__(self) -> str:
        return (
            f"{self.call} was rejected: max_queue={self.max_queue} calls wait already; submit it later, "
            'or let the executor wait (when_full="block") or run it in the caller (when_full="caller")'
        )


class WorkerStartError(ConcurrentChoicesError, RuntimeError):
    """Worker processes cannot be started, or end before they are ready.

    Attributes:
        reason: What was seen of them.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"no worker process came up: {self.reason}"


class ItemError(ConcurrentChoicesError):
    """Something happened to one item.

    Attributes:
        index: The item's place in the input, from 0.
        item: Its shortened repr.
    """

    def __init__(self, index: int, item: str, *details: object) -> None:
        super().__init__(index, item, *details)
        self.index = index
        self.item = item

    def __str__(self) -> str:
        return f"item {self.index} ({self.item})"


class ItemTimeoutError(ItemError, TimeoutError):
    """An item took longer than its ``timeout``.

    Attributes:
        timeout: The seconds it was given.
        aftermath: What became of the call.
    """

    def __init__(self, index: int, item: str, timeout: float, aftermath: str) -> None:
        super().__init__(index, item, timeout, aftermath)
        self.errno = None  # an OSError by descent, it would take the index for one
        self.timeout = timeout
        self.aftermath = aftermath

    def __reduce__(self) -> tuple[Any, ...]:
        # OSError keeps two of its arguments only.
        fields = (self.index, self.item, self.timeout, self.aftermath)
        return type(self), fields, self.__dict__

    def __str__(self) -> str:
        return f"{super().__str__()} took longer than timeout={self.timeout:g} s; {self.aftermath}"


class UnawaitedError(ItemError, TypeError):
    """A call returned a coroutine, which nothing awaits, instead of a value."""

    def __str__(self) -> str:
        return (
            f"{super().__str__()} gave back a coroutine that nothing awaits; "
            "pass the async function itself, or an `async def` that awaits it"
        )


class NotPicklableError(ItemError, TypeError):
    """An item or a result cannot be pickled for its way between processes.

    Attributes:
        what: ``"item"`` or ``"result"``.
        reason: The pickler's own words.
    """

    def __init__(self, index: int, item: str, what: str, reason: str) -> None:
        super().__init__(index, item, what, reason)
        self.what = what
        self.reason = reason

    def __str__(self) -> str:
        subject = "cannot be pickled" if self.what == "item" else "gave a result that cannot be pickled"
        return (
            f"{super().__str__()} {subject} for its trip between processes ({self.reason}); "
            'send something picklable, or use strategy="thread" (place="thread" of an executor)'
        )


class RemoteError(ItemError):
    """An item raised, in a worker process, an exception that cannot be pickled.

    Attributes:
        type_name: The exception's qualified class name.
        message: Its text.
        traceback: The worker's formatted traceback.
    """

    def __init__(self, index: int, item: str, type_name: str, message: str, traceback: str) -> None:
        super().__init__(index, item, type_name, message, traceback)
        self.type_name = type_name
        self.message = message
        self.traceback = traceback

    def __str__(self) -> str:
        return (
            f"{super().__str__()} raised {self.type_name}: {self.message} "
            "(it cannot be pickled and read back, so this stands for it; let it hold only what can be, "
            f'or use strategy="thread", place="thread" of an executor)\n\n{self.traceback}'
        )


class WorkerDiedError(ItemError, RuntimeError):
    """A worker process died while it ran this item.

    Attributes:
        pid: The worker's process id.
        exitcode: Its exit status; negative is the number of the signal that killed it.
    """

    def __init__(self, index: int, item: str, pid: int, exitcode: int | None) -> None:
        super().__init__(index, item, pid, exitcode)
        self.pid = pid
        self.exitcode = exitcode

    def _death(self) -> str:
        if self.exitcode is None:
            return f"worker process {self.pid} died"
        if self.exitcode < 0:
            killer = _signal_name(-self.exitcode)
            return f"worker process {self.pid} was killed by {killer} (exit code {self.exitcode})"
        return f"worker process {self.pid} exited with code {self.exitcode}"

    def __str__(self) -> str:
        return f"{super().__str__()}: {self._death()} while it ran"


class ResultLostError(WorkerDiedError):
    """An item was started, and its result was lost with its worker.

    It was not called again, because a call may have had effects; ``idempotent=True`` allows it.
    """

    def __str__(self) -> str:
        return (
            f"item {self.index} ({self.item}): {self._death()} before its result arrived; "
            "it was not called again (idempotent=True would allow that)"
        )


def _signal_name(number: int) -> str:
    import signal  # noqa: PLC0415 - a worker's start can do without

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
