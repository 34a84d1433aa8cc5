"""From what is known of a route to what is said of it: arithmetic and words only."""

from __future__ import annotations

from collections import Counter
from math import ceil

from attrs import frozen

from ..._facts._table import spell
from .._accounting._placing import HOLDS
from ._advice import Advice, AdviceTable
from ._lines import in_words, spelled
from ._route_table import Route, RouteTable

__all__ = ["FEW", "Means", "advise_on", "means_of", "say"]

FEW = 2
"""Timed requests below which nothing is said: the first of a route may load and compile things."""

BLOCKS = 3e-3
"""Seconds a request may hold the loop without computing (guessed: others wait for as long)."""

COMPUTES = 10e-3
"""Seconds a request may compute on the loop or under the GIL (guessed: two switch intervals)."""

SHARE = 0.4
"""Share of the time on the loop that is not computing, from which it blocks (guessed)."""

QUEUES = 5e-3
"""Seconds a request may wait for a thread of the pool (guessed)."""

SIDE_BY_SIDE = 100_000_000
"""Nanoseconds of computing in several threads from which that tells (guessed: ten looks)."""

LOOKS = 4
"""Looks at a route that computed alone, from which it is told whether the GIL was held (guessed)."""

ROOM = 1.25
"""Factor by which there should be more threads than are in use on average (guessed: requests come in
bursts)."""


@frozen(kw_only=True)
class Means:
    """Means of a route, seconds a request.

    Attributes:
        timed: How many requests were timed.
        wall: How long one takes.
        held: How long it holds the loop.
        loop_cpu: How long it computes on the loop.
        blocked: How long it holds the loop while nothing in the process computes.
        queued: How long it waits for a thread.
        pooled: How long a thread works for it.
        thread_cpu: How long that thread computes.
        gil: The share of that computing that holds the GIL; None where not known.
        threads: How many threads the pool has.
        is_async: Whether its handler is an `async def`; None where there is no telling.
        vain: Whether all that were timed raised or were given up.
        loop_line: Where it holds the loop, and what is called there.
        thread_line: Where it is in a thread, and what is called there.
    """

    timed: int
    wall: float
    held: float
    loop_cpu: float
    blocked: float
    queued: float
    pooled: float
    thread_cpu: float
    gil: float | None
    threads: int
    is_async: bool | None
    vain: bool = False
    loop_line: tuple[str, str] = ("", "")
    thread_line: tuple[str, str] = ("", "")


def advise_on(routes: RouteTable) -> AdviceTable:
    """What is said of all routes."""
    advice = [_advice(route, means_of(route, routes.threads)) for route in routes]
    return AdviceTable(tuple(sorted(advice, key=lambda each: -each.requests * each.held)))


def means_of(route: Route, threads: int) -> Means:
    """The means of a route."""
    count, close = max(1, route.timed) * 1e9, max(1, route.close) * 1e9
    served = route.seen_wall - route.seen_starved
    share = min(1.0, route.seen_cpu / served) if served > 0 else 0.0
    pooled = route.pooled / close
    is_async = route.handler.is_async if route.handler else None
    if is_async is False and not pooled:
        # What it waits for could not be seen: nearly all of it is the thread.
        pooled = max(0.0, (route.wall - route.held) / count - route.queued / close)
    computing = route.cpu / route.close_held if route.close_held else 1.0
    held = route.held / count
    return Means(
        timed=route.timed,
        wall=route.wall / count,
        held=held,
        loop_cpu=min(1.0, computing) * held,
        blocked=held * route.idle / route.close_held if route.close_held else 0.0,
        queued=route.queued / close,
        pooled=pooled,
        # By its share of what was seen, or by all that was seen: each misses some where looks are rare.
        thread_cpu=min(pooled, max(share * pooled, route.any_cpu / (max(1, route.requests) * 1e9))),
        gil=_held_by(route),
        threads=threads,
        is_async=is_async,
        vain=route.timed > 0 and not route.returned,
        loop_line=_most(route.loop_lines),
        thread_line=_most(route.thread_lines),
    )


def _held_by(route: Route) -> float | None:
    """The share of its computing that holds the GIL: seen while it computed alone, or reckoned.

    Threads side by side that compute for longer than it takes do so outside the GIL: two of them for twice
    as long, if none of it is under the GIL.
    """
    if route.alone >= LOOKS:
        return route.alone_held / route.alone
    if route.side_wall >= SIDE_BY_SIDE:
        return min(1.0, max(0.0, 2 - route.side_cpu / route.side_wall))
    return None


