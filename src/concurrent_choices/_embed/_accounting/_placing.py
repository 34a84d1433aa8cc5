"""Where calls of a callable belong, from what was measured of them: arithmetic only."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..._facts._shares import COMPUTES

if TYPE_CHECKING:
    from ._figures import Figures

__all__ = ["HOLDS", "Place", "Placement", "place", "worth_moving"]

Place = Literal["thread", "process"]

TINY = 100e-6
"""Seconds below which a call is worth no thought (DECISION.md 2.1: what can be timed reliably)."""

HARDLY = 0.1
"""Share of computing up to which a call waits, whatever held it up (guessed: a third of what waits)."""

TRIP = 0.2e-3
"""Seconds to a worker process and back, with the thread switches at this end (guessed: the wire takes
20 µs in benchmarks.dispatch, the rest is waking threads)."""

HOLDS = 0.6
"""Share of a call's computing that holds the GIL, from which another process relieves it (guessed)."""

SCARCE = 0.3
"""Share of computing in a worker below which it belongs to a thread after all: it would keep a whole
process waiting (DECISION.md 5.1, the limit between waiting and mixed)."""

PAYS = 5
"""Trips that a call must compute for, to be worth one (guessed), beside twice what its payload takes."""

MOST_PER_CORE = 4
"""Calls at once in worker processes at most, for each core: where they wait, too (guessed)."""


class Placement(NamedTuple):
    """Where it belongs.

    Attributes:
        place: "thread" or "process".
        kind: What it is, in a few words.
        limit: How many may run at once; None where that is found out by trying.
        why: The reason, in a sentence's part.
    """

    place: Place
    kind: str
    limit: int | None
    why: str


def place(known: Figures, *, cpus: float) -> Placement:  # noqa: PLR0911 - one kind of callable a line
    """Where calls belong, and how many may run at once."""
    cores = max(1, round(cpus))
    if known.is_new:
        return Placement("thread", "new", None, "nothing is known yet")
    if known.wall < TINY:
        return Placement("thread", "tiny", cores, "a call is shorter than any hand-over")
    if worth_moving(known) and (known.gil is None or known.gil >= HOLDS):
        return _to_a_process(known, cores)
    if known.share <= 1 - COMPUTES:
        return Placement("thread", "waiting", None, f"it computes {known.share:.0%} of its time")
    if known.share < COMPUTES:
        return Placement("thread", "mixed", None, f"it computes {known.share:.0%} of its time")
    # Where others hold it up, or it waits now and then, how many at once are good is found out by trying.
    limit = None if known.seen_share < COMPUTES else cores
    if known.gil is not None and known.gil < HOLDS:
        why = f"it holds the GIL {known.gil:.0%} of its computing"
        return Placement("thread", "computing outside the GIL", limit, why)
    return Placement("thread", "computing", limit, "a call is too short for a trip to a process")


def worth_moving(known: Figures) -> bool:
    """Whether a call computes for long enough to pay for its trip, as far as is known."""
    if known.alone is not None and known.alone < SCARCE:
        return False
    fills_gil = known.together >= COMPUTES and not known.obstacle
    mostly_waits = known.share <= HARDLY and not fills_gil and known.alone is None
    return not mostly_waits and known.cpu >= PAYS * TRIP + 2 * (known.payload or 0.0)


def _to_a_process(known: Figures, cores: int) -> Placement:
    kind = "computing" if known.gil is None else "computing under the GIL"
    if known.obstacle:
        return Placement("thread", kind, cores, known.obstacle)
    if known.payload is None:
        # Of many that fill the GIL it is not sure either that they do not wait: then none is held back.
        limit = cores if known.share > HARDLY else None
        return Placement("thread", kind, limit, "whether it can travel is not known yet")
    share = known.alone if known.alone is not None else max(COMPUTES, known.share)
    limit = min(MOST_PER_CORE * cores, ceil(cores / max(share, SCARCE)))
    trip = (known.payload + TRIP) * 1e3
    held = "under the GIL" if known.gil is not None else "(a process is to show whether under the GIL)"
    why = f"it computes {known.cpu * 1e3:.3g} ms {held}, its trip costs {trip:.2g} ms"
    return Placement("process", kind, limit, why)
