"""What a trip to another process and back costs, and what stands in its way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import evolve

from .._facts._profile import Payload
from .._work._imports import imports_of
from .._work._obstacle import obstacle
from .._work._pickling import dump, load, size_of
from .._work._state import FIRST, State
from ._awaited_calls import AwaitedCalls
from ._ledger import Raised

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._facts._clock import Clock
    from ._bench import Bench
    from ._hand import Hand

__all__ = ["state_of", "weigh", "weigh_payload"]

PATIENCE = (0.05, 0.2)
"""Seconds within which pickling must end: at least, and at most where there is time (guessed: most takes one
millisecond)."""

_MOST = 3
"""Items and results that are weighed (DECISION.md 5.1)."""

_LONGEST = 10_000_000
"""Nanoseconds after which no more is weighed (DECISION.md 5.1)."""

_TRIPS = 5
_SHORT = 2_000_000
"""Nanoseconds up to which one thing is weighed several times (guessed). The first trip of a megabyte takes
1.5 ms where later ones take 0.3: its memory is new."""

_MOST_TRIPS = 40
_BRIEF = 200_000
"""Nanoseconds for which one thing is weighed again and again: of five trips of a number, the least was up to
0.4 µs above what most take, and there may be a million of them."""

_TWICE = 64 * 1024 * 1024
"""Bytes up to which the way back is measured too: it needs the memory once more (guessed)."""


class _Weight(NamedTuple):
    size: float
    seconds: float
    obstacle: str


def state_of(bench: Bench) -> State | None:
    """What the callable and its first items hold before any call; None where looking at it does not end."""
    first, looked = bench.feed.peek(FIRST), list[State]()
    _done_by_another(bench, lambda: looked.append(State(bench.fn, first)), PATIENCE[0])
    return looked[0] if looked else None


def weigh(bench: Bench, state: State | None, deadline: int) -> Payload:
    """Weigh the payload of the calls that were sampled, as long as patience lasts.

    Args:
        bench: What the calls were made with; `missing` is told where pickling does not end.
        state: What there was before the calls: what they have changed must stay here.
        deadline: The clock's wall time at which sampling was to be over, ns.
    """
    least, most = PATIENCE
    patience = min(most, max(least, bench.left(deadline)))
    samples = bench.ledger.samples
    places = sorted({0, len(samples) // 2, max(0, len(samples) - 1)})
    chosen = [samples[place] for place in places if place < len(samples)]
    items = [item for item, _ in chosen]
    results = [outcome for _, outcome in chosen if not isinstance(outcome, Raised)]
    weighed: list[Payload] = []

    def work() -> None:
        weighed.append(_kept_here(weigh_payload(bench.fn, items, results, bench.clock), state))

    if _done_by_another(bench, work, patience):
        needed = imports_of(bench.fn, is_async=isinstance(bench.calls, AwaitedCalls))
        return evolve(weighed[0], shared_modules=needed.shared, own_modules=needed.own)
    reason = f"pickling had not ended after {patience:.2g} s; that is a lower bound"
    bench.missing.append(f"payload: {reason}")
    return Payload(item_seconds=patience)


def _done_by_another(bench: Bench, work: Callable[[], None], patience: float) -> bool:
    """Whether a piece of work ends within so many seconds, apart from those it queues for a core."""
    hand = bench.another_hand()
    try:
        return hand.do(work, patience) or hand.ended(_made_up_for(bench, hand, patience))
    finally:
        hand.close()


def _made_up_for(bench: Bench, hand: Hand, patience: float) -> float:
    """Seconds that make up for those queued: on a crowded machine, looking at a number may take 50 ms too."""
    queued = bench.clock.watch(hand.thread)[1] / 1e9
    return min(PATIENCE[1], patience * queued / max(1e-9, patience - queued))


def _kept_here(payload: Payload, state: State | None) -> Payload:
    """The payload with what calls change as its obstacle: results must not depend on who makes the calls."""
    changed = state.lost_elsewhere() if state is not None and not payload.obstacle else ""
    if not changed:
        return payload
    return evolve(payload, obstacle=f"calls change {changed}, which would be lost in another process")


def weigh_payload(
    fn: Callable[..., Any], items: Sequence[Any], results: Sequence[Any], clock: Clock
) -> Payload:
    """Pickle and unpickle a few items and results, none of which stands for an error, and the callable once.

    Returns:
        Sizes and seconds per item and per result; the first obstacle met, if any.
    """
    given = _weigh(items, "the item", clock)
    back = _weigh(results, "the result", clock)
    return Payload(
        item_bytes=given.size,
        result_bytes=back.size,
        item_seconds=given.seconds,
        result_seconds=back.seconds,
        obstacle=obstacle(fn, _called(fn)) or given.obstacle or back.obstacle,
    )


def _weigh(things: Sequence[Any], name: str, clock: Clock) -> _Weight:
    """Mean size and seconds. It is CPU time: pickling waits for nothing but a core."""
    idle = _handling(clock)
    began = clock.wall()
    size, time, weighed = 0, 0, 0
    for thing in things[:_MOST]:
        try:
            one_size, took = _trip(thing, clock)
        except Exception:  # noqa: BLE001 - picklers, and a thing's own hooks, raise anything
            why = obstacle(thing, name) or f"{name} can be pickled and not unpickled"
            return _Weight(size / max(1, weighed), time / 1e9 / max(1, weighed), why)
        size += one_size
        time += max(0, took - idle)
        weighed += 1
        if clock.wall() - began > _LONGEST:
            break
    return _Weight(size / max(1, weighed), time / 1e9 / max(1, weighed), "")


def _handling(clock: Clock) -> int:
    """Nanoseconds to pickle and unpickle nothing: what a message pays once, however many items it holds."""
    return _trip(None, clock)[1]


def _trip(thing: Any, clock: Clock) -> tuple[int, int]:
    """Bytes and nanoseconds there and back; the least of a few if that is short: the first often is not."""
    size, least, began = 0, 0, clock.wall()
    for number in range(_MOST_TRIPS):
        start = clock.thread_cpu()
        packed = dump(thing)
        between = clock.thread_cpu()
        size = size_of(packed)
        if size <= _TWICE:
            load(packed)
        # beyond the size that is brought back, the way back is taken to cost what the way there did
        took = clock.thread_cpu() - start if size <= _TWICE else 2 * (between - start)
        least = min(least, took) if number else took
        if clock.wall() - began > (_SHORT if number + 1 < _TRIPS else _BRIEF):
            break
    return size, least


def _called(fn: Any) -> str:
    """What a reader calls a callable."""
    name = getattr(fn, "__name__", None) or type(fn).__name__
    return "the lambda" if name == "<lambda>" else f"{name}"
