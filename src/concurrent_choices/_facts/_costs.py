"""What concurrency itself costs on one machine: the constants of the cost model.

The defaults were measured on a 2-core Linux machine with CPython 3.11; calibration replaces them.
All are seconds unless a field says otherwise.
"""

from __future__ import annotations

from attrs import frozen

from ._json import Jsonable

__all__ = ["Costs"]


@frozen(kw_only=True)
class Costs(Jsonable):
    """Measured overheads of each way of running.

    Attributes:
        call: Calling a Python function.
        thread_start: Starting one thread of many.
        thread_end: Ending it, after the last item.
        thread_loop: Starting an event loop in one thread of many, and ending it.
        thread_item: Handing one item to a thread in a batch of one.
        process_start: From nothing to the first worker being ready.
        process_worker: Each further worker.
        hybrid_start: What a worker takes longer where it is to have lanes inside.
        module_import: Importing one of the modules that a worker lacks, in the worker: 0.61 to 0.67 ms on one
            machine, where a fresh interpreter took 0.26 to 0.55.
        process_batch: Parent's time for one batch's trip to a worker and back.
        process_item: Parent's time for one more item within a batch, beside pickling it.
        process_task: One coroutine that never waits, awaited in a worker process: the worker's time.
        hybrid_item: Handing one item to a lane inside a worker and its result back: the worker's time, where
            workers share the cores with their parent.
        byte: Moving one pickled byte between processes.
        fresh_byte: Touching one more byte of memory that the process gets anew.
        loop_start: Starting an event loop.
        task_item: One coroutine that never waits, on a worker task.
        step: One suspension and resumption on asyncio.
        uvloop_step: The same on uvloop.
        anyio_step: The same through anyio on asyncio.
        socket_step: One socket wait on asyncio.
        uvloop_socket_step: The same on uvloop.
        switch: Handing the GIL from one thread to another.
        switch_interval: ``sys.getswitchinterval()``.
        uvloop_start: Starting a uvloop beyond ``loop_start``: its import (DECISION.md 5.2).
    """

    call: float = 0.05e-6
    thread_start: float = 70e-6
    thread_end: float = 60e-6
    thread_loop: float = 0.35e-3
    thread_item: float = 0.7e-6
    process_start: float = 20e-3
    process_worker: float = 1e-3
    hybrid_start: float = 40e-3
    module_import: float = 0.5e-3
    process_batch: float = 20e-6
    process_item: float = 0.05e-6
    process_task: float = 15e-6
    hybrid_item: float = 130e-6
    byte: float = 1e-9
    fresh_byte: float = 0.5e-9
    loop_start: float = 0.5e-3
    task_item: float = 0.2e-6
    step: float = 1.0e-6
    uvloop_step: float = 0.6e-6
    anyio_step: float = 1.2e-6
    socket_step: float = 25e-6
    uvloop_socket_step: float = 8e-6
    switch: float = 5e-6
    switch_interval: float = 5e-3
    uvloop_start: float = 0.2e-3
