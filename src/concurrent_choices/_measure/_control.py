"""How much two lanes slow each other down whatever they do: the control of a trial.

Two lanes may share a core's units, or a neighbour may have come: then even what lives in the caches takes
longer in a pair. Hashing lets go of the GIL, and a piece that fits into a core's own cache needs no memory.
BLAKE2 keeps all of a core's units busy. SHA-256 in hardware leaves half of them idle, so it does not notice
who shares them: of 523 pairs here 2 % took 1.63 times as long or more by BLAKE2, 1.08 by SHA-256 (measured).
"""

from __future__ import annotations

import hashlib
import math
from functools import partial
from typing import TYPE_CHECKING

from .._runtime._hand import DaemonHand

if TYPE_CHECKING:
    from .._facts._clock import Clock

__all__ = ["CONTROL_SECONDS", "resident_inflation"]

_PIECE = 128 * 1024
"""Bytes hashed at a time: a tenth of a millisecond, within the cache of any core of a server."""

_TURN = 2_000_000
"""Nanoseconds of hashing at a time (guessed: some twenty pieces)."""

_ROUNDS = 2

_PATIENCE = 0.1
"""Seconds after which a turn is given up on: the machine has no time."""

CONTROL_SECONDS = 2 * _ROUNDS * _TURN / 1e9
"""What all turns take."""


def resident_inflation(clock: Clock) -> float | None:
    """CPU time of hashing in two threads over that in one, in turn, the least of each.

    None where one of them never came back.
    """
    rounds = [(_pace(1, clock), _pace(2, clock)) for _ in range(_ROUNDS)]
    alone, together = (min(paces) for paces in zip(*rounds, strict=True))
    return together / alone if max(alone, together) < math.inf else None


def _pace(lanes: int, clock: Clock) -> float:
    """Mean CPU time of a piece in so many threads at once, ns; infinite where one did not come back."""
    paces: list[float] = []
    hands = [DaemonHand() for _ in range(lanes)]  # new ones: who is late would end the next turn too soon
    try:
        for hand in hands:
            hand.begin(partial(_hash, paces, clock))
        ended = all(hand.ended(_PATIENCE) for hand in hands)
    finally:
        for hand in hands:
            hand.close()
    return sum(paces) / len(paces) if ended else math.inf


def _hash(paces: list[float], clock: Clock) -> None:
    piece, count = bytes(_PIECE), 0
    start, cpu = clock.wall(), clock.thread_cpu()
    while count == 0 or clock.wall() - start < _TURN:
        hashlib.blake2b(piece)
        count += 1
    paces.append((clock.thread_cpu() - cpu) / count)
