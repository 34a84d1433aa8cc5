"""Whether a worker process finds of modules what a callable finds here, asked of one.

Like those of "auto", choices of `recommend` must not change what the calls give: a worker imports modules
anew, and finds neither what was set in them since nor what is set in this context.
"""

from __future__ import annotations

from math import inf
from typing import Any

from .._strategies._processes import ProcessStrategy
from .._work._imported import Imported
from ._prepare import prepare

__all__ = ["missed_elsewhere"]


def missed_elsewhere(fn: Any) -> str:
    """What a callable would miss in a worker process, in words; empty for nothing.

    Where it uses data of modules a worker is started, which rests for who runs the work.
    """
    imported = Imported(fn)
    if not imported:
        return ""
    # Not by `run`, which refuses to where a loop runs. To unpickle the item is to compare it.
    job, workers = prepare(
        bool,
        [imported],
        ProcessStrategy(max_workers=1),
        linger=inf,
        timeout=None,
        return_exceptions=False,
        idempotent=False,
    )
    errors = [batch.error for batch in workers.execute(job) if batch.error is not None]
    reasons = (getattr(error, "reason", error) for error in errors)
    return next((f"a worker process finds other things in modules ({reason})" for reason in reasons), "")
