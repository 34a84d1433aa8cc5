"""Computing: under the GIL, outside it, in native threads, and where memory is the limit."""

from __future__ import annotations

from benchmarks.catalogue._entry import Entry, one_of
from benchmarks.catalogue.work import numeric, python

__all__ = ["ENTRIES"]

GIL, FREE = "cpu under the GIL", "cpu outside the GIL"

ENTRIES = (
    Entry("tiny", abs, "cpu", "tiny", count=300_000, quick=10_000),
    Entry("python-5us", python.loop_5us, "cpu", GIL, count=150_000, quick=10_000),
    Entry("python-200us", python.loop_200us, "cpu", GIL, count=4_000, quick=300),
    Entry("python-3ms", python.loop_3ms, "cpu", GIL, count=260, quick=20),
    Entry("python-20ms", python.loop_20ms, "cpu", GIL, count=40, quick=6),
    Entry("python-growing", python.growing, "cpu", GIL, count=1500, quick=300),
    Entry("python-pareto", python.loop, "cpu", GIL, count=2_000, quick=150, items=python.pareto),
    Entry("json", python.to_json_and_back, "cpu", GIL, count=1_500, quick=150),
    Entry("regex", python.search, "cpu", GIL, count=600, quick=60),
    Entry("sort", python.sort, "cpu", GIL, count=800, quick=80),
    Entry("recursion", python.fibonacci_of, "cpu", GIL, count=3_000, quick=250),
    Entry("numpy-small", numeric.numpy_small, "cpu", GIL, count=15_000, quick=1_200),
    Entry("sha256", python.digest, "cpu", FREE, count=700, quick=90),
    Entry("pbkdf2", python.derive, "cpu", FREE, count=400, quick=40),
    Entry("zlib", python.compress, "cpu", FREE, count=200, quick=20),
    Entry("numpy-large", numeric.numpy_large, "cpu", FREE, count=500, quick=50),
    Entry("numpy-sort", numeric.numpy_sort, "cpu", FREE, count=500, quick=60),
    Entry("blas-threads", numeric.multiply, "cpu", "native threads inside", count=60, quick=12),
    # a machine with bandwidth to spare for its cores has no such limit
    Entry("memory-bound", numeric.stream_memory, "cpu", one_of("memory-bound", FREE), count=60, quick=10),
)
