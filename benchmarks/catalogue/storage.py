"""Storage: files on disk and in memory, written for good or only to the cache, and SQLite."""

from __future__ import annotations

from benchmarks.catalogue._entry import Entry, one_of
from benchmarks.catalogue.work import storage

__all__ = ["ENTRIES"]

ENTRIES = (
    # 0.1 ms of copying within the kernel, between calls of Python that take as long
    Entry(
        "file-read",
        storage.read_file,
        "cpu",
        one_of("cpu outside the GIL", "cpu under the GIL", "memory-bound"),
        count=4_000,
        quick=600,
        items=storage.paths,
        around=storage.with_files,
    ),
    Entry(
        "tmpfs-write",
        storage.write_file,
        "cpu",
        one_of("cpu outside the GIL", "memory-bound"),
        count=3_000,
        quick=400,
        items=storage.new_paths,
        around=storage.in_memory,
    ),
    # a fast disk answers in the time that the call itself computes
    Entry(
        "fsync",
        storage.write_for_good,
        one_of("io", "mixed"),
        "disk",
        count=300,
        quick=30,
        items=storage.new_paths,
        around=storage.on_disk,
    ),
    Entry(
        "sqlite-read",
        storage.query,
        "cpu",
        "cpu outside the GIL",
        count=200,
        quick=30,
        items=storage.databases,
        around=storage.with_database,
    ),
    # one writer at a time, and each waits for the disk
    Entry(
        "sqlite-write",
        storage.insert,
        one_of("io", "mixed"),
        one_of("disk", "contended"),
        count=300,
        quick=30,
        items=storage.databases,
        around=storage.with_database,
    ),
)
