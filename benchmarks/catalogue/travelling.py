"""What travels to another process: large items, large results, lambdas, closures; and what cannot."""

from __future__ import annotations

from benchmarks.catalogue._entry import Entry, one_of
from benchmarks.catalogue.work import python, travelling

__all__ = ["ENTRIES"]

GIL, FREE = "cpu under the GIL", "cpu outside the GIL"

ENTRIES = (
    Entry(
        name="large-list-sum",
        fn=travelling.total,
        items=travelling.large_lists,
        count=4_000,
        quick=400,
        bound="cpu",
        diagnosis="payload-bound",
    ),
    Entry(
        name="large-array-fft",
        fn=travelling.spectrum,
        items=travelling.large_arrays,
        count=240,
        quick=24,
        bound="cpu",
        # NumPy's FFT lets go of the GIL; rfft of 1 MB takes about as long as moving it
        diagnosis=one_of(FREE, "payload-bound", "memory-bound"),
    ),
    Entry(
        name="returns-megabyte",
        fn=travelling.a_megabyte,
        items=python.counted,
        count=200,
        quick=20,
        bound="cpu",
        # moving the result takes as long as making it: two processes need 1.4 times a loop's time
        diagnosis=one_of(GIL, "payload-bound"),
    ),
    Entry(
        name="closure",
        fn=travelling.closure,
        items=python.counted,
        count=700,
        quick=60,
        bound="cpu",
        diagnosis=GIL,
    ),
    Entry(
        name="lambda",
        fn=travelling.square,
        items=python.counted,
        count=700,
        quick=60,
        bound="cpu",
        diagnosis=GIL,
    ),
    Entry(
        name="closure-with-lock",
        fn=travelling.locked_closure,
        items=python.counted,
        count=400,
        quick=60,
        bound="cpu",
        diagnosis=GIL,
    ),
)
