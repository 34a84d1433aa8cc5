"""Sampling: real calls with real items under all instruments, within a budget of seconds.

    the feed -> rounds of timed blocks, made by a hand -> the ledger
                the witness watches the GIL meanwhile
    then lanes together, then the payload, then the profile

Every sampled item is called once and its outcome kept. The first call is kept apart. Nothing is
traced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from .._inspect._bonds import bound_to_thread
from .._inspect._tasks import tasks_among
from .._mutation._state import FIRST, MORE, State
from .._platform._interpreter import gil_enabled
from .._runtime._hand import DaemonHand
from ._allowance import Allowance
from ._awaited_calls import AwaitedCalls
from ._bench import Bench
from ._blame import Blame
from ._evidence import Evidence, profile_of
from ._payload import state_of, weigh
from ._result_memory import result_memory
from ._rounds import Rounds
from ._sizes import foretold
from ._trial import try_lanes
from ._witness import WitnessThread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .._facts._clock import Clock
    from .._facts._profile import Profile
    from ._feed import Feed
    from ._ledger import InFlight, Run
    from ._sample_loop import KeptLoop

__all__ = ["Sampled", "profile", "profile_at"]


@frozen
class Sampled:
    """A profile, and everything that is needed to go on with the work that was begun in measuring it.

    Attributes:
        profile: What was measured.
        runs: The outcomes of the calls that were made, in input order: values, and `Raised` in the
            place of each call that raised.
        in_flight: Calls that were still under way. They must not be made again: wait for them.
        feed: Hands out the items that were not called, each once.
        loop: Where to go on, if the callable holds what serves one event loop.
        tasks: What calls may have called: what the items are, or hold.
    """

    profile: Profile
    runs: tuple[Run, ...]
    in_flight: tuple[InFlight, ...]
    feed: Feed
    loop: KeptLoop | None = None
    tasks: tuple[Any, ...] = ()

    @property
    def results(self) -> dict[int, Any]:
        """The outcome of each call by the index of its item: a value, or a `Raised`."""
        found: dict[int, Any] = {}
        for run in self.runs:
            found.update(enumerate(run.outcomes, run.start))
        return found


def profile(  # noqa: PLR0913 - all but two are taken by name
    fn: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    clock: Clock,
    budget: float,
    is_async: bool,
    most: float | None = None,
) -> Sampled:
    """Measure a callable by calling it with some of its items: from everywhere in a sequence.

    The calls are made in a daemon thread, so one that never returns costs the budget and no more; a
    callable that is seen to need its caller's thread is called there. An iterator is advanced in
    the caller's thread only.

    The budget is in seconds, of which fewer are spent where fewer tell enough. Up to `most` are spent where
    that is no more than a twentieth of the whole work.
    """
    bench = Bench(fn, items, clock=clock, is_async=is_async, hand=DaemonHand)
    if binding := bound_to_thread(fn, tasks=tasks_among(fn, bench.feed.peek(FIRST))):
        bench.bind(binding)
    blame = _blame(bench)
    on_wake = blame.look if blame else None
    witness = WitnessThread(clock, on_wake) if gil_enabled() or on_wake else None
    return profile_at(bench, witness, budget, blame=blame, most=most)


def profile_at(
    bench: Bench,
    witness: WitnessThread | None,
    budget: float,
    *,
    blame: Blame | None = None,
    most: float | None = None,
) -> Sampled:
    """As `profile`, with instruments from its caller; without a witness where there is no GIL to watch."""
    try:
        first = bench.feed.peek(FIRST)  # before the clock is read: who keeps them waiting is waited for
        allowance = Allowance.of(bench.clock.wall(), budget, most, bench.feed.count)
        state = state_of(bench, first)
        sample = Rounds(bench, witness).sample(allowance)
        solo = len(bench.ledger.runs)
        in_threads = bench.calls.loop.in_threads if isinstance(bench.calls, AwaitedCalls) else 0
        trials = try_lanes(bench, sample)
        payload = weigh(bench, state, sample.each, sample.deadline)
        loop = bench.keep_loop()
    finally:
        bench.close()
    evidence = Evidence(
        sample=sample,
        items=bench.feed.count,
        is_async=bench.is_async,
        gil=gil_enabled(),
        runs=bench.ledger.runs[:solo],
        crowded_runs=bench.ledger.runs[solo:],
        in_threads=in_threads,
        blocks_at=blame.worst if blame else "",
        trials=trials,
        payload=payload,
        missing=tuple(bench.missing),
        binding=bench.binding or _kept_on_one_loop(bench, state),
        turned_away=bench.turned_away,
        foretold=foretold(sample.counted, bench.feed.items),
        source=bench.feed.pace.seconds,
        result_memory=result_memory(bench.ledger.samples),
    )
    runs = sorted(bench.ledger.runs, key=lambda run: run.start)
    tasks = tuple(tasks_among(bench.fn, (item for item, _ in bench.ledger.samples[:MORE])))
    return Sampled(profile_of(evidence), tuple(runs), bench.in_flight, bench.feed, loop, tasks)


def _kept_on_one_loop(bench: Bench, state: State | None) -> str:
    """Why coroutines are for one loop: they change something, as if nothing came between their awaits."""
    altered = state.altered() if bench.is_async and state is not None else ""
    return f"calls change {altered}, and nothing may come between their awaits" if altered else ""


def _blame(bench: Bench) -> Blame | None:
    thread = bench.hand.thread.ident
    if isinstance(bench.calls, AwaitedCalls) and thread is not None:
        return Blame(bench.calls.meter, thread)
    return None
