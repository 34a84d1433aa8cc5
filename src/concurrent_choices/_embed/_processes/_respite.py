"""Doing without worker processes for a while, where they could not be had."""

from __future__ import annotations

import logging
import time
from contextlib import suppress

from ..._strategies._workers._between._loading import Loading

__all__ = ["AWHILE", "Respite"]

AWHILE = 60.0
"""Seconds until they are tried again (guessed: a few that end as they start cost less than a thousandth of
that, and whoever has killed them, or used up what they need, may be done with it)."""

_log = logging.getLogger("concurrent_choices")


class Respite:
    """Why there are no worker processes, while there are to be none. Read from any thread."""

    def __init__(self) -> None:
        self._reason = ""
        self._until = 0.0

    @property
    def reason(self) -> str:
        """Why there are none; empty where they may be tried."""
        return self._reason if time.monotonic() < self._until else ""

    def begin(self, reason: str) -> str:
        """They could not be had; for that reason, which is given back."""
        is_new = reason != self._reason
        self._reason = reason
        self._until = time.monotonic() + AWHILE
        if is_new and not Loading.now:  # else it is refused while a worker imports what begins this one
            with suppress(Exception):  # a handler that raises must not cost the results
                _log.warning("an executor does without worker processes for %.0f s: %s", AWHILE, reason)
        return reason

    def end(self) -> None:
        """One is there."""
        self._reason = ""
