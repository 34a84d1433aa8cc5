"""What travels to another process: large items, large results, lambdas, closures; and what cannot."""

from __future__ import annotations

from benchmarks.catalogue._entry import Entry, one_of
from benchmarks.catalogue.work import travelling

__all__ = ["ENTRIES"]

GIL, FREE = "cpu under the GIL", "cpu outside the GIL"

ENTRIES = (
    Entry(
        "large-list-sum",
        travelling.total,
        "cpu",
        "payload-bound",
        count=4_000,
        quick=400,
        items=travelling.large_lists,
    ),
    # NumPy's FFT lets go of the GIL; rfft of 1 MB takes about as long as moving it
    Entry(
        "large-array-fft",
        travelling.spectrum,
        "cpu",
        one_of(FREE, "payload-bound", "memory-bound"),
        count=240,
        quick=24,
        items=travelling.large_arrays,
    ),
    # moving the result takes as long as making it: two processes need 1.4 times a loop's time
    Entry(
        "returns-megabyte", travelling.a_megabyte, "cpu", one_of(GIL, "payload-bound"), count=200, quick=20
    ),
    Entry("closure", travelling.closure, "cpu", GIL, count=700, quick=60),
    Entry("lambda", travelling.square, "cpu", GIL, count=700, quick=60),
    Entry("closure-with-lock", travelling.locked_closure, "cpu", GIL, count=400, quick=60),
)
