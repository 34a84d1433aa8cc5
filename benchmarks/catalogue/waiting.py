"""Waiting: for time, for servers, for child processes, for locks; and waiting and computing in turn."""

from __future__ import annotations

from benchmarks.catalogue._entry import Entry, one_of
from benchmarks.catalogue._server import serving
from benchmarks.catalogue.work import python, waiting

__all__ = ["ENTRIES"]


ENTRIES = (
    Entry(
        name="sleep-5ms",
        fn=waiting.nap_5ms,
        items=python.counted,
        count=100,
        quick=20,
        bound="io",
        diagnosis="waiting",
    ),
    Entry(
        name="sleep-50ms-few",
        fn=waiting.nap_50ms,
        items=python.counted,
        count=16,
        quick=4,
        bound="io",
        diagnosis="waiting",
    ),
    Entry(
        name="sleep-uneven",
        fn=waiting.nap,
        items=waiting.uneven,
        count=120,
        quick=20,
        bound="io",
        diagnosis="waiting",
    ),
    Entry(
        name="http-20ms",
        fn=waiting.fetch,
        items=waiting.waits_20ms,
        count=100,
        quick=10,
        bound="io",
        diagnosis="waiting",
        around=serving,
    ),
    Entry(
        name="http-limit-8",
        fn=waiting.fetch,
        items=waiting.limited,
        count=160,
        quick=16,
        bound="io",
        diagnosis="waiting",
        around=serving,
    ),
    Entry(
        name="http-limit-1",
        fn=waiting.fetch,
        items=waiting.single,
        count=100,
        quick=16,
        bound="io",
        diagnosis="contended",
        around=serving,
    ),
    Entry(
        name="http-rate-limit",
        fn=waiting.fetch,
        items=waiting.rated,
        count=200,
        quick=40,
        bound="io",
        diagnosis="rate-limited",
        around=serving,
        judged_only=True,  # most of its requests are refused, and raise
    ),
    Entry(
        name="subprocess-sleep",
        fn=waiting.run_sleep,
        items=python.counted,
        count=24,
        quick=4,
        bound="io",
        diagnosis="waiting",
    ),
    Entry(
        name="subprocess-cpu",
        fn=waiting.run_shell,
        items=python.counted,
        count=24,
        quick=6,
        bound="cpu",
        diagnosis="child processes",
    ),
    Entry(
        name="lock-3ms",
        fn=waiting.behind_lock,
        items=python.counted,
        count=160,
        quick=24,
        bound="io",
        diagnosis="contended",
        apart=False,
    ),
    Entry(
        name="file-lock-3ms",
        fn=waiting.behind_file_lock,
        items=waiting.lock_files,
        count=120,
        quick=24,
        bound="io",
        # flock() is a call to a file system, but nothing is written
        diagnosis=one_of("contended", "disk"),
        around=waiting.lock_file,
    ),
    Entry(
        name="half-and-half",
        fn=waiting.half_and_half,
        items=python.counted,
        count=160,
        quick=20,
        bound="mixed",
        diagnosis="mixed",
    ),
    Entry(
        name="mostly-waits",
        fn=waiting.mostly_waits,
        items=python.counted,
        count=60,
        quick=10,
        bound="io",
        diagnosis="waiting",
    ),
)
