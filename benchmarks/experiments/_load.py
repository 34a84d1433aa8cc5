"""The load generator: wrk, started as a process of its own, against addresses of this machine only."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from ._clients import fetch_any
from ._model import Measured, Task, Way
from ._server import running_server

__all__ = ["ABSENT", "PATIENCE", "load", "loads"]

PATIENCE = 2
"""Seconds after which a client counts a response as an error; wrk's own default."""

SCRIPT = Path(__file__).with_name("load.lua")

ABSENT = "" if shutil.which("wrk") else "no load generator: install Debian's package wrk"
"""Why there can be no load here; empty where there can."""


def load(url: str, clients: int, seconds: int) -> Measured:
    """Let that many clients send requests for that long, one after another each.

    Args:
        url: On 127.0.0.1.
        clients: Connections kept open.
        seconds: How long.

    Returns:
        Requests per second answered in time, with the share of errors and the latencies in milliseconds.

    Raises:
        ValueError: The address is not on the loopback.
    """
    if urlsplit(url).hostname != "127.0.0.1":
        msg = f"load is for 127.0.0.1 only, not for {url}"
        raise ValueError(msg)
    done = subprocess.run(
        ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", f"--timeout={PATIENCE}s", "-s", SCRIPT, url],
        capture_output=True,
        check=True,
        text=True,
        timeout=seconds + 30,
    )
    return _measured(json.loads(done.stdout.splitlines()[-1]), clients)


def loads(task: str, paths: Mapping[str, str], clients: int, seconds: int) -> Task:
    """A task of letting so many clients ask each of several addresses.

    Args:
        task: What it is called.
        paths: The addresses by the names of their ways.
        clients: Connections kept open.
        seconds: How long.
    """
    ways = [
        Way(name, partial(_load_fresh, path, clients, seconds), absent=ABSENT) for name, path in paths.items()
    ]
    return Task(task, ways, unit="requests/s")


def _load_fresh(path: str, clients: int, seconds: int) -> Measured:
    """The same against a server of its own: an overloaded one is busy for long after its clients went."""
    with running_server() as address:
        fetch_any(address + path)  # imports and first calls are not the question
        return load(address + path, clients, seconds)


def _measured(said: dict[str, int], clients: int) -> Measured:
    lost = sum(said[kind] for kind in ("connect", "read", "write", "status"))
    late = said["timeout"]  # answered, but nobody waited any more
    # wrk is silent about requests still open at the end. With fewer answers than clients, at least this many
    # clients heard nothing at all, and every run is longer than their patience.
    unheard = max(0, clients - said["requests"] - lost)
    good = max(0, said["requests"] - late - said["status"])
    return Measured(
        good / (said["microseconds"] / 1e6),
        {
            "errors": min(1.0, (lost + late + unheard) / max(1, said["requests"] + lost + unheard)),
            "answers": said["requests"],
            "p50": said["p50"] / 1000,
            "p99": said["p99"] / 1000,
        },
    )
