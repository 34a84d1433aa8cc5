"""Where the catalogue's server is; its ports stand in the environment, which worker processes inherit."""

from __future__ import annotations

import os

__all__ = ["VARIABLE", "address", "echo_address"]

VARIABLE = "CATALOGUE_SERVER"


def address() -> str:
    """Where the HTTP server is."""
    return f"http://127.0.0.1:{os.environ[VARIABLE].split()[0]}"


def echo_address() -> tuple[str, int]:
    """Where the server is that sends back, a millisecond later, what it is sent."""
    return "127.0.0.1", int(os.environ[VARIABLE].split()[1])
