"""Worker processes that perform batches, outside this interpreter's GIL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from attrs import field, frozen

from .._errors import InvalidArgumentError
from .._facts._batch import Batch
from .._facts._numbers import plain_int_or_none
from .._facts._validators import callable_or_none, one_of, positive_or_none
from .._work._job import Job
from ._workers._hosting._pump import Pump
from ._workers._hosting._staffed import Staffed
from ._workers._hosting._staffing import Staffing

__all__ = ["ProcessStrategy"]


def _as_tuple(values: Iterable[Any]) -> tuple[Any, ...]:
    if isinstance(values, (str, bytes)):  # one argument, and not as many as it has letters
        raise _no_tuple(values)
    try:
        return tuple(values)
    except TypeError as error:
        raise _no_tuple(values) from error


def _no_tuple(values: object) -> InvalidArgumentError:
    return InvalidArgumentError("initargs", f"must be a tuple, such as ({values!r},), not {values!r}")


@frozen
class ProcessStrategy(Staffed):
    """Runs a `def` in worker processes; an `async def` on a loop in each, one item at a time.

    The callable, the items and the results are sent by pickle; lambdas, closures and what is defined in
    `__main__`, which workers never import, by cloudpickle. Inside a `with` block the workers stay for the
    next job; otherwise they wait two seconds for another.

    Args:
        max_workers: Processes at most; by default one per CPU that this process may use.
        batch: Items handed to a process at a time; None adapts the number.
        initializer: Called once in each new worker.
        initargs: Its arguments.
        start_method: "fresh" starts from a new interpreter; "fork" copies this process with all its memory
            but without its other threads, so that locks they hold may never be released.

    Raises:
        InvalidArgumentError: A number is no whole one from 1, `initializer` no callable, `initargs` no
            tuple, or there is no such start method.
    """

    name = "process"
    batch: int | None = field(default=None, converter=plain_int_or_none, validator=positive_or_none)
    initializer: Callable[..., object] | None = field(default=None, validator=callable_or_none)
    initargs: tuple[Any, ...] = field(default=(), converter=_as_tuple)
    start_method: Literal["fresh", "fork"] = field(default="fresh", validator=one_of("fresh", "fork"))

    def _new_keeper(self) -> Staffing:
        return Staffing("process", self.start_method, self.initializer, self.initargs)

    def _execute(self, job: Job) -> Iterator[Batch]:
        workers = self.workers_for(job)
        with self._keeper.lend() as host:
            yield from Pump(job, host, workers=workers, batch=self.batch)
