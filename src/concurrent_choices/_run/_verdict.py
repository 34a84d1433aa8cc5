"""What a verdict can do: go on with the work that was begun in measuring it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, overload

from attrs import field, fields, frozen

from .._engine._auto import AutoStrategy
from .._engine._giving_way import GivingWay
from .._facts._recommendation import Recommendation
from .._inspect._callables import is_async
from .._judge._diagnose import RATE_LIMITED
from .._judge._obstacles import IN_PROCESSES
from .._strategies._event_loop import KeptLoopStrategy
from .._strategies._registry import strategy_for
from ..protocols import Strategy
from ._arguments import FOREVER, check_fn_for_executor, check_switches, check_timeout
from ._elsewhere import elsewhere
from ._leftover import Leftover
from ._prepare import refuse_loop

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    R = TypeVar("R", default=Any)  # so that `Verdict` can be written alone; typing has defaults from 3.13 on
else:
    from typing import TypeVar

    R = TypeVar("R")

__all__ = ["Verdict", "able"]


@frozen(kw_only=True, str=False)
class Verdict(Recommendation, Generic[R]):
    """A recommendation that can act. `run(fn, items, strategy=verdict)` takes it too.

    To type checkers a `Verdict[int]` is one whose `run` returns a `list[int]`.

    Pickling or copying it gives a `Recommendation`: the remaining work stays with this object. It is equal to
    no other.
    """

    _leftover: Leftover = field(alias="leftover", repr=False, eq=False)

    @property
    def strategy(self) -> Strategy:
        """The chosen strategy, ready to use."""
        return strategy_for(self.plan)

    @property
    def first_error(self) -> BaseException | None:
        """What the first failed call raised, in the order of items; None where none has failed so far."""
        return self._leftover.first_error()

    @overload
    def run(self, *, timeout: float | None = None, return_exceptions: Literal[False] = False) -> list[R]: ...
    @overload
    def run(self, *, timeout: float | None = None, return_exceptions: bool) -> list[R | Exception]: ...
    def run(self, *, timeout: float | None = None, return_exceptions: bool = False) -> list[Any]:
        """Do the rest of the work and return all results, in input order.

        Items that were called to measure are not called again; their results are part of the list. An
        `async def` that holds something tied to one event loop, such as a client, continues on the asyncio
        loop on which it was sampled. A verdict for another machine does here what is right there. Where calls
        were turned away, the rest goes under `auto`, with no more in flight than were served. So does what is
        left in threads once calls are turned away there, with half as many at most.

        Args:
            timeout: Seconds that each item may take; for a measured call that is still running, from now on.
            return_exceptions: Put an exception in its item's place instead of raising it.

        Raises:
            InvalidArgumentError: The verdict has been run already, or an argument is invalid.
            RunningLoopError: An event loop is running in this thread.
            WorkerStartError: No worker process came up. Where nothing was called, the verdict can run again.
            Exception: Whatever a call or the iterable raised, as for `concurrent_choices.run`.
        """
        refuse_loop("Verdict.run", "await asyncio.to_thread(verdict.run)")
        check_switches(return_exceptions=return_exceptions)
        seconds = check_timeout(timeout)
        fit = self._fit(tolerant=return_exceptions)
        return self._leftover.finish(fit, timeout=seconds, return_exceptions=return_exceptions)

    def _fit(self, *, tolerant: bool) -> Strategy | str:
        """The chosen strategy, on the sample's loop if that was kept.

        "auto" where worker processes would give other results, or cannot load the callable: there may have
        been no time to ask one before. Or they might: where no call has come back, nobody has seen what calls
        change. And where calls were turned away, with no more lanes than the plan has: it makes do with fewer
        as soon as others are. That is so too where these were too few to be sure of a limit, or all that were
        sampled, unless calls are known to compute, if the work goes on after errors; the plan's own threads
        do it then where none was.
        """
        left = self._leftover
        if left.loop is not None:
            return KeptLoopStrategy(self.plan.concurrency, take=left.take_loop)
        in_doubt = tolerant and self.bound != "cpu" and self.profile.congestion > 0
        if (in_doubt or self.diagnosis == RATE_LIMITED) and self.plan.in_flight > 1:
            return AutoStrategy(concurrency=self.plan.in_flight)
        if tolerant and self.plan.strategy == "thread" and self.bound != "cpu" and not is_async(left.fn):
            return GivingWay(self.plan.workers)
        in_processes = self.plan.strategy in IN_PROCESSES
        if not in_processes or left.used:
            return self.strategy
        unseen = not left.results or elsewhere(left.fn, FOREVER, left.tasks).obstacle
        return "auto" if unseen else self.strategy

    def to_json(self, *, indent: int | None = None) -> str:
        """The recommendation as JSON, for `Recommendation.from_json`; it does not include the work.

        Args:
            indent: Spaces per level; None for one line.
        """
        return Recommendation(**_parts(self)).to_json(indent=indent)

    @classmethod
    def from_json(cls, text: str) -> Any:
        """The `Recommendation` that `to_json` wrote; it has no work to go on with."""
        return Recommendation.from_json(text)

    def __reduce__(self) -> tuple[Callable[[], Recommendation], tuple[()]]:
        # The work that is left holds iterators and calls under way, which stay where they are.
        return partial(Recommendation, **_parts(self)), ()

    def executor(self) -> Executor:
        """A `concurrent.futures.Executor` of the chosen kind and size.

        It is one of the standard library's: processes for "process" and "hybrid", spawned rather than forked,
        and threads for all others. Such processes import the main module, which therefore needs a guard, and
        take no lambdas; `pick_executor` returns an executor without these limits.

        Raises:
            InvalidArgumentError: The callable is an `async def`, whose calls an executor would not await.
        """
        check_fn_for_executor(self._leftover.fn)
        import multiprocessing  # noqa: PLC0415 - 10 ms; only executors of processes need it
        from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor  # noqa: PLC0415 - as above

        if self.plan.strategy in IN_PROCESSES:
            context = multiprocessing.get_context("spawn")
            return ProcessPoolExecutor(self.plan.workers, mp_context=context)
        return ThreadPoolExecutor(self.plan.in_flight)


def able(recommendation: Recommendation, leftover: Leftover) -> Verdict[Any]:
    """A recommendation that can act on what is left of the work."""
    return Verdict(leftover=leftover, **_parts(recommendation))


def _parts(recommendation: Recommendation) -> dict[str, Any]:
    return {part.name: getattr(recommendation, part.name) for part in fields(Recommendation)}
