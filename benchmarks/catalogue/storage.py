"""Storage: files on disk and in memory, written for good or only to the cache, and SQLite."""

from __future__ import annotations

from benchmarks.catalogue._entry import Entry, one_of
from benchmarks.catalogue.work import storage

__all__ = ["ENTRIES"]


ENTRIES = (
    Entry(
        name="file-read",
        fn=storage.read_file,
        items=storage.paths,
        count=4_000,
        quick=600,
        # 0.1 ms of copying within the kernel, between calls of Python that take as long
        bound="cpu",
        diagnosis=one_of("cpu outside the GIL", "cpu under the GIL", "memory-bound"),
        around=storage.with_files,
    ),
    Entry(
        name="tmpfs-write",
        fn=storage.write_file,
        items=storage.new_paths,
        count=3_000,
        quick=400,
        bound="cpu",
        diagnosis=one_of("cpu outside the GIL", "memory-bound"),
        around=storage.in_memory,
    ),
    Entry(
        name="fsync",
        fn=storage.write_for_good,
        items=storage.new_paths,
        count=300,
        quick=30,
        # a fast disk answers in the time that the call itself computes
        bound=one_of("io", "mixed"),
        diagnosis="disk",
        around=storage.on_disk,
    ),
    Entry(
        name="sqlite-read",
        fn=storage.query,
        items=storage.databases,
        count=200,
        quick=30,
        bound="cpu",
        diagnosis="cpu outside the GIL",
        around=storage.with_database,
    ),
    Entry(
        name="sqlite-write",
        fn=storage.insert,
        items=storage.databases,
        count=300,
        quick=30,
        bound=one_of("io", "mixed"),
        # one writer at a time, and each waits for the disk
        diagnosis=one_of("disk", "contended"),
        around=storage.with_database,
    ),
)
