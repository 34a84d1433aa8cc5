"""What the contestants call. No imports here: cold workers import this and should pay nothing."""


def nothing(item):
    """Give the item back: all that is left to measure is the hand-over."""
    return item


def calling(item):
    """Give the item back too, but through a call: it might do anything, for all a library knows."""
    return abs(item)


def spin(turns):
    """Add up numbers in pure Python, holding the GIL for `turns` turns of a loop."""
    total = 0
    for number in range(turns):
        total += number
    return turns


async def turn_and_spin(turns):
    """The same in a coroutine that lets its loop turn before."""
    import asyncio  # noqa: PLC0415 - see the module

    await asyncio.sleep(0)
    return spin(turns)


async def never_suspend(item):
    """Give the item back without ever awaiting anything."""
    return item


def nap(item):
    """Wait for 10 ms."""
    import time  # noqa: PLC0415 - see the module

    time.sleep(0.01)
    return item


async def rest(item):
    """The same without blocking."""
    import asyncio  # noqa: PLC0415 - as above

    await asyncio.sleep(0.01)
    return item
