"""Choosing an executor once, at start-up, for applications that want a plain one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

from .._errors import InvalidArgumentError
from .._facts._workload import Workload
from .._inspect._asking import of_type
from .._inspect._callables import name_of
from .._inspect._ownership import recognise_program
from .._inspect._words import show
from .._run._arguments import check_fn, check_fn_for_executor, check_items
from .._run._choosing import recommend
from ._executor import AdaptiveExecutor

__all__ = ["pick_executor"]

MANY = 100_000
"""Calls that an application is taken to make: so many that no start of a worker matters."""


def pick_executor(fn: Callable[..., Any], sample_args: Iterable[Any], *, budget: float = 1.0) -> Executor:
    """An executor of the right kind and size for one callable, chosen by some sample calls.

    Args:
        fn: A `def`. It is really called, once with each sample as far as the budget allows.
        sample_args: The arguments of the sample calls: a tuple holds the positional arguments of one call;
            anything else is its only argument.
        budget: Seconds to spend at most.

    Returns:
        A `ThreadPoolExecutor`, or an `AdaptiveExecutor` whose calls all go to worker processes, which never
        import the caller's main module. The caller shuts it down.

    Raises:
        InvalidArgumentError: `fn` is no callable or an `async def`, there is no sample, or all
            samples raised.
    """
    check_fn(fn)
    check_fn_for_executor(fn)
    check_items(sample_args, "sample_args")
    recognise_program(fn)
    samples = [_arguments(each) for each in sample_args]
    if not samples:
        raise InvalidArgumentError("sample_args", "must hold at least one call's arguments")
    workload = Workload(_Spread(fn), samples, items_count=MANY, name=name_of(fn))
    verdict = recommend(workload, budget=budget, verify=False)
    if verdict.profile.failed:
        first = verdict.first_error
        problem = f"every call with them raised, the first {show(first)}; a tuple is a call's arguments"
        raise InvalidArgumentError("sample_args", problem) from first
    thread, process = verdict.estimate("thread"), verdict.estimate("process")
    # Of what waits a process would only wait as well, whatever a noisy sample made of it.
    if verdict.bound != "io" and process.seconds is not None and process.expected < thread.expected:
        return AdaptiveExecutor(max_processes=process.plan.workers, place="process")
    return ThreadPoolExecutor(max(1, thread.plan.workers))


def _arguments(sample: Any) -> tuple[Any, ...]:
    alone: tuple[Any, ...] = (sample,)
    return sample if of_type(sample, tuple) else alone


class _Spread:
    """A callable of one tuple, which it takes for positional arguments."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self._fn = fn

    def __call__(self, args: tuple[Any, ...]) -> Any:
        """Make one call."""
        return self._fn(*args)