def _most(lines: Counter[tuple[str, str]]) -> tuple[str, str]:
    found = dict[tuple[str, str], int].copy(lines)  # at once: the sampler's thread may add a line meanwhile
    return max(found, key=found.__getitem__, default=("", ""))


def _advice(route: Route, means: Means) -> Advice:
    finding, text, where = say(means)
    style = {True: "async def", False: "def", None: ""}[means.is_async]
    return Advice(
        method=route.method,
        path=route.path,
        handler=route.handler.name if route.handler else "",
        style=style,
        finding=finding,
        text=text,
        where=spelled(where) if where else "",
        requests=route.requests,
        timed=means.timed,
        wall=means.wall,
        held=means.held,
        computes=means.loop_cpu + means.thread_cpu,
        queued=means.queued,
        gil=means.gil if means.thread_cpu >= COMPUTES else None,
    )


def say(means: Means) -> tuple[str, str, str]:
    """The finding, the sentence, and the line it is about."""
    found = _said(means)
    if means.vain and found[0] == "fine":  # it says little of a handler that nobody saw come to its end
        return "unknown", "it never answered: each request raised, or was given up", ""
    return found


def _said(means: Means) -> tuple[str, str, str]:
    if means.timed < FEW:
        return "unknown", "too few requests were timed to say anything", ""
    blocked = means.blocked
    # Without a line it was no code of the user's: the loop itself waited, for the GIL or for a core.
    if means.loop_line[0] and blocked >= BLOCKS and blocked >= SHARE * means.held:
        return _blocks(means)
    if means.loop_line[0] and means.loop_cpu >= COMPUTES:
        return _computes_on_loop(means)
    if means.is_async is False or means.pooled > means.held:
        return _in_threads(means)
    style = "`async def` is right" if means.is_async else "nothing to change"
    text = f"{style}: it holds the loop {spell(means.held)} of {spell(means.wall)}"
    return "fine", text, ""


def _blocks(means: Means) -> tuple[str, str, str]:
    text = f"{_style(means)} blocks the loop {spell(means.held)} a call{in_words(means.loop_line)}: "
    return "blocks the loop", text + "make it `def`, or offload that line", means.loop_line[0]


def _style(means: Means) -> str:
    """Even around a `def`, what holds the loop is an `async def`: a dependency, a middleware."""
    return "an `async def` around it" if means.is_async is False else "`async def`"


def _computes_on_loop(means: Means) -> tuple[str, str, str]:
    text = (
        f"{_style(means)} computes {spell(means.loop_cpu)} on the loop{in_words(means.loop_line)}, and all "
        "other requests wait for it: send it to a process with `await offload(...)`"
    )
    return "computes on the loop", text, means.loop_line[0]


def _in_threads(means: Means) -> tuple[str, str, str]:
    where = means.thread_line[0]
    if means.thread_cpu >= COMPUTES and (means.gil is None or means.gil >= HOLDS):
        # Where it was not seen, it is what plain Python does, and the sentence says that it may be otherwise.
        held, then = ("", "") if means.gil is not None else ("in a thread, perhaps ", "if so, ")
        text = (
            f"computes {spell(means.thread_cpu)} {held}under the GIL{in_words(means.thread_line)}: {then}"
            "send it to a process, with `await offload(...)` in an `async def`"
        )
        return "computes under the GIL", text, where
    if means.queued >= QUEUES:
        return "threads full", _full(means), where
    if means.thread_cpu >= COMPUTES:
        return "fine", f"{_right(means)} computes {spell(means.thread_cpu)} outside the GIL", ""
    return "fine", f"{_right(means)} works {spell(means.pooled)} in a thread, beside the loop", ""


def _right(means: Means) -> str:
    """An `async def` has dependencies that are `def`, or asks for a thread itself."""
    if means.is_async is None:
        return "nothing to change: it"
    return "`async def` is right: a `def` in it" if means.is_async else "`def` is right: it"


def _full(means: Means) -> str:
    count = f"{means.threads} " if means.threads else ""
    needed = ceil(means.threads * (1 + means.queued / max(means.pooled, 1e-9)) * ROOM)
    more = f" to {needed}" if means.threads else ""
    style, what = ("`async def`", "a `def` in it") if means.is_async else ("`def`", "it")
    return (
        f"{style} is fine, but its {count}threads are full: a request queues {spell(means.queued)} for one; "
        f"raise them{more} or make {what} async"
    )
