"""Contestants that are measured in a fresh interpreter, by a probe of `_fresh`."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import attrs

from benchmarks._bytecode import compile_checkout
from benchmarks.dispatch._case import Reading

__all__ = ["Fresh"]

ROOT = Path(__file__).parents[2]
LONGEST = 300.0  # seconds; guessed: ten times the slowest probe seen


@attrs.frozen
class Fresh:
    """A contestant measured from inside, in an interpreter started for this one reading.

    Attributes:
        probe: The name of the probe and its arguments.
    """

    name: str
    count: int
    probe: tuple[str, ...]
    ours: bool = False
    beside: str = ""
    needs: tuple[str, ...] = ()

    def opened(self) -> AbstractContextManager[Any]:
        """Nothing is kept warm."""
        return nullcontext()

    def measure(self, _live: Any) -> Reading:
        """Start an interpreter, which finds the bytecode of what it imports, and ask it.

        Raises:
            RuntimeError: If it fails; the message is what it said last.
        """
        compile_checkout()
        command = [sys.executable, "-m", "benchmarks.dispatch._fresh", *self.probe]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
            timeout=LONGEST,
        )
        if done.returncode:
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            print(done.stderr, file=sys.stderr)
            msg = f"the probe {' '.join(self.probe)} failed ({done.returncode}): {last}"
            raise RuntimeError(msg)
        return Reading(**json.loads(done.stdout.splitlines()[-1]))
