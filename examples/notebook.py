"""What to type into the cells of a notebook, where a loop runs already and nothing has a main guard."""

# %% Await a call that would freeze the notebook: it runs wherever it is best.
import asyncio
import time

from concurrent_choices import arun, offload


def simulate(seed):
    """Something slow in plain Python, defined in a cell."""
    value = seed
    for _ in range(200_000):
        value = (value * 1103515245 + 12345) % 2**31
    return value


async def cells():
    """The cells below, one after another; a notebook lets each `await` stand alone."""
    # %% One call
    first = await offload(simulate, 1)

    # %% Many, in worker processes, though `simulate` is defined right here
    values = await arun(simulate, range(1, 9), strategy="process")
    assert values[0] == first

    # %% Meanwhile other cells' tasks go on
    ticks = 0
    waiting = asyncio.ensure_future(offload(time.sleep, 0.1))
    while not waiting.done():
        ticks += 1
        await asyncio.sleep(0.01)
    return len(values), ticks > 3


print(asyncio.run(cells()))
