"""One call off the event loop: `await offload(fn, *args)`, or `@offload` over a `def`."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import suppress
from functools import update_wrapper
from operator import attrgetter
from types import CoroutineType, MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from .._errors import InvalidArgumentError
from .._inspect._callables import is_async, is_generator, name_of
from .._inspect._ownership import MAINS
from .._runtime._mutex import freed_in_forks
from .._runtime._running_loop import on_asyncio, on_trio
from ._calls._tasks import Task
from ._core import Core
from ._cores import new_core
from ._settings import Settings

__all__ = ["Offloaded", "offload"]

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
Rest = ParamSpec("Rest")
Result = TypeVar("Result")

_lock = freed_in_forks()
_shared: list[Core] = []


@overload
def offload(fn: Callable[P, R], /) -> Offloaded[P, R]: ...
@overload
def offload(fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, R]: ...
def offload(fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Make one blocking or computing call, wherever it is best, without blocking the event loop.

    Calls that wait, or compute outside the GIL, run in threads; those that compute under the GIL for long run
    in worker processes, as soon as a few of them have shown it. One `AdaptiveExecutor` serves all of a
    program's calls. It works under asyncio (uvloop too) and trio.

    If it is cancelled before the call began, the call is not made. If the call runs in a worker process, that
    process is ended and replaced. If it runs in a thread it cannot be stopped, but nobody waits for it.

    Args:
        fn: A `def`. If it is the only argument, an async callable is returned, so that `@offload` works.
        *args: Its positional arguments.
        **kwargs: Its keyword arguments.

    Returns:
        A coroutine of the result, like that of `asyncio.to_thread`: `asyncio.run` takes it too, and the call
        is made at its first step. If `fn` came alone, an async callable, which may also be awaited itself for
        a call without arguments.

    Raises:
        InvalidArgumentError: `fn` is no callable; or an `async def`, which can be awaited where it is; or a
            generator function, whose call runs nothing. When awaited: `fn` returned a coroutine.
        RuntimeError: It was awaited where no event loop runs, or `fn` raised StopIteration, the cause.
        TypeError: A method of an object was awaited without having been called.

    Examples:
        >>> import asyncio
        >>> async def main():
        ...     return await offload(pow, 2, 10)
        >>> asyncio.run(main())
        1024
    """
    if not callable(fn) or is_async(fn) or is_generator(fn):
        _refuse(fn)
    return _awaited(fn, args, kwargs) if args or kwargs else Offloaded(fn)


class Offloaded(Generic[P, R]):
    """A `def` whose calls are awaited and run off the event loop.

    Args:
        fn: The `def`.
        owner: The object it is bound to, if it is a method and that is known: one at most.
    """

    # By this asyncio and Django tell before 3.12 that a call is to be awaited; for inspect see below.
    _is_coroutine: Any = getattr(asyncio.coroutines, "_is_coroutine", None)

    def __init__(self, fn: Callable[..., R], *owner: Any) -> None:
        update_wrapper(self, MethodType(fn, *owner) if owner else fn)
        self._fn = fn
        self._owner = owner

    async def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call it with these arguments, off the event loop."""
        result: R = await _awaited(self._fn, (*self._owner, *args), kwargs)
        return result

    def __await__(self) -> Generator[Any, Any, R]:
        """Call it without arguments.

        Not a method: `asyncio.gather` awaits what is equal once, as it does what it is given twice.
        """
        if self._owner:
            msg = f"{name_of(self._fn)} is a method: call it to await its result, as in await x.method()"
            raise TypeError(msg)
        return _awaited(self._fn, (), {}).__await__()

    @overload
    def __get__(self, owner: None, kind: type, /) -> Offloaded[P, R]: ...
    @overload
    def __get__(
        self: Offloaded[Concatenate[S, Rest], Result], owner: S, kind: type | None = ..., /
    ) -> Offloaded[Rest, Result]: ...
    def __get__(self, owner: Any, kind: type | None = None, /) -> Any:
        """As a method, bound to its object. In Python's own bound method nobody would see what is async."""
        return self if owner is None or self._owner else Offloaded(self._fn, owner)

    def __eq__(self, other: object) -> bool:
        """Whether it is the same method of the same object, which is bound anew whenever it is asked for.

        Else it equals itself alone: two that call the same function are two calls.
        """
        return self is other or (
            isinstance(other, Offloaded) and bool(self._owner) and self._key() == other._key()
        )

    def __hash__(self) -> int:
        """As `__eq__` has it; what it holds may have no hash."""
        return hash(self._key()) if self._owner else id(self)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """By name where that leads here, and not to the function; a method by its object and name."""
        if self._owner:
            return (getattr, (*self._owner, self._fn.__name__))
        return self._fn.__qualname__ if self._is_found_by_name() else (Offloaded, (self._fn,))

    def _is_found_by_name(self) -> bool:
        """Whether it stands where its function was defined, as a decorated one does.

        Workers do not import the main module: what is from there travels with its function.
        """
        try:
            home = self._fn.__module__
            return home not in MAINS and attrgetter(self._fn.__qualname__)(sys.modules[home]) is self
        except (AttributeError, KeyError):
            return False

    def _key(self) -> tuple[int, ...]:
        return tuple(map(id, (self._fn, *self._owner)))


