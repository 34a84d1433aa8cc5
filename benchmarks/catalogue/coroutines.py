"""Coroutines: that await, compute, block their loop, or a bit of each."""

from __future__ import annotations

from benchmarks.catalogue._entry import Entry, one_of
from benchmarks.catalogue._server import serving
from benchmarks.catalogue.work import coroutines, python, waiting

__all__ = ["ENTRIES"]

AWAITS, COMPUTES = "async that awaits", "async that computes"
BLOCKS = "async that blocks the loop at "

ENTRIES = (
    Entry(
        name="async-sleep-20ms",
        fn=coroutines.awaits_20ms,
        items=python.counted,
        count=150,
        quick=20,
        bound="io",
        diagnosis=AWAITS,
    ),
    Entry(
        name="async-5us",
        fn=coroutines.never_suspends,
        items=python.counted,
        count=120_000,
        quick=10_000,
        bound="cpu",
        diagnosis=COMPUTES,
    ),
    Entry(
        name="async-computes",
        fn=coroutines.computes,
        items=python.counted,
        count=400,
        quick=40,
        bound="cpu",
        diagnosis=COMPUTES,
    ),
    Entry(
        name="async-blocks",
        fn=coroutines.blocks,
        items=python.counted,
        count=120,
        quick=16,
        bound="io",
        diagnosis=BLOCKS,
    ),
    Entry(
        name="async-awaits-blocks",
        fn=coroutines.awaits_and_blocks,
        items=python.counted,
        count=100,
        quick=16,
        bound="io",
        diagnosis=BLOCKS,
    ),
    Entry(
        name="async-half-and-half",
        fn=coroutines.awaits_and_computes,
        items=python.counted,
        count=200,
        quick=20,
        bound="mixed",
        diagnosis="mixed",
    ),
    Entry(
        name="async-mostly-awaits",
        fn=coroutines.mostly_awaits,
        items=python.counted,
        count=80,
        quick=10,
        bound="io",
        diagnosis=AWAITS,
    ),
    Entry(
        name="async-to-thread",
        fn=coroutines.to_thread,
        items=python.counted,
        count=80,
        quick=10,
        bound="io",
        diagnosis=AWAITS,
    ),
    Entry(
        name="async-http-20ms",
        fn=coroutines.fetch,
        items=waiting.waits_20ms,
        count=100,
        quick=10,
        bound="io",
        diagnosis=AWAITS,
        around=serving,
    ),
    Entry(
        name="async-http-limit-8",
        fn=coroutines.fetch,
        items=waiting.limited,
        count=160,
        quick=16,
        bound="io",
        diagnosis=AWAITS,
        around=serving,
    ),
    Entry(
        name="async-echo",
        fn=coroutines.converse,
        items=coroutines.echoes,
        count=120,
        quick=16,
        bound="io",
        diagnosis=one_of(AWAITS),
        around=serving,
    ),
)
