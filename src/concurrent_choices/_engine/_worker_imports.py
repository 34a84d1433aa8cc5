"""Whether new worker processes are worth what each of them has to import."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cached_property

from .._work._job import Job

__all__ = ["WorkerImports"]

EACH = 1e-3
"""Seconds in which a worker imports a module, with what that needs of the standard library (measured, with
nothing beside it: 0.7 ms for pandas, polars and Django, 1.5 to 2 for NumPy and SQLAlchemy)."""

_FAMILIAR = frozenset({*sys.stdlib_module_names, "__main__", "concurrent_choices"})


class WorkerImports:
    """What each worker imports for a job, beside the standard library; counted as far as it matters."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._found = 0

    def within(self, seconds: float) -> bool:
        """Whether a worker has imported it in so many seconds."""
        if EACH * self._most <= seconds:
            return True
        while EACH * self._found <= seconds and self._finds_another():
            self._found += 1
        return EACH * self._found <= seconds

    def _finds_another(self) -> bool:
        try:
            return next(self._left, None) is not None
        except Exception:  # noqa: BLE001 - an item's own class may raise anything; the walk ends there
            return False

    @cached_property
    def _most(self) -> int:
        """How many any job can need: known in 0.1 ms, while counting takes up to 14 (measured)."""
        return sum(map(_is_foreign, tuple(sys.modules)))

    @cached_property
    def _left(self) -> Iterator[str]:
        """What has not been counted yet."""
        from .._transfer._imports import needed_by  # noqa: PLC0415 - most runs need no processes

        return needed_by([self._job.fn, *self._job.source.peek()], _is_foreign)


def _is_foreign(name: str) -> bool:
    return name.partition(".")[0] not in _FAMILIAR
