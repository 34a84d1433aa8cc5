"""Experiment 13: fifty HTTP requests, and a thousand short ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from ._clients import fetch, fetch_aiohttp, fetch_httpx
from ._figures import Figures, spell
from ._judging import as_fast, word
from ._loops import gathered, in_executor, in_threads, limited
from ._model import Experiment, Goal, Job, Measured, Size, Task, Verdict, Way, equals
from ._server import running_server

__all__ = ["EXPERIMENT"]

DEFAULT, EACH, NATIVE = "requests in the default executor", "requests, a thread for each", "aiohttp, gathered"
AIOHTTP, HTTPX, THREADS = "aiohttp, 100 at a time", "httpx, 100 at a time", "requests in 100 threads"
FLIGHT, SHORT = 100, 20
TIMES = "times the bound"


@contextmanager
def tasks(size: Size) -> Iterator[Sequence[Task]]:
    """Start the server and give the tasks."""
    ms = size.pick(50, 200, 1000)
    with running_server() as address:
        fetch(f"{address}/awaiting/1")
        yield [
            _fifty(f"{address}/awaiting/{ms}", ms, size.pick(12, 50, 50)),
            _thousand(f"{address}/awaiting/{SHORT}", size.pick(30, 300, 1000)),
        ]


def _fifty(url: str, ms: int, count: int) -> Task:
    urls, expected = [url] * count, [ms] * count
    check = equals(expected)
    return Task(
        f"{count} requests of {ms} ms",
        [
            Way(DEFAULT, partial(in_executor, fetch, urls), check),
            Way(EACH, partial(in_threads, fetch, urls, count), check),
            Way(NATIVE, partial(gathered, fetch_aiohttp, urls), check),
        ],
        [
            Job("def, requests", fetch, urls, expected),
            Job("async def, aiohttp", fetch_aiohttp, urls, expected),
        ],
    )


def _thousand(url: str, count: int) -> Task:
    urls, expected = [url] * count, [SHORT] * count
    check = equals(expected)
    acts: dict[str, Callable[[], Any]] = {
        AIOHTTP: partial(limited, fetch_aiohttp, urls, FLIGHT),
        HTTPX: partial(limited, fetch_httpx, urls, FLIGHT),
        THREADS: partial(in_threads, fetch, urls, FLIGHT),
    }
    bound = count / FLIGHT * SHORT / 1000
    return Task(
        f"{count:,} requests of {SHORT} ms, {FLIGHT} at a time",
        [Way(name, partial(_against, act, bound), check) for name, act in acts.items()],
        [
            Job("async def, httpx", fetch_httpx, urls, expected),
            Job("async def, aiohttp, short", fetch_aiohttp, urls, expected),
        ],
    )


def _against(act: Callable[[], Any], bound: float) -> Measured:
    began = time.perf_counter()
    result = act()
    took = time.perf_counter() - began
    return Measured(took, {TIMES: took / bound}, result)


def judge(figures: Figures) -> Verdict:
    """The default executor is too small, threads do, a native client does best."""
    fifty, many = figures.tasks()
    one, two, three = (figures(fifty, way) for way in (DEFAULT, EACH, NATIVE))
    httpx, aiohttp = (figures.extra(many, way, TIMES) for way in (HTTPX, AIOHTTP))
    return Verdict(
        word(one > 2 * two, two > three),
        f"{spell(one)} in the default executor, which has {_default_workers()} threads on this machine, "
        f"{spell(two)} with a thread for each, {spell(three)} with a native client. The client itself can be "
        f"the limit: for short requests httpx takes {httpx:.1f} times the bound of the waiting and aiohttp "
        f"{aiohttp:.1f} times, with a server that shares the same two cores. More requests at once open "
        "more connections: in a separate measurement, gather took 161 ms with all 300 at once and 123 ms "
        "with a hundred (medians of 40). If `auto` is given no limit, it tries more than a hundred, and may "
        "lose by it.",
    )


def _default_workers() -> int:
    from os import cpu_count  # noqa: PLC0415 - what asyncio's default executor asks, nobody else here

    return min(32, (cpu_count() or 1) + 4)


def direction(figures: Figures) -> None:
    """The default executor is the slowest of the three."""
    fifty = figures.tasks()[0]
    assert figures(fifty, DEFAULT) > min(figures(fifty, EACH), figures(fifty, NATIVE))


def goals(figures: Figures) -> Sequence[Goal]:
    """`auto` as fast as the best published way; a blocking client is compared with blocking ones."""
    fifty, many = figures.tasks()
    return [
        as_fast(figures, fifty, "def, requests", [DEFAULT, EACH]),
        as_fast(figures, fifty, "async def, aiohttp", [DEFAULT, EACH, NATIVE]),
        as_fast(figures, many, "async def, aiohttp, short", [AIOHTTP, HTTPX, THREADS]),
    ]


EXPERIMENT = Experiment(
    number=13,
    title="Fifty HTTP requests",
    claim=(
        "Fifty requests took 8.1 s with a blocking client in the default executor, about 2 s with a thread "
        "for each, and 1.19 s with a native async client."
    ),
    scale="A server that takes 0.2 s instead of about 1 s, and 300 short requests instead of 1000.",
    ways=(DEFAULT, EACH, NATIVE),
    jobs=("def, requests", "async def, aiohttp"),
    tasks=tasks,
    judge=judge,
    direction=direction,
    goals=goals,
)
