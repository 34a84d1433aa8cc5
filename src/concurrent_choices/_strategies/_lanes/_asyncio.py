"""Serving a job's `async def` on asyncio loops: in the caller's thread, beside it, or in many threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from math import inf

from ..._facts._batch import Batch
from ..._work._job import Job
from ._asyncio_host import AsyncioHost, run_loop
from ._crew import Crew
from ._keeper import Keeper
from ._loops import RunShift, loop_body
from ._shift import Shift
from ._threads import Floor

__all__ = ["run_shift", "serve_alone", "serve_with"]

Factory = Callable[[], asyncio.AbstractEventLoop]


def run_shift(factory: Factory, shift: Shift, register: Callable[[Callable[[], None]], None]) -> None:
    """Run a shift to its end on a new asyncio loop."""

    async def main() -> None:
        host = AsyncioHost()
        register(host.wake_soon)
        await shift.serve(host)

    run_loop(factory, main())


def serve_alone(
    job: Job,
    keeper: Keeper[Crew],
    *,
    concurrency: int,
    factory: Factory = asyncio.new_event_loop,
) -> Iterator[Batch]:
    """One loop with `concurrency` items in flight."""
    return serve_with(job, partial(run_shift, factory), concurrency, keeper)


def serve_with(job: Job, run: RunShift, concurrency: int, keeper: Keeper[Crew]) -> Iterator[Batch]:
    """One loop, run by `run`: in this thread where nobody looks before the end, else beside it.

    A loop that only ran while the caller waits would let connections in flight starve between two
    results of a stream.
    """
    if job.linger == inf:
        batches: list[Batch] = []
        run(Shift(job, batches.append, concurrency), lambda _nudge: None)
        yield from batches
        return
    job.source.widen(2 * concurrency)
    with keeper.lend() as crew:
        yield from Floor(job, crew, workers=1, body=loop_body(run, concurrency))
