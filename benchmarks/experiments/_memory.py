"""Run as `python -m benchmarks.experiments._memory MODE NUMBER`: prints KB of memory for each coroutine."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from concurrent_choices import AsyncioStrategy, run

__all__ = ["MODES"]

PAGE = 4096
SWITCHES = 10


def resident() -> int:
    """Bytes of memory this process occupies now."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE


class _Crowd:
    """Coroutines that wait for one event; the last that comes takes the reading and lets all go."""

    def __init__(self, number: int, switches: int):
        self.number = number
        self.switches = switches
        self.came = 0
        self.reading = 0
        self.event = asyncio.Event()

    async def member(self, _: int) -> None:
        """One of them."""
        for _switch in range(self.switches):
            await asyncio.sleep(0)
        self.came += 1
        if self.came == self.number:
            self.reading = resident()
            self.event.set()
        await self.event.wait()


def bare(number: int) -> int:
    """Coroutine objects that were never started."""
    crowd = _Crowd(number, 0)
    made = [crowd.member(each) for each in range(number)]
    reading = resident()
    for each in made:
        each.close()
    return reading


def waiting(number: int, switches: int = 0) -> int:
    """All gathered, all waiting."""
    crowd = _Crowd(number, switches)

    async def main() -> None:
        await asyncio.gather(*[crowd.member(each) for each in range(number)])

    asyncio.run(main())
    return crowd.reading


def ours(number: int, flight: int) -> int:
    """Through the library: the reading is taken when as many as are in flight wait at the same time."""
    crowd = _Crowd(flight, SWITCHES)
    run(crowd.member, range(number), strategy=AsyncioStrategy(concurrency=flight))
    return crowd.reading


MODES: dict[str, Callable[[int], int]] = {
    "bare": bare,
    "waiting": waiting,
    "switched": partial(waiting, switches=SWITCHES),
    "ours": partial(ours, flight=100),
    "ours-all": lambda number: ours(number, number),
}


def main(mode: str, number: int) -> float:
    """KB that each of the coroutines adds, the machinery of a first small run not counted."""
    measure: Any = MODES[mode]
    measure(200)
    gc.collect()
    before = resident()
    return max(0.0, (measure(number) - before) / number / 1024)


if __name__ == "__main__":
    print(main(sys.argv[1], int(sys.argv[2])))
