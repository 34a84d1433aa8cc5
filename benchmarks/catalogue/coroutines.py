"""Coroutines: that await, compute, block their loop, or a bit of each."""

from __future__ import annotations

from benchmarks.catalogue._entry import Entry, one_of
from benchmarks.catalogue._server import serving
from benchmarks.catalogue.work import coroutines, waiting

__all__ = ["ENTRIES"]

AWAITS, COMPUTES = "async that awaits", "async that computes"
BLOCKS = "async that blocks the loop at "

ENTRIES = (
    Entry("async-sleep-20ms", coroutines.awaits_20ms, "io", AWAITS, count=150, quick=20),
    Entry("async-5us", coroutines.never_suspends, "cpu", COMPUTES, count=120_000, quick=10_000),
    Entry("async-computes", coroutines.computes, "cpu", COMPUTES, count=400, quick=40),
    Entry("async-blocks", coroutines.blocks, "io", BLOCKS, count=120, quick=16),
    Entry("async-awaits-blocks", coroutines.awaits_and_blocks, "io", BLOCKS, count=100, quick=16),
    Entry("async-half-and-half", coroutines.awaits_and_computes, "mixed", "mixed", count=200, quick=20),
    Entry("async-mostly-awaits", coroutines.mostly_awaits, "io", AWAITS, count=80, quick=10),
    Entry("async-to-thread", coroutines.to_thread, "io", AWAITS, count=80, quick=10),
    Entry(
        "async-http-20ms",
        coroutines.fetch,
        "io",
        AWAITS,
        count=100,
        quick=10,
        items=waiting.waits_20ms,
        around=serving,
    ),
    Entry(
        "async-http-limit-8",
        coroutines.fetch,
        "io",
        AWAITS,
        count=160,
        quick=16,
        items=waiting.limited,
        around=serving,
    ),
    Entry(
        "async-echo",
        coroutines.converse,
        "io",
        one_of(AWAITS),
        count=120,
        quick=16,
        items=coroutines.echoes,
        around=serving,
    ),
)
