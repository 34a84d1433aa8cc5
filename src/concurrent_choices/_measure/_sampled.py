"""What sampling hands back: a profile, and everything that is needed to go on with the work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

if TYPE_CHECKING:
    from .._facts._profile import Profile
    from ._feed import Feed
    from ._ledger import InFlight, Run
    from ._sample_loop import KeptLoop

__all__ = ["Sampled"]


@frozen
class Sampled:
    """A profile, and the work that was done in measuring it.

    Attributes:
        profile: What was measured.
        runs: The outcomes of the calls that were made, in input order: values, and `Raised` in the
            place of each call that raised.
        in_flight: Calls that were still under way. They must not be made again: wait for them.
        feed: Hands out the items that were not called, each once.
        loop: Where to go on, if the callable holds what serves one event loop.
    """

    profile: Profile
    runs: tuple[Run, ...]
    in_flight: tuple[InFlight, ...]
    feed: Feed
    loop: KeptLoop | None = None

    @property
    def results(self) -> dict[int, Any]:
        """The outcome of each call by the index of its item: a value, or a `Raised`."""
        return {run.start + place: outcome for run in self.runs for place, outcome in enumerate(run.outcomes)}
