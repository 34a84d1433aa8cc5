"""``python -m concurrent_choices``."""

from __future__ import annotations

import sys

from ._cli import program

__all__ = ["program"]

if __name__ == "__main__":
    sys.exit(program())
