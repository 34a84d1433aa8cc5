"""New interpreters: scripts and commands, run the way people run them."""

import subprocess
import sys

SECONDS = 200
"""What one may take: only what hangs takes so long, on whatever machine."""


def interpreter(*words, **options):
    """What a new interpreter says to these arguments, and its exit code."""
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, check=False, text=True, timeout=SECONDS, **options)


def printed(*words, **options):
    """What it prints, line by line; it must end well and complain of nothing."""
    done = interpreter("-W", "error", *words, **options)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()