if sys.version_info >= (3, 12):
    # On the class: on each object of it, `functools.wraps` would hand the mark on to what is no coroutine.
    inspect.markcoroutinefunction(Offloaded)


def _refuse(fn: Any) -> None:
    if not callable(fn):
        problem = f"must be callable, not {type(fn).__name__}; write offload(fn, x), not offload(fn(x))"
        raise InvalidArgumentError("fn", problem)
    if is_generator(fn):
        problem = (
            f"{name_of(fn)} is a generator function: calling it runs nothing, and its items would be made on "
            "the loop; offload a def that returns them, for example in a list"
        )
        raise InvalidArgumentError("fn", problem)
    problem = f"{name_of(fn)} is an async def: await it, and offload what blocks inside it"
    raise InvalidArgumentError("fn", problem)


async def _awaited(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Asks for the loop at its first step: as `to_thread` has it, it may be made before there is one."""
    ended: Callable[[Core, Task], Awaitable[None]]
    if on_asyncio():
        ended = _ended_under_asyncio
    elif on_trio():
        await sys.modules["trio"].lowlevel.checkpoint_if_cancelled()
        ended = _ended_under_trio
    else:
        msg = "what offload returns must be awaited under asyncio or trio; elsewhere, call fn itself"
        raise RuntimeError(msg)
    core = _core()
    task = core.submit(fn, args, kwargs)
    await ended(core, task)
    # Not by `asyncio.wrap_future`, for which whoever awaits a call that raised StopIteration waits for ever.
    try:
        return _checked(fn, task.result())
    finally:
        del task  # an error's traceback holds this frame, which would hold what holds the error


def _core() -> Core:
    """An `AdaptiveExecutor` without its face, which serves all of a program's calls."""
    if not _shared:
        with _lock:
            if not _shared:
                _shared.append(new_core(Settings(name="offload")))
    return _shared[0]


async def _ended_under_asyncio(core: Core, task: Task) -> None:
    loop = asyncio.get_running_loop()
    waiter = loop.create_future()

    def wake() -> None:
        if not waiter.done():
            waiter.set_result(None)

    def done(_future: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody is left to be told
            loop.call_soon_threadsafe(wake)

    task.add_done_callback(done)
    try:
        await waiter
    except asyncio.CancelledError:
        core.abandon(task)
        raise


async def _ended_under_trio(core: Core, task: Task) -> None:
    trio: Any = sys.modules["trio"]
    me, token = trio.lowlevel.current_task(), trio.lowlevel.current_trio_token()
    waiting = [True]

    def wake() -> None:
        if waiting[0]:
            waiting[0] = False
            trio.lowlevel.reschedule(me)

    def done(_future: object) -> None:
        try:
            token.run_sync_soon(wake)
        except trio.RunFinishedError:
            return  # nobody is left to be told

    def abort(_raise_cancel: object) -> Any:
        waiting[0] = False
        core.abandon(task)
        return trio.lowlevel.Abort.SUCCEEDED

    task.add_done_callback(done)
    await trio.lowlevel.wait_task_rescheduled(abort)


def _checked(fn: Any, result: Any) -> Any:
    """What a call gave; a coroutine would be awaited by nobody, and could not come from a process."""
    if type(result) is CoroutineType:
        result.close()
        problem = (
            f"{name_of(fn)} gave back a coroutine that nothing awaits; "
            "await it, and offload what blocks inside it"
        )
        raise InvalidArgumentError("fn", problem)
    return result
