"""An event loop: asyncio's own or uvloop's. The loop is a factory; the strategy is the same."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from attrs import field, frozen

from .._errors import MissingExtraError
from .._platform._files import standard_streams_are_open
from ._lanes._loop_backed import LoopBacked

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

__all__ = ["AsyncioStrategy", "KeptLoopStrategy", "UvloopStrategy", "has_uvloop", "why_no_uvloop"]


@frozen
class AsyncioStrategy(LoopBacked):
    """Runs an `async def` as tasks on one asyncio loop; a `def` in that many threads.

    The loop has 64 threads for `asyncio.to_thread`, instead of asyncio's default of CPUs + 4.

    Args:
        concurrency: Items in flight at once.

    Raises:
        InvalidArgumentError: `concurrency` is no whole number from 1.
    """

    name = "asyncio"


@frozen
class KeptLoopStrategy(AsyncioStrategy):
    """As `AsyncioStrategy`, on a loop that others have run on before; it is closed at the end.

    `take` gives that loop, as soon as it does not run any more.
    """

    take: Callable[[], AbstractEventLoop] = field(kw_only=True)

    def _new_loop(self) -> AbstractEventLoop:
        return self.take()


@frozen
class UvloopStrategy(AsyncioStrategy):
    """Like `AsyncioStrategy`, but on uvloop, which spends less time on each socket wait.

    Inside a running loop (`arun`), that loop is used. If uvloop is not installed, a run raises
    `MissingExtraError`.
    """

    name = "uvloop"

    def _new_loop(self) -> AbstractEventLoop:
        try:
            import uvloop  # noqa: PLC0415 - 30 ms, and not there on every platform
        except ModuleNotFoundError as error:
            feature = 'strategy "uvloop"'
            raise MissingExtraError(feature, "uvloop") from error
        except RuntimeError:  # it loads thread pools, which cannot be as the interpreter ends
            return super()._new_loop()
        if not standard_streams_are_open():
            return super()._new_loop()  # libuv would abort the process when it closes one of theirs
        from .._runtime._own_loops import with_threads  # noqa: PLC0415 - asyncio costs 30 ms; as above

        return with_threads(uvloop.new_event_loop)


def has_uvloop() -> bool:
    """Whether uvloop is installed, as far as can be told without loading it."""
    from importlib.util import find_spec  # noqa: PLC0415 - 3 ms, and hardly ever needed

    # Where it is loaded, find_spec asks the module itself, and raises if that does not know.
    return bool(sys.modules.get("uvloop") or find_spec("uvloop"))


def why_no_uvloop() -> str:
    """Why uvloop cannot be loaded here; empty where it can. It is loaded then."""
    try:
        import_module("uvloop")
    except (ImportError, RuntimeError) as error:  # it refuses in a subinterpreter, and at the end of one
        return f"its package does not load here: {error}"
    return ""
