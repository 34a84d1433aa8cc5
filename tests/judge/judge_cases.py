"""Callables as figures: what measuring them would give, on a machine with numbers easy to reckon with."""

from concurrent_choices._facts._costs import Costs
from concurrent_choices._facts._machine import Machine
from concurrent_choices._facts._profile import Profile

MS = 1e-3
US = 1e-6

FREE = Costs(
    call=0.0,
    thread_start=0.0,
    thread_end=0.0,
    thread_loop=0.0,
    thread_item=0.0,
    process_start=0.0,
    process_worker=0.0,
    hybrid_start=0.0,
    module_import=0.0,
    process_batch=0.0,
    process_item=0.0,
    process_task=0.0,
    hybrid_item=0.0,
    byte=0.0,
    fresh_byte=0.0,
    loop_start=0.0,
    uvloop_start=0.0,
    task_item=0.0,
    step=0.0,
    uvloop_step=0.0,
    anyio_step=0.0,
    socket_step=0.0,
    uvloop_socket_step=0.0,
    switch=0.0,
)
"""Concurrency that costs nothing: what is left is arithmetic."""

TWO = Machine(cpus=2)


def function(wall, cpu=0.0, gil=0.0, **more):
    """A `def` measured in ten calls, all alike; times in milliseconds."""
    return Profile(calls=10, wall=wall * MS, cpu=cpu * MS, gil=gil * MS, gil_se=0.05, **more)


def coroutine(wall, held=0.0, cpu=0.0, steps=1.0, **more):
    """An `async def` measured in ten calls, all alike; times in milliseconds."""
    return Profile(
        calls=10,
        wall=wall * MS,
        cpu=cpu * MS,
        gil=cpu * MS,
        gil_se=0.05,
        is_async=True,
        steps=steps,
        loop_held=held * MS,
        loop_cpu=cpu * MS,
        **more,
    )
