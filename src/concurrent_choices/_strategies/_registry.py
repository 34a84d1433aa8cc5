"""The strategies by name, imported when they are first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .._errors import InvalidArgumentError, UnknownStrategyError
from ..protocols import Strategy

if TYPE_CHECKING:
    from .._facts._plan import Plan

__all__ = ["NAMES", "load", "resolve", "strategy_for"]

NAMES = {
    "sequential": "_sequential:SequentialStrategy",
    "asyncio": "_event_loop:AsyncioStrategy",
    "uvloop": "_event_loop:UvloopStrategy",
    "anyio": "_anyio:AnyioStrategy",
    "thread": "_threads:ThreadStrategy",
    "process": "_processes:ProcessStrategy",
    "hybrid": "_hybrid:HybridStrategy",
}
"""Name to module and class, from the simplest to the most demanding."""


def load(name: str) -> Any:
    """The class behind a registered name.

    Raises:
        UnknownStrategyError: No strategy has that name; the message lists those there are.
    """
    if name not in NAMES:
        listed = ", ".join(map(repr, ("auto", *NAMES)))
        raise UnknownStrategyError("strategy", f"no strategy {name!r}; there are {listed}")
    module, _, attribute = NAMES[name].partition(":")
    return getattr(import_module(f"{__package__}.{module}"), attribute)


def strategy_for(plan: Plan) -> Strategy:
    """The strategy that does what a plan says, which may come from a file of another release.

    Raises:
        InvalidArgumentError: There is no such strategy, or it cannot have so many workers.
    """
    options: dict[str, dict[str, Any]] = {
        "sequential": {},
        "thread": {"max_workers": plan.workers, "batch": plan.batch},
        "process": {"max_workers": plan.workers, "batch": plan.batch},
        "hybrid": {"max_workers": plan.workers, "concurrency": plan.inside},
    }
    default = {"concurrency": plan.concurrency}
    chosen: Strategy = load(plan.strategy)(**options.get(plan.strategy, default))
    return chosen


def resolve(strategy: object) -> Strategy:
    """A strategy from its name, from an object, or from something that recommends one.

    Raises:
        UnknownStrategyError: No strategy has that name; the message lists those there are.
        InvalidArgumentError: It is neither a name nor a strategy.
    """
    if isinstance(strategy, str):
        found: Strategy = load(strategy)()
        return found
    if isinstance(strategy, type) and hasattr(strategy, "execute"):
        advice = f"give an object, such as {strategy.__name__}(), not the class"
        raise InvalidArgumentError("strategy", advice)
    if isinstance(strategy, Strategy):
        return strategy
    from .._facts._plan import Plan  # noqa: PLC0415 - with json it would cost each first run 2.5 ms

    plan = getattr(strategy, "plan", None)
    if isinstance(plan, Plan):
        return strategy_for(plan)
    if isinstance(strategy, Plan):
        advice = "give the verdict itself, as in run(fn, items, strategy=verdict), not its plan"
        raise InvalidArgumentError("strategy", advice)
    problem = (
        'must be a name, such as "thread", or an object with `name` and `execute`, such as '
        f"ThreadStrategy(max_workers=8), not {strategy!r}"
    )
    raise InvalidArgumentError("strategy", problem)
