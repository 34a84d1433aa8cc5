"""Waiting: for time, for servers, for child processes, for locks; and waiting and computing in turn."""

from __future__ import annotations

from benchmarks.catalogue._entry import Entry, one_of
from benchmarks.catalogue._server import serving
from benchmarks.catalogue.work import waiting

__all__ = ["ENTRIES"]

ENTRIES = (
    Entry("sleep-5ms", waiting.nap_5ms, "io", "waiting", count=100, quick=20),
    Entry("sleep-50ms-few", waiting.nap_50ms, "io", "waiting", count=16, quick=4),
    Entry("sleep-uneven", waiting.nap, "io", "waiting", count=120, quick=20, items=waiting.uneven),
    Entry(
        "http-20ms",
        waiting.fetch,
        "io",
        "waiting",
        count=100,
        quick=10,
        items=waiting.waits_20ms,
        around=serving,
    ),
    Entry(
        "http-limit-8",
        waiting.fetch,
        "io",
        "waiting",
        count=160,
        quick=16,
        items=waiting.limited,
        around=serving,
    ),
    Entry(
        "http-limit-1",
        waiting.fetch,
        "io",
        "contended",
        count=100,
        quick=16,
        items=waiting.single,
        around=serving,
    ),
    # most of its requests are refused, and raise
    Entry(
        "http-rate-limit",
        waiting.fetch,
        "io",
        "rate-limited",
        count=200,
        quick=40,
        items=waiting.rated,
        around=serving,
        judged_only=True,
    ),
    Entry("subprocess-sleep", waiting.run_sleep, "io", "waiting", count=24, quick=4),
    Entry("subprocess-cpu", waiting.run_shell, "cpu", "child processes", count=24, quick=6),
    Entry("lock-3ms", waiting.behind_lock, "io", "contended", count=160, quick=24, apart=False),
    # flock() is a call to a file system, but nothing is written
    Entry(
        "file-lock-3ms",
        waiting.behind_file_lock,
        "io",
        one_of("contended", "disk"),
        count=120,
        quick=24,
        items=waiting.lock_files,
        around=waiting.lock_file,
    ),
    Entry("half-and-half", waiting.half_and_half, "mixed", "mixed", count=160, quick=20),
    Entry("mostly-waits", waiting.mostly_waits, "io", "waiting", count=60, quick=10),
)
