"""What a trip to another process and back costs, and what stands in its way."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import evolve

from .._facts._profile import Payload
from .._inspect._asking import one_of_each, told_by
from .._inspect._tasks import tasks_among
from .._inspect._words import loss_of
from .._mutation._state import FIRST, MORE, State
from .._runtime._interrupted import raise_handlers
from .._transfer._imports import imports_of
from .._transfer._kept_here import kept_here
from .._transfer._obstacle import misnamed, obstacle
from .._transfer._pickling import dump, load, size_of
from ._ledger import Raised
from ._transfer_cost import Weight, in_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._facts._clock import Clock
    from .._runtime._hand import Hand
    from ._bench import Bench

__all__ = ["state_of", "weigh"]

PATIENCE = (0.05, 0.2)
"""Seconds within which pickling must end: at least, and at most where there is time (guessed: most takes one
millisecond)."""

_PARTS = 5
"""Parts of that time, each waited for by itself: where all stands still for longer, as while the host serves
others, one of them is over and not all (guessed)."""

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


def state_of(bench: Bench, first: Sequence[Any]) -> State | None:
    """What the callable and its first items hold before any call; None where looking at it does not end."""
    looked = list[State]()

    def look() -> None:
        looked.append(State(bench.fn, first))
        looked[0].is_doubtful(0)  # looks at what is large, too, as far as there is time

    _done_by_another(bench, look, PATIENCE[0])
    return looked[0] if looked else None


def weigh(bench: Bench, state: State | None, each: float, deadline: int) -> Payload:
    """Weigh the payload of the calls that were sampled, as long as patience lasts.

    What they have changed since there was that state must stay here. A call takes `each` so many seconds, and
    sampling was to be over at the deadline. Where pickling does not end, the bench's `missing` is told.
    """
    least, most = PATIENCE
    patience = min(most, max(least, bench.left(deadline)))
    items = [item for item, _ in bench.ledger.samples]
    results = [outcome for _, outcome in bench.ledger.samples if not isinstance(outcome, Raised)]
    weighed: list[Payload] = []

    def work() -> None:
        payload = _kept_here(_carried(items, results, each, bench.clock), bench.fn, items, state)
        weighed.append(payload)
        weighed.append(_unless_stranded(payload, bench.fn))

    done = _done_by_another(bench, work, patience)
    if not done:
        what = "the callable " if weighed else ""
        doubt = f"pickling {what}had not ended after {patience:.2g} s; that is a lower bound"
        bench.missing.append(f"{'load' if weighed else 'payload'}: {doubt}")
        if not weighed:
            return Payload(item_seconds=patience)
    sent = (*items[:1], *results[:1])
    needed = imports_of(bench.fn, *sent, is_async=bench.is_async)
    # What the callable holds goes to each worker once, whatever the number of items.
    loading = None if done else patience
    return evolve(weighed[-1], shared_modules=needed.shared, own_modules=needed.own, load_seconds=loading)


def _done_by_another(bench: Bench, work: Callable[[], None], patience: float) -> bool:
    """Whether a piece of work ends within so many seconds, apart from those it queues for a core."""
    hand, part = bench.another_hand(), patience / _PARTS
    try:
        done = hand.do(work, part) or any(hand.ended(part) for _ in range(1, _PARTS))
        return done or hand.ended(_made_up_for(bench, hand, patience))
    finally:
        hand.close()


def _made_up_for(bench: Bench, hand: Hand, patience: float) -> float:
    """Seconds that make up for those queued: on a crowded machine, looking at a number may take 50 ms too."""
    queued = bench.clock.watch(hand.thread)[1] / 1e9
    return min(PATIENCE[1], patience * queued / max(1e-9, patience - queued))


def _kept_here(payload: Payload, fn: object, items: Sequence[Any], state: State | None) -> Payload:
    """The payload with what calls change as its obstacle: results must not depend on who makes the calls."""
    if payload.obstacle:
        return payload
    stays = kept_here(fn, items[:FIRST], tasks_among(fn, items[:MORE]))
    stays = stays or (loss_of(state.lost_elsewhere()) if state is not None else "")
    return evolve(payload, obstacle=stays) if stays else payload


def _unless_stranded(payload: Payload, fn: Callable[..., Any]) -> Payload:
    """The payload with why the callable itself cannot travel, if it cannot."""
    found = obstacle(fn, _called(fn))
    return evolve(payload, obstacle=found) if found else payload


def _carried(items: Sequence[Any], results: Sequence[Any], each: float, clock: Clock) -> Payload:
    """What items and results weigh, none of which stands for an error, and what stands in their way.

    A few are pickled and unpickled, which gives bytes and seconds for an item and for a result.
    """
    given, stays = _weigh(items, "the item", each, clock)
    back, lost = _weigh(results, "the result", each, clock)
    return Payload(
        item_bytes=given.size,
        result_bytes=back.size,
        item_seconds=given.took / 1e9,
        result_seconds=back.took / 1e9,
        obstacle=stays
        or lost
        or next(filter(None, (misnamed(result) for result in one_of_each(results))), ""),
    )


def _weigh(things: Sequence[Any], name: str, each: float, clock: Clock) -> tuple[Weight, str]:
    """What one of them weighs in a message, or what stands in its way."""
    try:
        return in_messages(things, partial(_message, _trip([], clock), clock), each, _LONGEST)[0], ""
    except Exception as error:  # noqa: BLE001 - picklers, and a thing's own hooks, raise anything
        raise_handlers(error)
        found = next(filter(None, (obstacle(thing, name) for thing in things)), "")
        return Weight(), found or f"{name} can be pickled and not unpickled"


def _message(empty: Weight, clock: Clock, things: Sequence[Any]) -> Weight:
    """What things add to a message: what it takes without any is paid however many it holds."""
    whole = _trip([*things], clock)
    return Weight(max(0.0, whole.took - empty.took), max(0.0, whole.size - empty.size))


def _trip(thing: Any, clock: Clock) -> Weight:
    """A thing's trip there and back; the least of a few if that is short: the first often is not.

    It is CPU time: pickling waits for nothing but a core.
    """
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
    return Weight(least, size)


def _called(fn: Any) -> str:
    """What a reader calls a callable."""
    name = told_by(fn, "__name__") or type(fn).__name__
    return "the lambda" if name == "<lambda>" else str(name)
