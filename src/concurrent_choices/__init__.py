"""Concurrency strategies for Python, with a decision helper.

`run(fn, items)` calls a function on every item, with the kind of concurrency that suits it; `stream`, `arun`
and `astream` are its lazy and its asynchronous forms. `recommend(fn, items)` measures, and says which kind
that is, and why. `offload`, `AdaptiveExecutor` and `EndpointAdvisor` are for applications.

The layers of the code; imports go downwards only:

_cli  _plugin  _embed              for the command line, for pytest, for applications
_run                              run, stream, arun, astream, recommend: choosing meets doing
_engine                           deciding while working: "auto"
_strategies  _measure  _judge     doing: sequential, loops, threads, processes; looking; deciding
protocols                         what a strategy is
_work  _transfer                  the source, the batches; how a callable gets to another process
_mutation                         whether calls change what their callable holds
_inspect                          what can be told of a callable before it is called
_runtime                          threads and locks, loops, contexts, signals
_platform  _facts                 what this machine offers; nouns
_errors                           everything raised on purpose
"""

from __future__ import annotations

TYPE_CHECKING = False  # checkers know the name; importing typing would cost a worker's start 5 ms

if TYPE_CHECKING:
    from typing import Any

    from ._embed._advisor._middleware import EndpointAdvisor
    from ._embed._executor import AdaptiveExecutor
    from ._embed._offload import offload
    from ._embed._pick import pick_executor
    from ._engine._auto import AutoStrategy
    from ._engine._report import RunReport, run_report
    from ._errors import (
        ClosedStrategyError,
        ConcurrentChoicesError,
        InvalidArgumentError,
        ItemError,
        ItemTimeoutError,
        MissingExtraError,
        NotPicklableError,
        QueueFullError,
        RemoteError,
        ResultLostError,
        RunningLoopError,
        UnawaitedError,
        UnknownStrategyError,
        WorkerDiedError,
        WorkerStartError,
    )
    from ._facts._batch import Batch, Claim
    from ._facts._estimate import Estimate
    from ._facts._machine import Machine
    from ._facts._plan import Plan
    from ._facts._profile import Profile
    from ._facts._recommendation import Recommendation
    from ._facts._workload import Workload
    from ._run._async import arun, astream
    from ._run._choosing import recommend
    from ._run._sync import run, stream
    from ._run._verdict import Verdict
    from ._strategies._anyio import AnyioStrategy
    from ._strategies._event_loop import AsyncioStrategy, UvloopStrategy
    from ._strategies._hybrid import HybridStrategy
    from ._strategies._processes import ProcessStrategy
    from ._strategies._sequential import SequentialStrategy
    from ._strategies._threads import ThreadStrategy
    from ._work._job import Job
    from .protocols import AsyncStrategy, Strategy

__all__ = [
    "AdaptiveExecutor",
    "AnyioStrategy",
    "AsyncStrategy",
    "AsyncioStrategy",
    "AutoStrategy",
    "Batch",
    "Claim",
    "ClosedStrategyError",
    "ConcurrentChoicesError",
    "EndpointAdvisor",
    "Estimate",
    "HybridStrategy",
    "InvalidArgumentError",
    "ItemError",
    "ItemTimeoutError",
    "Job",
    "Machine",
    "MissingExtraError",
    "NotPicklableError",
    "Plan",
    "ProcessStrategy",
    "Profile",
    "QueueFullError",
    "Recommendation",
    "RemoteError",
    "ResultLostError",
    "RunReport",
    "RunningLoopError",
    "SequentialStrategy",
    "Strategy",
    "ThreadStrategy",
    "UnawaitedError",
    "UnknownStrategyError",
    "UvloopStrategy",
    "Verdict",
    "WorkerDiedError",
    "WorkerStartError",
    "Workload",
    "arun",
    "astream",
    "offload",
    "pick_executor",
    "recommend",
    "run",
    "run_report",
    "stream",
]

_HOMES = {
    "_embed._advisor._middleware": ("EndpointAdvisor",),
    "_embed._executor": ("AdaptiveExecutor",),
    "_embed._offload": ("offload",),
    "_embed._pick": ("pick_executor",),
    "_engine._auto": ("AutoStrategy",),
    "_engine._report": ("RunReport", "run_report"),
    "_run._async": ("arun", "astream"),
    "_run._choosing": ("recommend",),
    "_run._sync": ("run", "stream"),
    "_run._verdict": ("Verdict",),
    "_strategies._anyio": ("AnyioStrategy",),
    "_strategies._event_loop": ("AsyncioStrategy", "UvloopStrategy"),
    "_strategies._hybrid": ("HybridStrategy",),
    "_strategies._processes": ("ProcessStrategy",),
    "_strategies._sequential": ("SequentialStrategy",),
    "_strategies._threads": ("ThreadStrategy",),
    "protocols": ("AsyncStrategy", "Strategy"),
    "_work._job": ("Job",),
    "_facts._batch": ("Batch", "Claim"),
    "_facts._machine": ("Machine",),
    "_facts._plan": ("Plan",),
    "_facts._estimate": ("Estimate",),
    "_facts._profile": ("Profile",),
    "_facts._recommendation": ("Recommendation",),
    "_facts._workload": ("Workload",),
}
_WHERE = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    # A worker process imports this package too, and must be up in milliseconds: nothing is loaded
    # before it is asked for.
    if name not in __all__:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module  # noqa: PLC0415 - as above

    value = getattr(import_module(f".{_WHERE.get(name, '_errors')}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
