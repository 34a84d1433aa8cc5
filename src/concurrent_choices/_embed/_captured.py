"""What a callable holds: shared with `auto`, so it stands a few floors down."""

from __future__ import annotations

from .._work._captured import Held, digest_of, held_by, travels_by_name

__all__ = ["Held", "digest_of", "held_by", "travels_by_name"]
