"""What the strategies that use worker processes have in common."""

from __future__ import annotations

from attrs import field, frozen

from ...._facts._numbers import plain_int_or_none
from ...._facts._validators import positive_or_none
from ...._platform._processors import usable_cpus
from ...._runtime._contexts import share
from ...._work._job import Job
from ..._lanes._kept import Kept
from ._host import Host

__all__ = ["Staffed"]


@frozen
class Staffed(Kept[Host]):
    """A strategy that uses worker processes."""

    max_workers: int | None = field(default=None, converter=plain_int_or_none, validator=positive_or_none)

    def workers_for(self, job: Job) -> int:
        """How many processes a job gets: never more than it has items."""
        return job.source.fitting(share(self.max_workers or max(1, round(usable_cpus()))))
